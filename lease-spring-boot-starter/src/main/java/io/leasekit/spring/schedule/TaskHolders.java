package io.leasekit.spring.schedule;

import io.leasekit.internal.Internal;
import java.util.stream.Stream;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.scheduling.config.ScheduledTaskHolder;

/** The beans of Spring that hold the tasks of scheduled methods. */
@Internal
public final class TaskHolders {

    private TaskHolders() {}

    /** Creates no beans: during a shutdown, the creation would fail, or the bean would never be destroyed. */
    public static Stream<ScheduledTaskHolder> existing(ConfigurableListableBeanFactory beans) {
        return Stream.of(beans.getBeanNamesForType(ScheduledTaskHolder.class, true, false))
                .map(beans::getSingleton)
                .filter(ScheduledTaskHolder.class::isInstance)
                .map(ScheduledTaskHolder.class::cast);
    }
}
