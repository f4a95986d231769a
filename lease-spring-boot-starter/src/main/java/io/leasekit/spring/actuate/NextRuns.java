package io.leasekit.spring.actuate;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.springframework.scheduling.config.ScheduledTask;
import org.springframework.scheduling.config.ScheduledTaskHolder;

/**
 * The times at which this node's schedulers will next call its scheduled methods. A method has no next firing while it
 * runs or while its trigger is switched off. Thread-safe.
 */
public final class NextRuns {

    private final Supplier<Stream<ScheduledTaskHolder>> holders;

    /** Creates an object that reads the planned times from these holders of scheduled tasks. */
    public NextRuns(Supplier<Stream<ScheduledTaskHolder>> holders) {
        this.holders = holders;
    }

    Map<String, Instant> byMethod() {
        Map<String, Instant> next = new HashMap<>();
        holders.get().flatMap(holder -> holder.getScheduledTasks().stream()).forEach(task -> put(next, task));
        return next;
    }

    private static void put(Map<String, Instant> next, ScheduledTask task) {
        Instant planned = task.nextExecution();
        if (planned != null) {
            // Spring wraps the task, so only the task's toString contains the name of the method
            next.merge(task.toString(), toSecond(planned), (one, other) -> one.isBefore(other) ? one : other);
        }
    }

    /**
     * Spring computes the planned time from the remaining delay, so the planned time varies by milliseconds between
     * calls.
     */
    private static Instant toSecond(Instant planned) {
        return planned.plusMillis(500).truncatedTo(ChronoUnit.SECONDS);
    }
}
