package io.leasekit.store;

import io.leasekit.internal.Checks;
import io.leasekit.internal.Text;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Writes of several items that are applied together or not at all; they need not be of one kind.
 *
 * @param commands one command for each item, in the order in which they are sent
 */
public record CommandGroup(List<LeaseCommand> commands) {

    /** How many items one transaction may write: DynamoDB's limit. */
    public static final int MAX_COMMANDS = Checks.MAX_KEYS;

    /**
     * Copies the commands.
     *
     * @throws IllegalArgumentException if there is none, if there are more than {@link #MAX_COMMANDS}, or two are for one key:
     *     DynamoDB refuses such a transaction, DynamoDB Local and the like may not
     */
    public CommandGroup {
        commands = List.copyOf(commands);
        if (commands.isEmpty() || commands.size() > MAX_COMMANDS) {
            throw new IllegalArgumentException(
                    "Transaction has " + commands.size() + " commands, expected from 1 to " + MAX_COMMANDS);
        }
        Set<String> keys = new HashSet<>();
        for (LeaseCommand command : commands) {
            if (!keys.add(command.key())) {
                throw new IllegalArgumentException("Transaction has two commands for the item of key "
                        + Text.quote(command.key()) + ", expected one for each item");
            }
        }
    }

    /** Returns the keys of the items, in the order of the commands. */
    public List<String> keys() {
        return commands.stream().map(LeaseCommand::key).toList();
    }
}
