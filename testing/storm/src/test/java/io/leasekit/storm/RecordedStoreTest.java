package io.leasekit.storm;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.store.AcquireCommand;
import io.leasekit.store.Edits;
import io.leasekit.store.LeaseCommand;
import io.leasekit.store.LeaseStore;
import io.leasekit.store.MarkCommand;
import io.leasekit.store.StoreRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Of a recorded request, the recording has all that its process learned from the reply. */
class RecordedStoreTest {

    private static final String HELD = "00000000-0000-4000-8000-000000000001-00000004";

    @TempDir
    Path folder;

    private final LeaseStore table = new InMemoryLeaseStore();

    @Test
    void aRefusedMarkShowsTheItem() throws IOException {
        send(table, new AcquireCommand("a", HELD, 1_800_000_060, 514, 7, "one", 0, null, null, null, null, Edits.NONE));
        send(table, new MarkCommand("a", 1));

        List<Event> recorded = recorded(new MarkCommand("a", 2));

        assertThat(recorded).hasSize(2);
        assertThat(recorded.get(0).text(Sent.VERB)).isEqualTo("read");
        assertThat(recorded.get(1).text(Event.OUTCOME)).isEqualTo("found");
        assertThat(recorded.get(1).text(Sent.VERSION)).isEqualTo(HELD);
        assertThat(recorded.get(1).number(Sent.DURATION)).isEqualTo(514);
    }

    @Test
    void anAppliedMarkShowsNothing() throws IOException {
        send(table, new AcquireCommand("a", HELD, 1_800_000_060, 514, 7, "one", 0, null, null, null, null, Edits.NONE));

        List<Event> recorded = recorded(new MarkCommand("a", 1));

        assertThat(recorded).hasSize(2);
        assertThat(recorded.get(1).text(Event.OUTCOME)).isEqualTo("failed");
    }

    @Test
    void requestsForOtherKeysAreNotRecorded() throws IOException {
        assertThat(recorded(new MarkCommand("b", 1))).isEmpty();
    }

    private List<Event> recorded(LeaseCommand command) throws IOException {
        try (History trace = History.openTrace(folder, "two")) {
            send(new RecordedStore(table, "a", trace), command);
        }
        return Files.readAllLines(folder.resolve("two" + History.TRACE)).stream()
                .map(Event::parse)
                .toList();
    }

    private static void send(LeaseStore store, LeaseCommand command) {
        assertThat(store.send(new StoreRequest.Write(command), Duration.ofSeconds(2)))
                .isCompleted();
    }
}
