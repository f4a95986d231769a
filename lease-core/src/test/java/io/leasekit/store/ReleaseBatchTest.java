package io.leasekit.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ReleaseBatchTest {

    private static ReleaseCommand release(String key, ReleaseCommand.Form form) {
        return new ReleaseCommand(key, new VersionRange("v-1", "v-1"), null, form, null);
    }

    private static List<ReleaseCommand> releases(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> release("key-" + i, new ReleaseCommand.Retain(1, 2)))
                .toList();
    }

    @Test
    void asManyAsDynamoDbAllowsAreABatch() {
        assertThat(new ReleaseBatch(releases(25)).size()).isEqualTo(25);
    }

    @Test
    void noneAndTooManyAreRefused() {
        assertThatThrownBy(() -> new ReleaseBatch(List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Batch has 0 releases, expected from 1 to 25");
        assertThatThrownBy(() -> new ReleaseBatch(releases(26)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Batch has 26 releases, expected from 1 to 25");
    }

    @Test
    void twoForOneItemAreRefused() {
        ReleaseCommand one = release("a", new ReleaseCommand.Hold("v-9", 1, 2, 3));
        assertThatThrownBy(() -> new ReleaseBatch(List.of(one, one)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Batch has two releases for the item of key 'a', expected one for each item");
    }

    /** The documented policy has no permission to delete items by statements. */
    @Test
    void aDeletionIsRefused() {
        assertThatThrownBy(() -> new ReleaseBatch(List.of(release("a", new ReleaseCommand.Delete()))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Batch deletes the item of key 'a', expected releases that keep it");
    }
}
