package io.leasekit.dynamodb;

import io.leasekit.limits.Checks;
import io.leasekit.store.AcquireCommand;
import io.leasekit.store.LeaseCommand;
import io.leasekit.store.LeaseStore;
import io.leasekit.store.ReleaseCommand;
import io.leasekit.store.StoreInfo;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreRequest;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.AwsRequestOverrideConfiguration;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.BatchExecuteStatementRequest;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.DeleteItemRequest;
import software.amazon.awssdk.services.dynamodb.model.GetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.ReturnConsumedCapacity;
import software.amazon.awssdk.services.dynamodb.model.ReturnValue;
import software.amazon.awssdk.services.dynamodb.model.ScanRequest;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItemsRequest;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemRequest;

/**
 * Keeps leases in a DynamoDB table, one item per key. {@link LeaseTable} creates and checks such a table. This is the
 * normative description of the items:
 *
 * <table>
 * <caption>An item</caption>
 * <tr><th>attribute</th><th>type</th><th>role</th></tr>
 * <tr><td>{@code key}</td><td>S</td><td>partition key; the table has no sort key</td></tr>
 * <tr><td>{@code lease_version}</td><td>S</td><td>new with each acquire and renewal; present while the lease is held or
 *     kept, absent after a release. Renewals and releases are conditional on it: a {@code BETWEEN} covers the versions
 *     of one tenure. {@link io.leasekit.store.AcquireCommand} has the condition of an acquire</td></tr>
 * <tr><td>{@code lease_expiry}</td><td>N</td><td>epoch seconds; the end of the lease, after which another owner may
 *     take it. After a release, the time from which item TTL may remove the item</td></tr>
 * <tr><td>{@code lease_ends}, {@code lease_ends_token}</td><td>N, N</td><td>epoch ms; the end of a lease whose item has
 *     records to keep, a run or progress. In such an item, {@code lease_expiry} is later by the retention, and only
 *     clients that do not know records use it. The end is valid only if {@code lease_ends_token} equals
 *     {@code fencing_token}, because such clients leave both attributes unchanged</td></tr>
 * <tr><td>{@code lease_duration}</td><td>N</td><td>ms; the present ttl. A holder counts as dead once an observer has
 *     seen its version unchanged for this time</td></tr>
 * <tr><td>{@code fencing_token}</td><td>N</td><td>grows with each acquire and survives a release. The token of an
 *     acquire must be larger</td></tr>
 * <tr><td>{@code owner}</td><td>S</td><td>for people; after a release, the last owner</td></tr>
 * <tr><td>{@code app}, {@code app_token}</td><td>S, N</td><td>for people: the owner's application, and the fencing
 *     token of the acquire that wrote it. Clients without an application leave both unchanged, so if {@code app_token}
 *     differs from {@code fencing_token}, the present owner's application is unknown</td></tr>
 * <tr><td>{@code acquired_at}, {@code released_at}</td><td>N</td><td>epoch ms, for people; an acquire removes
 *     {@code released_at}</td></tr>
 * <tr><td>{@code waiting_since}</td><td>N</td><td>epoch ms; the mark of a waiter in another process, which limits
 *     hand-overs within the holder's process. Removed by a release, and by an acquire that is not a hand-over</td></tr>
 * <tr><td>{@code permits}</td><td>N</td><td>only for permits: the number of permits in the request of the last
 *     acquire</td></tr>
 * <tr><td>{@code last_run}</td><td>S</td><td>the name of the last run that is done; written by a release, kept by all
 *     other writes. The name in an acquire for a run must be larger, byte by byte. If an operator allows the run again,
 *     the attribute becomes a text just below the run's name, with U+10FFFF at its end</td></tr>
 * <tr><td>{@code last_run_owner}, {@code last_run_at}, {@code last_run_outcome}, {@code last_run_duration}</td><td>S,
 *     N, S, N</td><td>for people: owner, start (epoch ms), outcome and duration (ms) of the last run</td></tr>
 * <tr><td>{@code progress}, {@code progress_run}, {@code progress_at}</td><td>B, S, N</td><td>the latest data that the
 *     work of a run has saved, the name of the run if it has a name, and, for people, the time (epoch ms). Written by
 *     renewals, by releases and by users' transactions; removed by the release after a success</td></tr>
 * <tr><td>{@code run}, {@code run_token}</td><td>S, N</td><td>for people: the name of the run for which the lease was
 *     acquired, and the fencing token of that acquire. An acquire without a run leaves both unchanged</td></tr>
 * <tr><td>{@code run_history}</td><td>S</td><td>for people: the last runs, one line for each, the latest in the last
 *     line. Written by the release that reports how the work ended</td></tr>
 * <tr><td>{@code lease_pauses}</td><td>S</td><td>the pauses; only in the item {@code #pauses}, which is no
 *     lease</td></tr>
 * </table>
 *
 * <p>The store leaves attributes with other names unchanged. The Rust crate {@code dynamodb-lease} uses the first three
 * attributes in the same way, so its clients can share the table. An item is no lease, and reading it fails, if its
 * version, token, last run, progress or pauses have another type, or if its version is longer than 256 characters.
 * {@link ItemLimits} has the limits of other texts.
 *
 * <p>Requests:
 *
 * <ul>
 *   <li>A write is one conditional {@code UpdateItem} or {@code DeleteItem}. If DynamoDB refuses it, the reply has the
 *       item.
 *   <li>A write of several keys is one {@code TransactWriteItems}. The transaction needs the permissions of the single
 *       writes.
 *   <li>Renewals that are due at the same time, and releases that wait in the queue, are sent as one
 *       {@code BatchExecuteStatement}. DynamoDB applies or refuses each of them individually. Without the permission
 *       {@code dynamodb:PartiQLUpdate}, each is an {@code UpdateItem}. A release that deletes the item is always a
 *       {@code DeleteItem}.
 *   <li>A read is a consistent {@code GetItem}, a read of several items a {@code BatchGetItem}, and a list a consistent
 *       {@code Scan}.
 * </ul>
 *
 * <p>Permissions: {@code dynamodb:GetItem} and {@code dynamodb:UpdateItem}. In addition,
 * {@link io.leasekit.ReleaseMode#DELETE} needs {@code dynamodb:DeleteItem}, {@link io.leasekit.Lease#conditionCheck()}
 * needs {@code dynamodb:ConditionCheckItem}, permits need {@code dynamodb:BatchGetItem}, and lists of leases need
 * {@code dynamodb:Scan}. Without {@code dynamodb:PartiQLUpdate}, renewals and releases are sent one by one.
 *
 * <p>The store guarantees nothing on a global table with eventually consistent replicas, or behind a cache (DAX).
 * {@link CheckedStore} refuses such a global table.
 *
 * <p>Retries: give the store a client that does not retry ({@code overrideConfiguration(c ->
 * c.retryStrategy(AwsRetryStrategy.doNotRetry()))}), because the engine retries each write with a new version. A client
 * that retries is safe, too, but the store logs a warning, because the client's retries can delay a renewal. Also, a
 * success does not show how many copies of the request the client sent. Therefore all successes of such a client count
 * as {@link StoreReply#resent() resent}, and no release deletes an item.
 *
 * <p>The store does not close the client. Close the client after the manager. Thread-safe.
 */
