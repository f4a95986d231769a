package io.leasekit.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Records that write their own texts name all of their components, in order. */
class RecordTextsTest {

    private static final ItemProgress PROGRESS = new ItemProgress("r", new byte[] {1}, 5L);
    private static final VersionRange OWN = new VersionRange("v-1", "v-2");

    static Stream<Record> records() {
        return Stream.of(
                new AcquireCommand("k", "v", 1, 2, 3, "o", 4, 5L, "d", OWN, OWN, "r", 3, "p", 9L),
                new RenewCommand("k", "v", 1, 2, OWN, 9L, PROGRESS, "h"),
                new ReleaseCommand("k", OWN, OWN, new ReleaseCommand.Delete(), null),
                new RevokeCommand("k", 1, new RevokeCommand.Refuse("v")),
                new MarkCommand("k", 1),
                new PauseCommand("k", "e", "p"),
                new ReopenCommand("k", 1, "r", "b", "h"),
                new LeaseItem("k", "v", 1L, 2L, 3L, "o", 4L, 5L, 6L, null, 3L, null, "p", 9L, PROGRESS, "h", "n"),
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
