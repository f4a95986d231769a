package io.leasekit.dynamodb;

import io.leasekit.LeaseStoreException;
import io.leasekit.store.AcquireCommand;
import io.leasekit.store.CommandGroup;
import io.leasekit.store.LeaseCommand;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.LeaseScan;
import io.leasekit.store.LeaseStore;
import io.leasekit.store.ReleaseCommand;
import io.leasekit.store.RenewBatch;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreReply.FailureKind;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.AwsRequestOverrideConfiguration;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BatchExecuteStatementRequest;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbResponse;
import software.amazon.awssdk.services.dynamodb.model.GetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.GetItemResponse;
import software.amazon.awssdk.services.dynamodb.model.ReturnConsumedCapacity;
import software.amazon.awssdk.services.dynamodb.model.ReturnValue;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItemsRequest;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemRequest;

/**
 * Keeps leases in a DynamoDB table, one item per key. {@link LeaseTable} makes such a table and checks one.
 *
 * <table>
 * <caption>An item</caption>
 * <tr><th>attribute</th><th>type</th><th>role</th></tr>
 * <tr><td>{@code key}</td><td>S</td><td>partition key; the table has no sort key</td></tr>
 * <tr><td>{@code lease_version}</td><td>S</td><td>new with every acquire and renewal; present while the lease is held or kept,
 *     absent once it was released. Decides, with a {@code BETWEEN} over the versions of one tenure</td></tr>
 * <tr><td>{@code lease_expiry}</td><td>N</td><td>epoch seconds. The end of the lease: decides for others. After a release, when
 *     item TTL may remove the item</td></tr>
 * <tr><td>{@code lease_duration}</td><td>N</td><td>ms; how long an observer must see one version before its holder counts as
 *     dead</td></tr>
 * <tr><td>{@code fencing_token}</td><td>N</td><td>grows with each acquire, survives a release. Decides: an acquire must
 *     exceed it</td></tr>
 * <tr><td>{@code owner}</td><td>S</td><td>for people; after a release, the last owner</td></tr>
 * <tr><td>{@code acquired_at}, {@code released_at}</td><td>N</td><td>epoch ms, for people; an acquire removes the
 *     latter</td></tr>
 * <tr><td>{@code waiting_since}</td><td>N</td><td>epoch ms; written by a waiter of another process, so that hand-overs within the
 *     holder's end soon. A release and an acquire by another remove it</td></tr>
 * <tr><td>{@code last_run}</td><td>S</td><td>the name of the last run that is done; written by a release, kept by all other
 *     writes. Decides: an acquire for a run must exceed it, compared byte by byte</td></tr>
 * <tr><td>{@code last_run_owner}, {@code last_run_at}, {@code last_run_outcome}, {@code last_run_duration}</td><td>S, N, S,
 *     N</td><td>who ran last, when it began (epoch ms), how it ended and how long it took (ms); for people</td></tr>
 * </table>
 *
 * <p>Attributes of other names are left as they are. The first three are those of the Rust crate {@code dynamodb-lease}, whose
 * clients can share the table. An item whose version, token or last run is of another type is no lease: requests that meet it fail.
 *
 * <p>Each write is one conditional {@code UpdateItem} ({@code DeleteItem} to delete) that returns the item when it is refused,
 * or, of several keys at once, one {@code TransactWriteItems} of such parts, which is permitted by the permissions of its parts.
 * Renewals that fall due together are one {@code BatchExecuteStatement} of conditional updates, each applied or refused by
 * itself; without the permission {@code dynamodb:PartiQLUpdate} each is an {@code UpdateItem};
 * a read is a consistent {@code GetItem}, a list a consistent {@code Scan}. It needs the permissions {@code dynamodb:GetItem},
 * {@code dynamodb:UpdateItem} and {@code dynamodb:DeleteItem}, {@code dynamodb:ConditionCheckItem} where
 * {@link io.leasekit.Lease#conditionCheck()} is used, and {@code dynamodb:Scan} where leases are listed. Nothing is guaranteed
 * on a global table with eventually consistent replicas, nor behind a cache (DAX).
 *
 * <p>Retries: best a client without any of the SDK's own
 * ({@code overrideConfiguration(c -> c.retryStrategy(AwsRetryStrategy.doNotRetry()))}), because the engine retries each write
 * with a version of its own. A client that retries is safe too, but cannot tell after a success how many copies it sent: all of
 * its successes count as {@link StoreReply#resent() resent}, and an item is never deleted by a release.
 *
 * <p>The client stays its maker's to close, after the manager. Thread-safe.
 */
public final class DynamoDbLeaseStore implements LeaseStore {

    private static final Duration MIN_TIMEOUT = Duration.ofMillis(1);

    private final DynamoDbAsyncClient client;
    private final String table;
    private final Writes writes;
    private final boolean retrying;
    private final @Nullable ReturnConsumedCapacity capacity;

    private DynamoDbLeaseStore(DynamoDbAsyncClient client, String table, @Nullable ReturnConsumedCapacity capacity) {
        this.client = client;
        this.table = table;
        this.capacity = capacity;
        this.writes = new Writes(table);
        this.retrying = isRetrying(client);
    }

