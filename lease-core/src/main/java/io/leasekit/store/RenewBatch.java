package io.leasekit.store;

import io.leasekit.internal.Text;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Renewals of several leases that go out in one request. Each of them is applied or refused by itself.
 *
 * @param commands one command for each item, in the order in which they are sent and answered
 */
public record RenewBatch(List<RenewCommand> commands) {

    /** How many renewals one request may have: DynamoDB's limit. */
    public static final int MAX_COMMANDS = 25;

    /**
     * Copies the commands.
     *
     * @throws IllegalArgumentException if there is none, if there are more than {@link #MAX_COMMANDS}, or two are for one key:
     *     DynamoDB refuses such a request as a whole
     */
    public RenewBatch {
        commands = List.copyOf(commands);
        if (commands.isEmpty() || commands.size() > MAX_COMMANDS) {
            throw new IllegalArgumentException(
                    "Batch has " + commands.size() + " renewals, expected from 1 to " + MAX_COMMANDS);
        }
        Set<String> keys = new HashSet<>();
        for (RenewCommand command : commands) {
            if (!keys.add(command.key())) {
                throw new IllegalArgumentException("Batch has two renewals for the item of key "
                        + Text.quote(command.key()) + ", expected one for each item");
            }
        }
    }

    /** Returns how many renewals it has. */
    public int size() {
        return commands.size();
    }
}
