package io.leasekit.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.leasekit.store.StoreRequest.Batch;
import io.leasekit.store.StoreRequest.Transaction;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class StoreRequestTest {

    private static LeaseCommand mark(String key) {
        return new MarkCommand(key, 1);
    }

    private static LeaseCommand renew(String key) {
        return new RenewCommand(key, "v-2", 1, 2, new VersionRange("v-1", "v-1"), Edits.NONE);
    }

    private static LeaseCommand release(String key, ReleaseCommand.Form form) {
        return new ReleaseCommand(key, new VersionRange("v-1", "v-1"), null, form, Edits.NONE);
    }

    private static LeaseCommand retain(String key) {
        return release(key, new ReleaseCommand.Retain(1, 2));
    }

    private static List<LeaseCommand> commands(int count, Function<String, LeaseCommand> command) {
        return IntStream.range(0, count)
                .mapToObj(i -> command.apply("key-" + i))
                .toList();
    }

    @Test
    void keysStandInTheOrderOfTheCommands() {
        assertThat(new Transaction(List.of(mark("b"), mark("a"))).keys()).containsExactly("b", "a");
        assertThat(new Batch(List.of(renew("b"), renew("a"))).keys()).containsExactly("b", "a");
    }

    // ---- transactions

    @Test
    void aTransactionHasFromOneToAHundredCommands() {
        assertThat(new Transaction(commands(100, StoreRequestTest::mark)).commands())
                .hasSize(100);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Transaction(List.of()))
                .withMessage("Transaction has 0 commands, expected from 1 to 100");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Transaction(commands(101, StoreRequestTest::mark)))
                .withMessage("Transaction has 101 commands, expected from 1 to 100");
    }

    @Test
    void aTransactionHasOneCommandForEachItem() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Transaction(List.of(mark("a"), mark("b"), mark("a"))))
                .withMessage("Transaction has two commands for the item of key 'a', expected one for each item");
    }

    // ---- batches

    @Test
    void aBatchHasFromOneTo25Commands() {
        for (Function<String, LeaseCommand> command :
                List.<Function<String, LeaseCommand>>of(StoreRequestTest::renew, StoreRequestTest::retain)) {
            assertThat(new Batch(commands(25, command)).commands()).hasSize(25);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new Batch(List.of()))
                    .withMessage("Batch has 0 commands, expected from 1 to 25");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new Batch(commands(26, command)))
                    .withMessage("Batch has 26 commands, expected from 1 to 25");
        }
    }

    @Test
    void aBatchHasOneCommandForEachItem() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Batch(List.of(renew("a"), renew("b"), renew("a"))))
                .withMessage("Batch has two commands for the item of key 'a', expected one for each item");
        LeaseCommand hold = release("a", new ReleaseCommand.Hold("v-9", 1, 2, 3, 0));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Batch(List.of(hold, hold)))
                .withMessage("Batch has two commands for the item of key 'a', expected one for each item");
    }

    /** The documented policy has no permission to delete items by statements. */
    @Test
    void aBatchDeletesNoItem() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Batch(List.of(release("a", new ReleaseCommand.Delete()))))
                .withMessage(
                        "Batch has ReleaseCommand of key 'a', expected renewals, or releases that keep their item");
    }

    @Test
    void aBatchHasNoOtherKindOfCommand() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Batch(List.of(renew("a"), mark("b"))))
                .withMessage("Batch has MarkCommand of key 'b', expected renewals, or releases that keep their item");
    }
}