    /**
     * Returns a store of the leases in this table. Sends nothing.
     *
     * @throws IllegalArgumentException if the table's name is blank
     */
    public static DynamoDbLeaseStore create(DynamoDbAsyncClient client, String table) {
        return builder().client(client).table(table).build();
    }

    /** Returns a builder of a store; the client must be set. */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds a {@link DynamoDbLeaseStore}. Not thread-safe. */
    public static final class Builder {

        private @Nullable DynamoDbAsyncClient client;
        private String table = "leases";

        private Builder() {}

        /** Sets the client, best one without retries of its own. */
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
         * @throws IllegalArgumentException if there is no client, or the table's name is blank
         */
        public DynamoDbLeaseStore build() {
            if (client == null) {
                throw new IllegalArgumentException("Client is not set, expected a DynamoDbAsyncClient");
            }
            if (table.isBlank()) {
                throw new IllegalArgumentException("Table name is blank, expected the name of the table of leases");
            }
            PlainHttp.warnOf(client);
            return new DynamoDbLeaseStore(client, table, null);
        }
    }

    private static boolean isRetrying(DynamoDbAsyncClient client) {
        return client.serviceClientConfiguration()
                .overrideConfiguration()
                .retryStrategy()
                .map(strategy -> strategy.maxAttempts() > 1)
                .orElse(true);
    }

    @Override
    public CompletionStage<StoreReply> write(LeaseCommand command, Duration timeout) {
        Write write = writes.of(command);
        return write.isDelete() ? delete(write, timeout) : update(write, command, timeout);
    }

    private CompletionStage<StoreReply> delete(Write write, Duration timeout) {
        return send(
                write.key(),
                () -> client.deleteItem(write.deleteRequest()
                        .returnConsumedCapacity(capacity)
                        .overrideConfiguration(within(timeout))
                        .build()),
                reply -> applied(reply, Map.of(), false, Replies.units(reply.consumedCapacity())));
    }

    private CompletionStage<StoreReply> update(Write write, LeaseCommand command, Duration timeout) {
        UpdateItemRequest.Builder request =
                write.updateRequest().returnConsumedCapacity(capacity).overrideConfiguration(within(timeout));
        boolean isAcquire = command instanceof AcquireCommand;
        if (isAcquire) {
            request.returnValues(ReturnValue.ALL_OLD); // at no cost: tells whether somebody waits
        } else if (command instanceof ReleaseCommand) {
            request.returnValues(ReturnValue.UPDATED_OLD); // with the mark, which it removes
        }
        return send(
                write.key(),
                () -> client.updateItem(request.build()),
                reply -> applied(reply, reply.attributes(), isAcquire, Replies.units(reply.consumedCapacity())));
    }

    /**
     * The token is that of one attempt: DynamoDB answers a copy of the same request within ten minutes with the outcome of the
     * first and writes nothing, and with a token used twice it would take the next attempt, another version, for a mistake.
     */
    @Override
    public CompletionStage<StoreReply> writeAll(CommandGroup group, Duration timeout) {
        TransactWriteItemsRequest request = TransactWriteItemsRequest.builder()
                .transactItems(group.commands().stream()
                        .map(command -> writes.of(command).inTransaction())
                        .toList())
                .returnConsumedCapacity(capacity)
                .clientRequestToken(UUID.randomUUID().toString())
                .overrideConfiguration(within(timeout))
                .build();
        return send(
                () -> client.transactWriteItems(request),
                reply -> applied(reply, Map.of(), false, Replies.units(reply.consumedCapacity())),
                error -> failed(group.keys(), error));
    }

    @Override
    public List<CompletionStage<StoreReply>> renewEach(RenewBatch batch, Duration timeout) {
        BatchExecuteStatementRequest request = BatchExecuteStatementRequest.builder()
                .statements(batch.commands().stream().map(writes::statement).toList())
                .returnConsumedCapacity(capacity)
                .overrideConfiguration(within(timeout))
                .build();
        CompletionStage<List<StoreReply>> replies = sendAny(
                () -> client.batchExecuteStatement(request),
                reply -> BatchReplies.of(batch, reply, retrying),
                error -> BatchReplies.ofFailure(batch, error, isResent(error)));
        return IntStream.range(0, batch.size())
                .mapToObj(i -> replies.thenApply(all -> all.get(i)))
                .toList();
    }

    @Override
    public CompletionStage<StoreReply> read(String key, Duration timeout) {
        GetItemRequest.Builder request = GetItemRequest.builder()
                .tableName(table)
                .key(Writes.key(key))
                .consistentRead(true)
                .returnConsumedCapacity(capacity);
        return send(
                key,
                () -> client.getItem(
                        request.overrideConfiguration(within(timeout)).build()),
                reply -> found(key, reply));
    }

    @Override
    public CompletionStage<StoreReply> list(LeaseScan scan, Duration timeout) {
        return send(
                "",
                () -> client.scan(Scans.scan(table, scan)
                        .returnConsumedCapacity(capacity)
                        .overrideConfiguration(within(timeout))
                        .build()),
                Scans::listed);
    }

