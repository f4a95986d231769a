package io.leasekit.dynamodb;

import io.leasekit.LeaseInterruptedException;
import io.leasekit.LeaseStoreException;
import io.leasekit.limits.Checks;
import io.leasekit.store.AcquireCommand;
import io.leasekit.store.Edits;
import io.leasekit.store.LeaseCommand;
import io.leasekit.store.LeaseStore;
import io.leasekit.store.RenewCommand;
import io.leasekit.store.StoreInfo;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreReply.FailureKind;
import io.leasekit.store.StoreRequest;
import io.leasekit.text.Text;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;
import software.amazon.awssdk.services.dynamodb.model.ResourceNotFoundException;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/**
 * A {@link DynamoDbLeaseStore} that grants no lease before a check of its table has succeeded.
 *
 * <p>The first check runs when the store is opened. If DynamoDB cannot be reached, a background thread repeats the
 * check and the creation of the table, with delays of up to 30 s. An acquire shortens the delay before the next
 * background check. Until a check succeeds, acquires fail without being sent. The manager retries a failed acquire
 * until the store timeout and the caller's wait have passed. If a background check refuses the table, acquires,
 * renewals and reads fail with the check's error. The manager's status shows the check's error. The background checks
 * continue, so nobody needs to restart the application after correcting the table.
 *
 * <p>DynamoDB has no transactions on a global table with multi-Region strong consistency. For a table without
 * transactions, the store refuses writes of several keys and condition checks.
 *
 * <p>Close the store after the manager and before the client. Closing the store ends the background check and does not
 * close the client. Thread-safe.
 */
public final class CheckedStore implements LeaseStore, AutoCloseable {

    private final String table;
    private final LeaseStore store;
    private final TableCheck check;

    CheckedStore(String table, LeaseStore store, TableCheck check) {
        this.table = table;
        this.store = store;
        this.check = check;
    }

    /**
     * Opens a store of an existing table, with the default settings of {@link #builder}.
     *
     * @throws LeaseTableException if the table is absent or cannot hold leases, a permission is missing, or DynamoDB
     *     rejects the credentials
     * @throws LeaseInterruptedException if the thread is interrupted while it waits
     * @throws IllegalArgumentException if the table's name is blank or an ARN
     */
    public static CheckedStore open(DynamoDbAsyncClient client, String table) {
        return builder().client(client).table(table).open();
    }

    /**
     * Opens a store, and creates its table if the table does not exist ({@link LeaseTable#createIfMissing}). Blocks
     * until the table is active, for about a minute at most. Apart from the creation of the table, the settings are the
     * defaults of {@link #builder}.
     *
     * @throws LeaseTableException if the table cannot hold leases, a permission is missing, or DynamoDB rejects the
     *     credentials
     * @throws LeaseInterruptedException if the thread is interrupted while it waits
     * @throws IllegalArgumentException if the table's name is blank or an ARN
     */
    public static CheckedStore openOrCreate(DynamoDbAsyncClient client, String table) {
        return builder().client(client).table(table).createIfMissing(true).open();
    }

    /** Returns a builder of a store. The builder requires a client. */
    public static Builder builder() {
        return new Builder();
    }

    /** Opens a {@link CheckedStore}. Not thread-safe. */
    public static final class Builder {

        private @Nullable DynamoDbAsyncClient client;
        private String table = "leases";
        private boolean create;
        private PermissionCheck permissions = PermissionCheck.FAIL;
        private String keyPrefix = "";
        private boolean deletes;

        private Builder() {}

        /** Sets the client, preferably one that does not retry. */
        public Builder client(DynamoDbAsyncClient value) {
            client = value;
            return this;
        }

        /** Sets the table's name; by default {@code leases}. */
        public Builder table(String value) {
            table = value;
            return this;
        }

        /** Sets whether the table is created if it does not exist; by default {@code false}. */
        public Builder createIfMissing(boolean value) {
            create = value;
            return this;
        }

        /**
         * Sets the action if a permission that leases need is missing; by default {@link PermissionCheck#FAIL}. The
         * check of the permissions writes nothing. Leases work without {@code dynamodb:PartiQLUpdate}, so if only
         * {@code dynamodb:PartiQLUpdate} is missing, the check logs a warning.
         */
        public Builder permissions(PermissionCheck value) {
            permissions = value;
            return this;
        }

        /**
         * Sets the prefix that all lease keys of the application have; by default no prefix. Set the prefix if the IAM
         * policy allows only keys with this prefix ({@code dynamodb:LeadingKeys}). The check of the permissions uses a
         * key with the prefix. The store does not add the prefix to keys.
         */
        public Builder keyPrefix(String value) {
            keyPrefix = value;
            return this;
        }

        /**
         * Sets whether releases of the application delete items ({@link io.leasekit.ReleaseMode#DELETE}); by default
         * {@code false}. If {@code true}, the check of the permissions includes {@code dynamodb:DeleteItem}.
         */
        public Builder deletesItems(boolean value) {
            deletes = value;
            return this;
        }

        /**
         * Opens the store. Blocks during the first check, which takes at most 15 s, or longer if it creates the table.
         *
         * @throws LeaseTableException if the table is absent or cannot hold leases, a permission is missing, or
         *     DynamoDB rejects the credentials
         * @throws LeaseInterruptedException if the thread is interrupted while it waits
         * @throws IllegalArgumentException if the client is not set, or the table's name is blank or an ARN
         */
        public CheckedStore open() {
            DynamoDbAsyncClient used = client;
            if (used == null) {
                throw new IllegalArgumentException("Client is not set, expected a DynamoDbAsyncClient");
            }
            DynamoDbLeaseStore store = DynamoDbLeaseStore.create(used, table);
            TableCheck check = TableCheck.inBackground(table, check(used));
            check.begin();
            return new CheckedStore(table, store, check);
        }

