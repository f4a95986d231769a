package io.leasekit.store;

import io.leasekit.internal.Checks;
import java.util.List;

/**
 * Writes of several items that are applied together or not at all. They can be of different kinds.
 *
 * @param commands one command for each item, in the order of the transaction
 */
public record CommandGroup(List<LeaseCommand> commands) {

    /** The maximum number of commands: DynamoDB's limit for a transaction. */
    public static final int MAX_COMMANDS = Checks.MAX_KEYS;

    /**
     * Copies the commands.
     *
     * @throws IllegalArgumentException if there is no command, if there are more than {@link #MAX_COMMANDS}, or if two have the
     *     same key. DynamoDB refuses such a transaction; compatible servers may accept it
     */
    public CommandGroup {
        commands = OnePerItem.copyOf(commands, MAX_COMMANDS, "Transaction", "commands");
    }

    /** Returns the keys of the items, in the order of the commands. */
    public List<String> keys() {
        return commands.stream().map(LeaseCommand::key).toList();
    }
}
