package io.leasekit.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.records.ItemProgress;
import io.leasekit.records.ItemRun;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Records that write their own texts name all of their components, in order. */
class RecordTextsTest {

    private static final ItemProgress PROGRESS = new ItemProgress("r", new byte[] {1}, 5L);
    private static final Edits EDITS =
            Edits.builder().absent("a").add(PROGRESS.edits()).keptUntil(9L).build();
    private static final VersionRange OWN = new VersionRange("v-1", "v-2");

    static Stream<Record> records() {
        return Stream.of(
                new AcquireCommand("k", "v", 1, 2, 3, "o", 4, 5L, "d", OWN, OWN, EDITS),
                new RenewCommand("k", "v", 1, 2, OWN, EDITS),
                new ReleaseCommand("k", OWN, OWN, new ReleaseCommand.Delete(), Edits.NONE),
                new RevokeCommand("k", 1, new RevokeCommand.Refuse("v")),
                new MarkCommand("k", 1),
                new PauseCommand("k", EDITS),
                new ReopenCommand("k", 1, EDITS),
                new LeaseItem("k", "v", 1L, 2L, 3L, "o", 4L, 5L, 6L, EDITS.sets()),
                EDITS,
                EDITS.guards().get(0),
                EDITS.sets(),
                PROGRESS,
                new ItemRun("r", "o", null, "s", null),
                new StoreRequest.Scan("p", 1, "a"),
                new StoreReply.Refusal("k", null));
    }

    @ParameterizedTest
    @MethodSource("records")
    void aTextNamesEachComponent(Record value) {
        String[] names = Arrays.stream(value.getClass().getRecordComponents())
                .map(RecordComponent::getName)
                .map(name -> name + "=")
                .toArray(String[]::new);

        assertThat(value.toString())
                .startsWith(value.getClass().getSimpleName() + "[" + names[0])
                .containsSubsequence(names);
    }
}
