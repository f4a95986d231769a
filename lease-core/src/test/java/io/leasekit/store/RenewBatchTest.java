package io.leasekit.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RenewBatchTest {

    private static RenewCommand renew(String key) {
        return new RenewCommand(key, "v-2", 1, 2, new VersionRange("v-1", "v-1"));
    }

    private static List<RenewCommand> renewals(int count) {
        return IntStream.range(0, count).mapToObj(i -> renew("key-" + i)).toList();
    }

    @Test
    void asManyAsDynamoDbAllowsAreABatch() {
        assertThat(new RenewBatch(renewals(25)).size()).isEqualTo(25);
    }

    @Test
    void noneAndTooManyAreRefused() {
        assertThatThrownBy(() -> new RenewBatch(List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Batch has 0 renewals, expected from 1 to 25");
        assertThatThrownBy(() -> new RenewBatch(renewals(26)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Batch has 26 renewals, expected from 1 to 25");
    }

    @Test
    void twoForOneItemAreRefused() {
        assertThatThrownBy(() -> new RenewBatch(List.of(renew("a"), renew("b"), renew("a"))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Batch has two renewals for the item of key 'a', expected one for each item");
    }
}
