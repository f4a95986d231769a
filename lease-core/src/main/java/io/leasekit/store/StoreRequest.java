package io.leasekit.store;

import io.leasekit.internal.Internal;
import io.leasekit.limits.Checks;
import io.leasekit.text.Text;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One request to a {@link LeaseStore}. Immutable, so thread-safe. */
@Internal
public sealed interface StoreRequest {

    /** Returns the keys of the items that the request names, in its order; empty for a scan. */
    List<String> keys();

    /**
     * Writes one item if the condition of the command holds. The reply is {@link StoreReply.Applied}, {@link StoreReply.Refused}
     * or {@link StoreReply.Failed}.
     *
     * @param command the conditional write
     */
    record Write(LeaseCommand command) implements StoreRequest {
        @Override
        public List<String> keys() {
            return List.of(command.key());
        }
    }

    /**
     * Writes several items together if the conditions of all commands hold, and none otherwise. The commands can be of different
     * kinds. The reply is that of a {@link Write}, with two exceptions: a refusal is a {@link StoreReply.GroupRefused}, and
     * {@link StoreReply.Applied} reports nothing of the items before. A conflict with a concurrent write is a failure of the kind
     * {@link StoreReply.FailureKind#CONFLICT}, not a refusal.
     *
     * @param commands one command for each item, in the order of the transaction
     */
    record Transaction(List<LeaseCommand> commands) implements StoreRequest {

        /** The maximum number of commands: DynamoDB's limit for a transaction. */
        public static final int MAX_COMMANDS = Checks.MAX_KEYS;

        /**
         * Copies the commands.
         *
         * @throws IllegalArgumentException if there is no command, if there are more than {@link #MAX_COMMANDS}, or if two have
         *     the same key. DynamoDB refuses such a transaction; compatible servers may accept it
         */
        public Transaction {
            commands = onePerItem(commands, MAX_COMMANDS, "Transaction");
        }

        @Override
        public List<String> keys() {
            return keysOf(commands);
        }
    }

    /**
     * Writes several items in one request, but each command is applied or refused separately, as if it had been sent
     * alone. The commands are renewals, or releases that keep their item: in a batch, DynamoDB deletes items only with
     * the permission {@code dynamodb:PartiQLDelete}, which the documented policy does not have.
     *
     * <p>The reply is {@link StoreReply.Each}, with the reply to each command as to a {@link Write}; a server may show neither the
     * mark of a waiter nor the item that refuses. A {@link StoreReply.Failed} is the reply to each command. If the table denies batches, its kind is
     * {@link StoreReply.FailureKind#BATCH_REJECTED}, and the engine sends each command by a {@link Write}. A store that
     * {@linkplain StoreInfo#hasBatches() has no batches} receives none.
     *
     * @param commands one command for each item, in the order in which they are sent and answered
     */
    record Batch(List<LeaseCommand> commands) implements StoreRequest {

        /** The maximum number of commands: DynamoDB's limit for a batch. */
        public static final int MAX_COMMANDS = 25;

        /**
         * Copies the commands.
         *
         * @throws IllegalArgumentException if there is no command, if there are more than {@link #MAX_COMMANDS}, if two have the
         *     same key, which DynamoDB refuses as a whole, or if one is neither a renewal nor a release that keeps its item
         */
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
     * Reads one item, strongly consistently. The reply is {@link StoreReply.Found} or {@link StoreReply.Failed}.
     *
     * @param key the key of the item
     */
    record Read(String key) implements StoreRequest {
        @Override
        public List<String> keys() {
            return List.of(key);
        }
    }

    /**
     * Reads several items. Each is read strongly consistently, but not all at the same moment. The reply is
     * {@link StoreReply.FoundEach}, or {@link StoreReply.Failed} if no item was read.
     *
     * @param keys from 1 to 100 different keys
     */
    record ReadEach(List<String> keys) implements StoreRequest {

        /** Copies the keys. */
        public ReadEach {
            keys = List.copyOf(keys);
        }
    }

    /**
     * Reads one page of a search for leases that are held or kept, strongly consistently. The store examines some items, in an
     * order of its own, and returns those that have a version and whose key begins with the prefix. The reply is
     * {@link StoreReply.Listed} or {@link StoreReply.Failed}.
     *
     * @param prefix the prefix of the keys; empty: any key
     * @param limit the maximum number of items to examine, at least 1
     * @param after the key after which the page begins, even if no item has it; {@code null}: the first page
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
