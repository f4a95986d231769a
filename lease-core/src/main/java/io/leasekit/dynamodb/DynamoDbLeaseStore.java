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
 * Keeps leases in a DynamoDB table, one item per key. {@link LeaseTable} creates and checks a table for this store. The
 * table in this Javadoc is the normative description of an item.
 *
 * <table>
 * <caption>An item</caption>
 * <tr><th>attribute</th><th>type</th><th>role</th></tr>
 * <tr><td>{@code key}</td> <td>S</td> <td>partition key; the table has no sort key.</td></tr>
 * <tr><td>{@code lease_version}</td> <td>S</td> <td>a text that each acquire and renewal changes. {@code lease_version}
 * is present only while the lease is held, or while {@code holdAtLeast} or {@code cooldown} keeps other owners from the
 * key. A renewal or release is applied only if the item's version belongs to the same acquire call (a {@code BETWEEN}
 * condition). {@link io.leasekit.store.AcquireCommand} describes the condition of an acquire.</td></tr>
 * <tr><td>{@code lease_expiry}</td> <td>N</td> <td>epoch seconds; the end of the lease, after which another owner may
 * acquire the lease. After a release, {@code lease_expiry} is the time after which item TTL may remove the
 * item.</td></tr>
 * <tr><td>{@code lease_ends}, {@code lease_ends_token}</td> <td>N, N</td> <td>epoch ms; the end of a lease whose item
 * also stores a run or progress. In an item with a run or progress, {@code lease_expiry} is later than the end of the
 * lease, so that item TTL keeps the item. Clients that do not know {@code lease_ends} use {@code lease_expiry} as the
 * end. {@code lease_ends} is valid only if {@code lease_ends_token} equals {@code fencing_token}. An acquire of a
 * client that does not know runs leaves {@code lease_ends} and {@code lease_ends_token} unchanged.</td></tr>
 * <tr><td>{@code lease_duration}</td> <td>N</td> <td>ms; the ttl that the last acquire or renewal wrote. A holder
 * counts as dead once another process has seen {@code lease_version} unchanged for the time in
 * {@code lease_duration}.</td></tr>
 * <tr><td>{@code fencing_token}</td> <td>N</td> <td>the fencing token, which grows with each acquire and stays in the
 * item after a release. An acquire is applied only if its token is larger than the token in the item.</td></tr>
 * <tr><td>{@code owner}</td> <td>S</td> <td>for display: the owner of the lease; after a release, the last
 * owner.</td></tr>
 * <tr><td>{@code app}, {@code app_token}</td> <td>S, N</td> <td>for display: the owner's application, and the fencing
 * token of the acquire that wrote {@code app}. An acquire of a client without an application leaves {@code app} and
 * {@code app_token} unchanged. If {@code app_token} differs from {@code fencing_token}, the present owner's application
 * is unknown.</td></tr>
 * <tr><td>{@code acquired_at}, {@code released_at}</td> <td>N</td> <td>epoch ms, for display: the times of the last
 * acquire and of the last release. An acquire removes {@code released_at}.</td></tr>
 * <tr><td>{@code waiting_since}</td> <td>N</td> <td>epoch ms; the time at which a waiter in another process wrote this
 * attribute to ask for the lease. While {@code waiting_since} is present, the holder's process grants the lease to only
 * a few more of its own callers, then releases the lease. A release removes {@code waiting_since}. An acquire removes
 * {@code waiting_since}, except in a hand-over between callers of the same process.</td></tr>
 * <tr><td>{@code permits}</td> <td>N</td> <td>only for permits: the number of permits in the request of the last
 * acquire.</td></tr>
 * <tr><td>{@code last_run}</td> <td>S</td> <td>the name of the last completed run, which a release writes. An acquire
 * for a run is applied only if the name of the requested run is larger than {@code last_run}, compared byte by byte.
 * {@code runAgain} replaces {@code last_run} by a text that sorts just before the name of the run and ends with
 * U+10FFFF.</td></tr>
 * <tr><td>{@code last_run_owner}, {@code last_run_at}, {@code last_run_outcome}, {@code last_run_duration}</td> <td>S,
 * N, S, N</td> <td>for display: the owner, the start (epoch ms), the outcome and the duration (ms) of the last
 * run.</td></tr>
 * <tr><td>{@code progress}, {@code progress_run}, {@code progress_at}</td> <td>B, S, N</td> <td>the last saved data,
 * the name of the run that saved the data (if any), and the time of the write (epoch ms, for display). Renewals,
 * releases and users' transactions write the progress. A release after successful work removes the progress.</td></tr>
 * <tr><td>{@code run}, {@code run_token}</td> <td>S, N</td> <td>for display: the name of the run for which the lease
 * was acquired, and the fencing token of the acquire. An acquire without a run leaves {@code run} and {@code run_token}
 * unchanged.</td></tr>
 * <tr><td>{@code run_history}</td> <td>S</td> <td>for display: the last runs, one line each, the latest run last. A
 * release that reports the outcome of the work writes the history.</td></tr>
 * <tr><td>{@code lease_pauses}</td> <td>S</td> <td>the pauses of the table; present only in the item {@code #pauses},
 * which is not a lease.</td></tr>
 * </table>
 *
 * <p>The store does not change attributes that this Javadoc does not list. The Rust crate {@code dynamodb-lease} uses
 * {@code key}, {@code lease_version} and {@code lease_expiry} in the same way as this store, so clients of the crate
 * can share the table. Reading an item fails if its version, token, last run or progress has a wrong type. Reading an
 * item fails if its version is longer than 256 characters. {@link ItemLimits} contains the maximum lengths of texts.
 *
 * <p>Requests:
 *
 * <ul>
 *   <li>A write of one item is a conditional {@code UpdateItem} or {@code DeleteItem}. If the condition of a write does
 *       not hold, DynamoDB's reply contains the item.
 *   <li>A write of several keys is one {@code TransactWriteItems}. A transaction needs the same permissions as writes
 *       of single items.
 *   <li>Renewals that are due at the same time, and releases that wait to be sent, are sent as one
 *       {@code BatchExecuteStatement}. DynamoDB applies or refuses each write in a batch individually. Without the
 *       permission {@code dynamodb:PartiQLUpdate}, each renewal and release is sent as an {@code UpdateItem}. A release
 *       that deletes the item is always a {@code DeleteItem}.
 *   <li>A read of one item is a {@code GetItem}, a read of several items is a {@code BatchGetItem}, and a list is a
 *       {@code Scan}. All reads and lists are strongly consistent.
 * </ul>
 *
 * <p>Leases need the permissions {@code dynamodb:GetItem} and {@code dynamodb:UpdateItem}.
 * {@link io.leasekit.ReleaseMode#DELETE} needs {@code dynamodb:DeleteItem}. {@link io.leasekit.Lease#conditionCheck()}
 * needs {@code dynamodb:ConditionCheckItem}. Permits need {@code dynamodb:BatchGetItem}. Lists of leases need
 * {@code dynamodb:Scan}. Batches need {@code dynamodb:PartiQLUpdate}.
 *
 * <p>On a global table with eventually consistent replicas, or behind a cache (DAX), the store guarantees nothing.
 * {@link CheckedStore} refuses a table with eventually consistent replicas.
 *
 * <p>Give the store a client that does not retry ({@code overrideConfiguration(c ->
 * c.retryStrategy(AwsRetryStrategy.doNotRetry()))}), because the engine itself retries each write with a new version. A
 * client that retries is safe, but its retries can delay a renewal, so the store logs a warning. With a client that
 * retries, the store reports that each request may have been sent several times ({@link StoreReply#resent()}). With a
 * client that retries, no release deletes an item.
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
     * Returns a store of the leases in this table. Sends no request.
     *
     * @throws IllegalArgumentException if the table's name is blank or an ARN
     */
    public static DynamoDbLeaseStore create(DynamoDbAsyncClient client, String table) {
        return builder().client(client).table(table).build();
    }

    /** Returns a builder of a store. The builder requires a client. */
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
         * Builds the store. Sends no request.
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

    /** Returning attributes consumes no capacity. */
    private static @Nullable ReturnValue returned(LeaseCommand command) {
        if (command instanceof AcquireCommand) {
            return ReturnValue.ALL_OLD;
        }
        return command instanceof ReleaseCommand ? ReturnValue.UPDATED_OLD : null;
    }

    /**
     * Each attempt gets a new client request token, because DynamoDB rejects a known token with a different request. If
     * the SDK repeats a request within ten minutes, DynamoDB answers with the outcome of the first attempt.
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

    /** Limits the duration of one call of the SDK, including all its retries. */
    private static AwsRequestOverrideConfiguration within(Duration timeout) {
        Duration atLeast =
                timeout.compareTo(MIN_TIMEOUT) < 0 ? MIN_TIMEOUT : timeout; // the SDK treats 0 ms as no timeout
        return AwsRequestOverrideConfiguration.builder().apiCallTimeout(atLeast).build();
    }
}
