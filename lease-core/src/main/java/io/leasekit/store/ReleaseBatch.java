package io.leasekit.store;

import io.leasekit.internal.Text;
import java.util.List;

/**
 * Releases of several leases in one request. Each is applied or refused individually.
 *
 * <p>Each of them keeps its item: in a batch, DynamoDB deletes items only with the permission
 * {@code dynamodb:PartiQLDelete}, which the documented policy does not have. A deletion is a request of its own.
 *
 * @param commands one command for each item, in the order in which they are sent and answered
 */
public record ReleaseBatch(List<ReleaseCommand> commands) {

    /**
     * Copies the commands.
     *
     * @throws IllegalArgumentException if there is no command, if there are more than {@link RenewBatch#MAX_COMMANDS}, if
     *     two have the same key, or if one deletes its item
     */
    public ReleaseBatch {
        commands = OnePerItem.copyOf(commands, RenewBatch.MAX_COMMANDS, "Batch", "releases");
        for (ReleaseCommand command : commands) {
            if (command.form() instanceof ReleaseCommand.Delete) {
                throw new IllegalArgumentException("Batch deletes the item of key " + Text.quote(command.key())
                        + ", expected releases that keep it");
            }
        }
    }

    /** Returns the number of releases. */
    public int size() {
        return commands.size();
    }
}
