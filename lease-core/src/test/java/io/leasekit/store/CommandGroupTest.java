package io.leasekit.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CommandGroupTest {

    @Test
    void keysStandInTheOrderOfTheCommands() {
        assertThat(new CommandGroup(List.of(mark("b"), mark("a"))).keys()).containsExactly("b", "a");
    }

    @Test
    void noneAndMoreThanDynamoDbAllowsAreRefused() {
        List<LeaseCommand> commands = new ArrayList<>();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new CommandGroup(commands))
                .withMessage("Transaction has 0 commands, expected from 1 to 100");
        for (int i = 0; i < 100; i++) {
            commands.add(mark("key-" + i));
        }
        assertThat(new CommandGroup(commands).commands()).hasSize(100);
        commands.add(mark("one-more"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new CommandGroup(commands))
                .withMessage("Transaction has 101 commands, expected from 1 to 100");
    }

    @Test
    void twoCommandsForOneItemAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new CommandGroup(List.of(mark("a"), mark("b"), mark("a"))))
                .withMessage("Transaction has two commands for the item of key 'a', expected one for each item");
    }

    private static LeaseCommand mark(String key) {
        return new MarkCommand(key, 1);
    }
}