        private Supplier<LeaseTableKind> check(DynamoDbAsyncClient used) {
            LeaseTable once = LeaseTable.once(used, table);
            TablePermissions proof = new TablePermissions(used, table, keyPrefix, deletes);
            PermissionCheck effect = permissions;
            boolean creates = create;
            return () -> {
                if (creates) {
                    once.createIfMissing();
                }
                LeaseTableKind kind = once.verify();
                proof.prove(effect);
                return kind;
            };
        }
    }

    /** Returns the kind of the table; {@code null} until a check has succeeded. */
    public @Nullable LeaseTableKind kind() {
        return check.state() instanceof TableCheck.Usable usable ? usable.kind() : null;
    }

    @Override
    public CompletionStage<StoreReply> send(StoreRequest request, Duration timeout) {
        StoreReply refusal = refusal(request);
        return refusal == null
                ? expectingTheTable(store.send(request, timeout))
                : CompletableFuture.completedFuture(refusal);
    }

    private @Nullable StoreReply refusal(StoreRequest request) {
        if (request instanceof StoreRequest.Write write) {
            return refusal(write.command());
        }
        if (request instanceof StoreRequest.Batch batch) {
            return refusal(batch.commands().get(0));
        }
        if (request instanceof StoreRequest.Transaction transaction) {
            StoreReply refusal = refusal(transaction.commands().get(0));
            return refusal == null && !hasTransactions()
                    ? failed(FailureKind.REJECTED, new LeaseStoreException(needs(what(transaction)), null))
                    : refusal;
        }
        return refusalOfRead();
    }

    /**
     * No acquire is sent before a check has succeeded: with eventually consistent replicas, two regions could grant the
     * same lease.
     */
    private @Nullable StoreReply refusal(LeaseCommand command) {
        TableCheck.State state = check.state();
        boolean acquires = command instanceof AcquireCommand;
        if (state instanceof TableCheck.Unknown unknown && acquires) {
            check.hurry();
            String text = "Table '" + table + "' has not been checked yet: " + unknown.why();
            return failed(FailureKind.NOT_APPLIED, new LeaseStoreException(text, unknown.cause()));
        }
        return state instanceof TableCheck.Refused refused && (acquires || command instanceof RenewCommand)
                ? failed(FailureKind.REJECTED, refused.problem())
                : null;
    }

    /**
     * Reads are sent even before a check has succeeded: an acquire often begins with a read, and the reply shows
     * DynamoDB's time.
     */
    private @Nullable StoreReply refusalOfRead() {
        TableCheck.State state = check.state();
        if (state instanceof TableCheck.Unknown) {
            check.hurry();
        }
        return state instanceof TableCheck.Refused refused ? failed(FailureKind.REJECTED, refused.problem()) : null;
    }

    private static StoreReply failed(FailureKind kind, Throwable cause) {
        return new StoreReply.Failed(kind, cause, null, false);
    }

    /** If the table does not exist yet, a retry may succeed, because the table might still be created. */
    private CompletionStage<StoreReply> expectingTheTable(CompletionStage<StoreReply> reply) {
        return check.state() instanceof TableCheck.Unknown ? reply.thenApply(CheckedStore::retriedIfAbsent) : reply;
    }

    private static StoreReply retriedIfAbsent(StoreReply reply) {
        return reply instanceof StoreReply.Failed failed
                        && FailureTexts.original(failed.cause()) instanceof ResourceNotFoundException
                ? new StoreReply.Failed(
                        failed.resent() ? FailureKind.UNKNOWN : FailureKind.NOT_APPLIED,
                        failed.cause(),
                        failed.date(),
                        failed.resent())
                : reply;
    }

    private boolean hasTransactions() {
        LeaseTableKind kind = kind();
        return kind == null || kind.hasTransactions();
    }

    private static String what(StoreRequest.Transaction transaction) {
        boolean isRun = transaction.keys().stream().anyMatch(Checks::isRunItem);
        return isRun ? "a run in any order (OnceOrder.ANY)" : "a lease of several keys";
    }

    private String needs(String what) {
        return "Table '" + table
                + "' is a global table with multi-Region strong consistency, which has no transactions, but " + what
                + " needs one";
    }

    /**
     * Returns information about the table. If DynamoDB has no transactions on the table, the condition checks throw an
     * {@link UnsupportedOperationException}.
     */
    @Override
    public StoreInfo info() {
        StoreInfo info = store.info();
        String problem = check.state() instanceof TableCheck.Refused refused ? Text.why(refused.problem()) : null;
        return new StoreInfo(
                info.name(), hasTransactions(), info.hasBatches(), problem, new UserWrites(info.conditionChecks()));
    }

    private final class UserWrites implements StoreInfo.ConditionChecks {
        private final StoreInfo.ConditionChecks checks;

        private UserWrites(StoreInfo.ConditionChecks checks) {
            this.checks = checks;
        }

        @Override
        public ConditionCheck of(String key, long token, String tenure) {
            ensureTransactions("a condition check");
            return checks.of(key, token, tenure);
        }

        @Override
        public TransactWriteItem edit(String key, long token, String tenure, Edits edits) {
            ensureTransactions("a write of progress in a transaction");
            return checks.edit(key, token, tenure, edits);
        }

        private void ensureTransactions(String what) {
            if (!hasTransactions()) {
                throw new UnsupportedOperationException(needs(what));
            }
        }
    }

    /** Ends the background check. After {@code close}, the store can still send requests. */
    @Override
    public void close() {
        check.close();
    }
}
