package io.leasekit.requests;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.LeaseMeasurement.Operation;
import io.leasekit.store.Edits;
import io.leasekit.store.LeaseCommand;
import io.leasekit.store.MarkCommand;
import io.leasekit.store.PauseCommand;
import io.leasekit.store.RenewCommand;
import io.leasekit.store.ReopenCommand;
import io.leasekit.store.VersionRange;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The names of measured operations. {@code MonitorTest} has what is measured. */
class MeasuredStoreTest {

    @Test
    void eachCommandHasAnOperationOfItsName() {
        List<String> commands = Stream.of(LeaseCommand.class.getPermittedSubclasses())
                .map(type -> type.getSimpleName().replace("Command", "").toUpperCase(Locale.ROOT))
                .toList();

        assertThat(Operation.values())
                .extracting(Operation::name)
                .containsAll(commands)
                .hasSize(commands.size() + 2);
        assertThat(MeasuredStore.operation(new MarkCommand("key", 1))).isEqualTo(Operation.MARK);
        assertThat(MeasuredStore.operation(new ReopenCommand("key", 1, Edits.NONE)))
                .isEqualTo(Operation.REOPEN);
        assertThat(MeasuredStore.operation(new PauseCommand("key", Edits.NONE))).isEqualTo(Operation.PAUSE);
        assertThat(MeasuredStore.operation(new RenewCommand("key", "v", 1, 1, new VersionRange("a", "b"), Edits.NONE)))
                .isEqualTo(Operation.RENEW);
    }
}
