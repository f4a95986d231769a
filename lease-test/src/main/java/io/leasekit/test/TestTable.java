package io.leasekit.test;

import io.leasekit.LeaseStatus;
import io.leasekit.dynamodb.LeaseFencing;
import io.leasekit.limits.Checks;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.records.ItemProgress;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.StoreInfo.ConditionChecks;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreReply.FailureKind;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.CancellationReason;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;
import software.amazon.awssdk.services.dynamodb.model.Update;

/** The table that all nodes of a test share, with the faults that the test simulates. Thread-safe. */
final class TestTable {

    static final String NAME = "leases";

    /** Creates condition checks and progress updates for users' transactions, as the DynamoDB store does. */
    static final ConditionChecks PARTS = LeaseFencing.parts(NAME);

    /** The condition expression in all parts of transactions that {@link #PARTS} creates. */
    private static final String CONDITION =
            PARTS.of("any", 1, new UUID(0, 0).toString()).conditionExpression();

    final InMemoryLeaseStore items;

    volatile boolean down;

    /** The virtual time between each request and its reply. */
    volatile Duration latency = Duration.ZERO;

    final Set<String> unreachable = ConcurrentHashMap.newKeySet();

    /** The number of replies to the process under test that will be lost next. */
    final AtomicInteger repliesToLose = new AtomicInteger();

    private final VirtualTime time;

    TestTable(VirtualTime time) {
        this.time = time;
        this.items = new InMemoryLeaseStore(time.clock());
    }

    /** {@code own}: whether the process under test has sent the request. */
    CompletionStage<StoreReply> answer(
            Executor node, boolean own, List<String> keys, Supplier<CompletionStage<StoreReply>> request) {
        if (down || keys.stream().anyMatch(unreachable::contains)) {
            return later(
                    latency,
                    node,
                    () -> CompletableFuture.completedFuture(
                            failed(FailureKind.NOT_APPLIED, "The test has made the store fail")));
        }
        boolean lost = own && repliesToLose.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
        Duration half = latency.dividedBy(2);
        CompletionStage<StoreReply> applied = later(half, Runnable::run, request);
        return lost
                ? new CompletableFuture<>()
                : applied.thenCompose(reply -> later(half, node, () -> CompletableFuture.completedFuture(reply)));
    }

    /** Ends the outage and the latency, which would prevent the release of leases when the Spring context closes. */
    void recover() {
        down = false;
        latency = Duration.ZERO;
    }

    private CompletionStage<StoreReply> later(
            Duration delay, Executor node, Supplier<CompletionStage<StoreReply>> request) {
        if (delay.isZero()) {
            return request.get();
        }
        CompletableFuture<StoreReply> reply = new CompletableFuture<>();
        time.schedule(delay.toNanos(), node, () -> request.get().thenAccept(reply::complete));
        return reply;
    }

    static StoreReply failed(FailureKind kind, String why) {
        return new StoreReply.Failed(kind, new IllegalStateException(why), null, false);
    }

    static String item(LeaseStatus lease) {
        return lease.permits() == 0 ? lease.key() : lease.key() + Checks.PERMIT_MARK + lease.slot();
    }

    List<String> holders(String key) {
        return items.items().values().stream()
                .filter(item -> item.key().equals(key) || item.key().startsWith(key + Checks.PERMIT_MARK))
                .filter(item -> item.version() != null)
                .filter(item ->
                        item.expiry() == null || item.expiry() >= time.now().getEpochSecond())
                .map(item -> String.valueOf(item.owner()))
                .sorted()
                .toList();
    }

    void overwrite(String key, Duration ttl) {
        LeaseItem before = items.item(key).orElseThrow();
        long now = time.now().toEpochMilli();
        items.put(new LeaseItem(
                key,
                new UUID(0, 1) + "-00000001",
                time.now().plus(ttl).getEpochSecond() + 1,
                ttl.toMillis(),
                Math.max(now, before.token() == null ? 0 : before.token() + 1),
                "another-node",
                now,
                null));
    }

    // ---- transactions

    void transact(List<TransactWriteItem> parts) {
        List<CancellationReason> reasons = parts.stream()
                .map(part -> CancellationReason.builder()
                        .code(isStale(part) ? "ConditionalCheckFailed" : "None")
                        .build())
                .toList();
        if (reasons.stream().anyMatch(reason -> !"None".equals(reason.code()))) {
            throw TransactionCanceledException.builder()
                    .message("Transaction cancelled, please refer to the cancellation reasons for specific reasons")
                    .cancellationReasons(reasons)
                    .build();
        }
        parts.stream()
                .map(TransactWriteItem::update)
                .filter(TestTable::isOfLease)
                .forEach(this::saveProgress);
    }

    private boolean isStale(TransactWriteItem part) {
        ConditionCheck check = part.conditionCheck();
        if (check != null && isOfLease(check.tableName(), check.conditionExpression())) {
            return isStale(check.key(), check.expressionAttributeValues());
        }
        Update update = part.update();
        return isOfLease(update) && isStale(update.key(), update.expressionAttributeValues());
    }

    private static boolean isOfLease(@Nullable Update update) {
        return update != null && isOfLease(update.tableName(), update.conditionExpression());
    }

    private static boolean isOfLease(@Nullable String table, @Nullable String condition) {
        return NAME.equals(table) && CONDITION.equals(condition);
    }

    private boolean isStale(Map<String, AttributeValue> key, Map<String, AttributeValue> values) {
        return items.item(text(key))
                .filter(item -> value(values, "fencing_token").n().equals(String.valueOf(item.token())))
                .filter(item -> String.valueOf(item.version())
                        .startsWith(value(values, "tenure").s()))
                .isEmpty();
    }

    private static AttributeValue value(Map<String, AttributeValue> values, String name) {
        return Objects.requireNonNull(values.get(":" + name));
    }

    private static String text(Map<String, AttributeValue> key) {
        return key.values().iterator().next().s();
    }

    private void saveProgress(Update update) {
        Map<String, AttributeValue> values = update.expressionAttributeValues();
        AttributeValue run = values.get(":progress_run");
        AttributeValue at = values.get(":progress_at");
        ItemProgress progress = new ItemProgress(
                run == null ? null : run.s(),
                value(values, "progress").b().asByteArray(),
                at == null ? null : Long.valueOf(at.n()));
        LeaseItem before = items.item(text(update.key())).orElseThrow();
        items.put(before.with(before.records().after(progress.edits())));
    }
}
