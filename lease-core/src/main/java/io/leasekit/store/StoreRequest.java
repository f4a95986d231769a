package io.leasekit.store;

import io.leasekit.internal.Internal;
import io.leasekit.limits.Checks;
import io.leasekit.text.Text;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One request to a {@link LeaseStore}. Thread-safe. */
@Internal
public sealed interface StoreRequest {

    /** Returns the keys of the items in the request, in the order of the request; empty for a scan. */
    List<String> keys();

    /**
     * Writes one item if the condition of the command holds. The reply to this request is {@link StoreReply.Applied},
     * {@link StoreReply.Refused} or {@link StoreReply.Failed}.
     */
    record Write(LeaseCommand command) implements StoreRequest {
        @Override
        public List<String> keys() {
            return List.of(command.key());
        }
    }

    /**
     * Writes several items if the conditions of all commands hold; if one condition does not hold, writes no item. The
     * reply to this request is {@link StoreReply.Applied}, {@link StoreReply.GroupRefused} or
     * {@link StoreReply.Failed}. A conflict with a concurrent write is a failure of the kind
     * {@link StoreReply.FailureKind#CONFLICT}, not a refusal. The commands must have different keys:
     * DynamoDB rejects two writes of one item, but other servers may accept them.
     */
    record Transaction(List<LeaseCommand> commands) implements StoreRequest {

        /** The maximum number of commands, which is DynamoDB's limit for a transaction. */
        public static final int MAX_COMMANDS = Checks.MAX_KEYS;

        public Transaction {
            commands = onePerItem(commands, MAX_COMMANDS, "Transaction");
        }

        @Override
        public List<String> keys() {
            return keysOf(commands);
        }
    }

    /**
     * Writes several items in one request. Each command is applied or refused individually, as if it had been sent
     * alone. A batch contains only renewals, and releases that keep the item. A deletion in a batch would need the
     * permission {@code dynamodb:PartiQLDelete}, which the documented IAM policy does not grant.
     *
     * <p>The reply to a batch is {@link StoreReply.Each}, with one reply for each command. A command's reply in a batch
     * is like the reply to a {@link Write}, but may lack the waiter's mark, or the item of a refused write. If the
     * whole request fails, the reply is a single {@link StoreReply.Failed}, which applies to every command of the
     * batch. If the table denies batches, the kind of the failure is {@link StoreReply.FailureKind#BATCH_REJECTED}.
     */
    record Batch(List<LeaseCommand> commands) implements StoreRequest {

        /** The maximum number of commands, which is DynamoDB's limit for a batch. */
        public static final int MAX_COMMANDS = 25;

        public Batch {
            commands = onePerItem(commands, MAX_COMMANDS, "Batch");
            for (LeaseCommand command : commands) {
                if (!mayBeInBatch(command)) {
                    throw new IllegalArgumentException("Batch has "
                            + command.getClass().getSimpleName() + " of key " + Text.quote(command.key())
                            + ", expected renewals, or releases that keep their item");
                }
            }
        }

        private static boolean mayBeInBatch(LeaseCommand command) {
            return command instanceof RenewCommand
                    || (command instanceof ReleaseCommand release
                            && !(release.form() instanceof ReleaseCommand.Delete));
        }

        @Override
        public List<String> keys() {
            return keysOf(commands);
        }
    }

    /**
     * Reads one item with strong consistency. The reply to this request is {@link StoreReply.Found} or
     * {@link StoreReply.Failed}.
     */
    record Read(String key) implements StoreRequest {
        @Override
        public List<String> keys() {
            return List.of(key);
        }
    }

    /**
     * Reads several items with strong consistency, but not all at the same moment. The reply to this request is
     * {@link StoreReply.FoundEach}, or {@link StoreReply.Failed} if no item was read.
     *
     * @param keys from 1 to 100 different keys
     */
    record ReadEach(List<String> keys) implements StoreRequest {

        public ReadEach {
            keys = List.copyOf(keys);
        }
    }

    /**
     * Reads one page of the items that have a version, with strong consistency. For one page, the store examines at
     * most {@code limit} items of the table, in any order. The page contains the examined items whose key begins with
     * {@code prefix}. The reply to this request is {@link StoreReply.Listed} or {@link StoreReply.Failed}.
     *
     * @param after the key after which the page begins, even if no item has this key; {@code null} for the first page
     */
    record Scan(String prefix, int limit, @Nullable String after) implements StoreRequest {
        @Override
        public List<String> keys() {
            return List.of();
        }

        @Override
        public String toString() {
            return Text.record("Scan", "prefix, limit, after", prefix, limit, after);
        }
    }

    private static List<String> keysOf(List<LeaseCommand> commands) {
        return commands.stream().map(LeaseCommand::key).toList();
    }

    private static List<LeaseCommand> onePerItem(List<LeaseCommand> commands, int max, String request) {
        List<LeaseCommand> copy = List.copyOf(commands);
        if (copy.isEmpty() || copy.size() > max) {
            throw new IllegalArgumentException(
                    request + " has " + copy.size() + " commands, expected from 1 to " + max);
        }
        Set<String> keys = new HashSet<>();
        for (LeaseCommand command : copy) {
            if (!keys.add(command.key())) {
                throw new IllegalArgumentException(request + " has two commands for the item of key "
                        + Text.quote(command.key()) + ", expected one for each item");
            }
        }
        return copy;
    }
}