    @Override
    public ConditionCheck conditionCheck(String key, long token, String tenure) {
        return writes.check(key, token, tenure);
    }

    /** Returns a store of the same table that asks DynamoDB for the capacity which its requests consume. */
    @Override
    public DynamoDbLeaseStore reportingCapacity() {
        return new DynamoDbLeaseStore(client, table, ReturnConsumedCapacity.TOTAL);
    }

    @Override
    public String name() {
        return "'" + table + "'";
    }

    /** Only the whole call is bounded: how the time is shared between a client's own attempts stays its maker's choice. */
    private static AwsRequestOverrideConfiguration within(Duration timeout) {
        Duration atLeast = timeout.compareTo(MIN_TIMEOUT) < 0 ? MIN_TIMEOUT : timeout; // the SDK takes 0 ms for none
        return AwsRequestOverrideConfiguration.builder().apiCallTimeout(atLeast).build();
    }

    private <T extends DynamoDbResponse> CompletionStage<StoreReply> send(
            String key, Supplier<CompletableFuture<T>> call, Function<T, StoreReply> onSuccess) {
        return send(call, onSuccess, error -> failed(key, error));
    }

    private <T extends DynamoDbResponse> CompletionStage<StoreReply> send(
            Supplier<CompletableFuture<T>> call,
            Function<T, StoreReply> onSuccess,
            Function<Throwable, StoreReply> onFailure) {
        return sendAny(call, onSuccess, onFailure);
    }

    private static <T extends DynamoDbResponse, R> CompletionStage<R> sendAny(
            Supplier<CompletableFuture<T>> call, Function<T, R> onSuccess, Function<Throwable, R> onFailure) {
        CompletableFuture<T> sent = sendInterruptedOrNot(call);
        return sent.handle((reply, error) -> {
            try {
                return error == null ? succeeded(reply, onSuccess) : onFailure.apply(Failures.unwrap(error));
            } catch (RuntimeException e) {
                return onFailure.apply(e); // none of DynamoDB's, so unknown
            }
        });
    }

    /** The SDK would refuse to send for a thread that is interrupted, a release too, and would clear its interrupt. */
    private static <T> CompletableFuture<T> sendInterruptedOrNot(Supplier<CompletableFuture<T>> call) {
        boolean interrupted = Thread.interrupted();
        CompletableFuture<T> sent;
        try {
            sent = call.get();
        } catch (RuntimeException e) {
            sent = CompletableFuture.failedFuture(e);
        }
        if (interrupted || Failures.isInterrupt(sent)) {
            Thread.currentThread().interrupt();
        }
        return sent;
    }

    private static <T extends DynamoDbResponse, R> R succeeded(T reply, Function<T, R> onSuccess) {
        if (!Replies.isFromDynamoDb(reply.sdkHttpResponse())) {
            throw Replies.notFromDynamoDb();
        }
        return onSuccess.apply(reply);
    }

    private StoreReply applied(
            DynamoDbResponse reply, Map<String, AttributeValue> before, boolean tellsOfRun, @Nullable Double units) {
        return new StoreReply.Applied(
                ItemMapping.waitingSince(before),
                tellsOfRun && before.containsKey(Attributes.LAST_RUN),
                Replies.date(reply.sdkHttpResponse()),
                retrying,
                units);
    }

    private StoreReply found(String key, GetItemResponse reply) {
        Instant date = Replies.date(reply.sdkHttpResponse());
        Double units = Replies.units(reply.consumedCapacity());
        return withItem(key, reply.item(), date, false, item -> new StoreReply.Found(item, date, units));
    }

    private StoreReply failed(String key, Throwable error) {
        boolean resent = isResent(error);
        Instant date = Replies.date(error);
        return error instanceof ConditionalCheckFailedException refusal
                        && Replies.isFromDynamoDb(Replies.reply(refusal))
                ? withItem(key, refusal.item(), date, resent, item -> new StoreReply.Refused(item, date, resent))
                : new StoreReply.Failed(Failures.kind(error, resent), error, date, resent);
    }

    private StoreReply failed(List<String> keys, Throwable error) {
        boolean resent = isResent(error);
        return error instanceof TransactionCanceledException cancelled
                        && Replies.isFromDynamoDb(Replies.reply(cancelled))
                ? Cancellations.reply(keys, cancelled, resent)
                : new StoreReply.Failed(Failures.kind(error, resent), error, Replies.date(error), resent);
    }

    private StoreReply withItem(
            String key,
            Map<String, AttributeValue> attributes,
            @Nullable Instant date,
            boolean resent,
            Function<@Nullable LeaseItem, StoreReply> reply) {
        try {
            return reply.apply(ItemMapping.item(key, attributes));
        } catch (LeaseStoreException malformed) {
            return new StoreReply.Failed(FailureKind.REJECTED, malformed, date, resent);
        }
    }

    private boolean isResent(Throwable error) {
        Integer attempts = error instanceof SdkException known ? known.numAttempts() : null;
        return attempts == null ? retrying : attempts != 1;
    }
}