public final class DynamoDbLeaseStore implements LeaseStore {

    private static final Duration MIN_TIMEOUT = Duration.ofMillis(1);

    private final DynamoDbAsyncClient client;
    private final String table;
    private final Calls calls;
    private final Writes writes;
    private final StoreInfo info;

    private DynamoDbLeaseStore(DynamoDbAsyncClient client, String table) {
        this.client = client;
        this.table = table;
        this.calls = new Calls(client);
        this.writes = new Writes(table);
        this.info = new StoreInfo("'" + table + "'").withConditionChecks(writes);
    }

    /**
     * Returns a store of the leases in this table. Sends nothing.
     *
     * @throws IllegalArgumentException if the table's name is blank or an ARN
     */
    public static DynamoDbLeaseStore create(DynamoDbAsyncClient client, String table) {
        return builder().client(client).table(table).build();
    }

    /** Returns a builder of a store. The client is required. */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds a {@link DynamoDbLeaseStore}. Not thread-safe. */
    public static final class Builder {

        private @Nullable DynamoDbAsyncClient client;
        private String table = "leases";

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

        /**
         * Builds the store. Sends nothing.
         *
         * @throws IllegalArgumentException if the client is not set, or the table's name is blank or an ARN
         */
        public DynamoDbLeaseStore build() {
            if (client == null) {
                throw new IllegalArgumentException("Client is not set, expected a DynamoDbAsyncClient");
            }
            Checks.table(table);
            PlainHttp.warnIfExposed(client);
            Calls.warnIfRetrying(client, table);
            return new DynamoDbLeaseStore(client, table);
        }
    }

    @Override
    public CompletionStage<StoreReply> send(StoreRequest request, Duration timeout) {
        if (request instanceof StoreRequest.Write write) {
            return write(write.command(), timeout);
        }
        if (request instanceof StoreRequest.Transaction transaction) {
            return transact(transaction, timeout);
        }
        if (request instanceof StoreRequest.Batch batch) {
            return batch(batch, timeout);
        }
        if (request instanceof StoreRequest.Read read) {
            return read(read.key(), timeout);
        }
        return request instanceof StoreRequest.ReadEach reads
                ? readEach(reads.keys(), timeout)
                : scan((StoreRequest.Scan) request, timeout);
    }

