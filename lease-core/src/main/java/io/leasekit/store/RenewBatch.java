package io.leasekit.store;

import java.util.List;

/**
 * Renewals of several leases in one request. Each is applied or refused individually.
 *
 * @param commands one command for each item, in the order in which they are sent and answered
 */
public record RenewBatch(List<RenewCommand> commands) {

    /** The maximum number of renewals: DynamoDB's limit for a batch. */
    public static final int MAX_COMMANDS = 25;

    /**
     * Copies the commands.
     *
     * @throws IllegalArgumentException if there is no command, if there are more than {@link #MAX_COMMANDS}, or if two have the
     *     same key. DynamoDB refuses such a batch as a whole
     */
    public RenewBatch {
        commands = OnePerItem.copyOf(commands, MAX_COMMANDS, "Batch", "renewals");
    }

    /** Returns the number of renewals. */
    public int size() {
        return commands.size();
    }
}
