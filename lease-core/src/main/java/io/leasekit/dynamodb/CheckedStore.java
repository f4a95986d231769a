package io.leasekit.dynamodb;

import io.leasekit.LeaseInterruptedException;
import io.leasekit.LeaseStoreException;
import io.leasekit.limits.Checks;
import io.leasekit.store.AcquireCommand;
import io.leasekit.store.ItemProgress;
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
 * A {@link DynamoDbLeaseStore} that grants no lease before its table has been checked.
 *
 * <p>The first check runs when the store is opened. If DynamoDB cannot be reached at that time, the check and the
 * creation of the table are repeated in the background: after delays of up to 30 s, or soon if a caller
 * wants a lease. Until then acquires fail as not applied, so they are retried for as long as their wait and the store
 * timeout allow. If the table is refused in the background, acquires, renewals and reads fail with that
 * error, and the manager's status shows it. The table is checked again, after delays of up to 30 s, so no restart is needed after
 * it was corrected.
 *
 * <p>On a global table with multi-Region strong consistency, writes of several keys and condition checks are refused, because
 * such a table has no transactions.
 *
 * <p>The store does not close the client. Close the store after the manager and before the client; that ends the check in the
 * background. Thread-safe.
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
     * @throws LeaseTableException if the table is absent or cannot hold leases, a permission is missing, or DynamoDB does not accept
     *     the credentials
     * @throws LeaseInterruptedException if the thread is interrupted while it waits
     * @throws IllegalArgumentException if the table's name is blank or an ARN
     */
    public static CheckedStore open(DynamoDbAsyncClient client, String table) {
        return builder().client(client).table(table).open();
    }

    /**
     * Opens a store of a table that is created if it does not exist ({@link LeaseTable#createIfMissing}). Blocks until the table
     * is active, for about a minute at most.
     *
     * @throws LeaseTableException if the table cannot hold leases, a permission is missing, or DynamoDB does not accept
     *     the credentials
     * @throws LeaseInterruptedException if the thread is interrupted while it waits
     * @throws IllegalArgumentException if the table's name is blank or an ARN
     */
    public static CheckedStore openOrCreate(DynamoDbAsyncClient client, String table) {
        return builder().client(client).table(table).createIfMissing(true).open();
    }

    /** Returns a builder of a store. The client must be set. */
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

        /** Sets whether the table is created if it does not exist; by default not. */
        public Builder createIfMissing(boolean value) {
            create = value;
            return this;
        }

        /**
         * Sets the effect of a missing permission for leases; by default {@link PermissionCheck#FAIL}. The check writes
         * nothing. A missing {@code dynamodb:PartiQLUpdate}, which leases can do without, is logged as a warning.
         */
        public Builder permissions(PermissionCheck value) {
            permissions = value;
            return this;
        }

        /**
         * Sets the text with which the keys of all leases of the application begin; by default none. The check of permissions
         * uses a key with this prefix, which matters for a policy with {@code dynamodb:LeadingKeys}. The keys of requests do not
         * change.
         */
        public Builder keyPrefix(String value) {
            keyPrefix = value;
            return this;
        }

        /** Sets whether releases delete items, so that the check includes this permission; by default not. */
        public Builder deletesItems(boolean value) {
            deletes = value;
            return this;
        }

        /**
         * Opens the store. Blocks for one check, for 15 s at most; longer if it may create the table.
         *
         * @throws LeaseTableException if the table is absent or cannot hold leases, a permission is missing, or DynamoDB does not accept
         *     the credentials
         * @throws LeaseInterruptedException if the thread is interrupted while it waits
         * @throws IllegalArgumentException if there is no client, or the table's name is blank or an ARN
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
     * Returns the failure of a write that must not be sent; {@code null} if it may be sent. A lease granted in two
     * regions is worse than no lease, so no acquire is sent to an unchecked table. Releases are always sent.
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

    /** A read is often the first request of an acquire: it shows DynamoDB's time. */
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

    /** Until the check has succeeded, an absent table may still be created, so a retry helps. */
    private CompletionStage<StoreReply> expectingTheTable(CompletionStage<StoreReply> reply) {
        return check.state() instanceof TableCheck.Unknown ? reply.thenApply(CheckedStore::retriedIfAbsent) : reply;
    }

    private static StoreReply retriedIfAbsent(StoreReply reply) {
        return reply instanceof StoreReply.Failed failed && failed.cause() instanceof ResourceNotFoundException
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

    /** Returns the information on the table. A condition check is refused if the table has no transactions. */
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
        public TransactWriteItem progress(String key, long token, String tenure, ItemProgress progress) {
            ensureTransactions("a write of progress in a transaction");
            return checks.progress(key, token, tenure, progress);
        }

        private void ensureTransactions(String what) {
            if (!hasTransactions()) {
                throw new UnsupportedOperationException(needs(what));
            }
        }
    }

    /** Ends the check in the background. The store can still be used. */
    @Override
    public void close() {
        check.close();
    }
}