    private CompletionStage<StoreReply> write(LeaseCommand command, Duration timeout) {
        Write write = writes.of(command);
        return write.isDelete() ? delete(write, timeout) : update(write, command, timeout);
    }

    private CompletionStage<StoreReply> delete(Write write, Duration timeout) {
        DeleteItemRequest request = write.deleteRequest()
                .returnConsumedCapacity(ReturnConsumedCapacity.TOTAL)
                .overrideConfiguration(within(timeout))
                .build();
        return calls.send(
                () -> client.deleteItem(request),
                ItemReplies::applied,
                (error, resent) -> ItemReplies.ofFailure(write.key(), error, resent));
    }

    private CompletionStage<StoreReply> update(Write write, LeaseCommand command, Duration timeout) {
        boolean isAcquire = command instanceof AcquireCommand;
        UpdateItemRequest request = write.updateRequest()
                .returnValues(returned(command))
                .returnConsumedCapacity(ReturnConsumedCapacity.TOTAL)
                .overrideConfiguration(within(timeout))
                .build();
        return calls.send(
                () -> client.updateItem(request),
                (reply, resent) -> ItemReplies.applied(reply, isAcquire, resent),
                (error, resent) -> ItemReplies.ofFailure(write.key(), error, resent));
    }

    /** Replies to acquires and releases contain a waiter's mark. Returning attributes consumes no capacity. */
    private static @Nullable ReturnValue returned(LeaseCommand command) {
        if (command instanceof AcquireCommand) {
            return ReturnValue.ALL_OLD;
        }
        return command instanceof ReleaseCommand ? ReturnValue.UPDATED_OLD : null;
    }

    /**
     * Each attempt has its own request token. For ten minutes, DynamoDB answers a copy of a request with the outcome of
     * the first copy and writes nothing. The next attempt has a new version; DynamoDB would reject it if it had the
     * same token.
     */
    private CompletionStage<StoreReply> transact(StoreRequest.Transaction transaction, Duration timeout) {
        TransactWriteItemsRequest request = TransactWriteItemsRequest.builder()
                .transactItems(transaction.commands().stream()
                        .map(command -> writes.of(command).inTransaction())
                        .toList())
                .returnConsumedCapacity(ReturnConsumedCapacity.TOTAL)
                .clientRequestToken(UUID.randomUUID().toString())
                .overrideConfiguration(within(timeout))
                .build();
        return calls.send(
                () -> client.transactWriteItems(request),
                GroupReplies::applied,
                (error, resent) -> GroupReplies.ofFailure(transaction.keys(), error, resent));
    }

    private CompletionStage<StoreReply> batch(StoreRequest.Batch batch, Duration timeout) {
        BatchExecuteStatementRequest request = BatchExecuteStatementRequest.builder()
                .statements(batch.commands().stream().map(writes::statement).toList())
                .returnConsumedCapacity(ReturnConsumedCapacity.TOTAL)
                .overrideConfiguration(within(timeout))
                .build();
        return calls.send(
                () -> client.batchExecuteStatement(request),
                (reply, resent) -> BatchReplies.of(batch.keys(), reply, resent),
                BatchReplies::ofFailure);
    }

    private CompletionStage<StoreReply> read(String key, Duration timeout) {
        GetItemRequest request = ItemReads.of(table, key)
                .returnConsumedCapacity(ReturnConsumedCapacity.TOTAL)
                .overrideConfiguration(within(timeout))
                .build();
        return calls.send(
                () -> client.getItem(request), (reply, resent) -> ItemReplies.found(key, reply), Failures::failed);
    }

    private CompletionStage<StoreReply> readEach(List<String> keys, Duration timeout) {
        BatchGetItemRequest request = ItemReads.of(table, keys)
                .returnConsumedCapacity(ReturnConsumedCapacity.TOTAL)
                .overrideConfiguration(within(timeout))
                .build();
        return calls.send(
                () -> client.batchGetItem(request), (reply, resent) -> ItemReads.found(keys, reply), Failures::failed);
    }

    private CompletionStage<StoreReply> scan(StoreRequest.Scan scan, Duration timeout) {
        ScanRequest request = Scans.scan(table, scan)
                .returnConsumedCapacity(ReturnConsumedCapacity.TOTAL)
                .overrideConfiguration(within(timeout))
                .build();
        return calls.send(() -> client.scan(request), (reply, resent) -> Scans.listed(reply), Failures::failed);
    }

    @Override
    public StoreInfo info() {
        return info;
    }

    /** Limits the duration of the whole call. The settings of the client decide how its attempts share this time. */
    private static AwsRequestOverrideConfiguration within(Duration timeout) {
        Duration atLeast =
                timeout.compareTo(MIN_TIMEOUT) < 0 ? MIN_TIMEOUT : timeout; // for the SDK, 0 ms is no timeout
        return AwsRequestOverrideConfiguration.builder().apiCallTimeout(atLeast).build();
    }
}
