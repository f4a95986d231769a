package io.leasekit.test;

import io.leasekit.LeaseFence;
import io.leasekit.LeaseStatus;
import io.leasekit.dynamodb.LeaseFencing;
import io.leasekit.limits.Checks;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreReply.FailureKind;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
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

/** The table that the nodes of a test share, with the faults that the test has switched on. Thread-safe. */
final class TestTable {

    static final String NAME = "leases";

    /** The check of some lease, whose expression is that of all. */
    private static final ConditionCheck CHECK = conditionCheck("any", 1, new UUID(0, 0).toString());

    final InMemoryLeaseStore items;

    /** Whether all requests fail. */
    volatile boolean down;

    /** Time that each request takes. */
    volatile Duration latency = Duration.ZERO;

    /** Keys whose requests fail. */
    final Set<String> unreachable = ConcurrentHashMap.newKeySet();

    /** Number of requests of the process under test whose replies will be lost. */
    final AtomicInteger repliesToLose = new AtomicInteger();

    private final VirtualTime time;

    TestTable(VirtualTime time) {
        this.time = time;
        this.items = new InMemoryLeaseStore(time.clock());
    }

    /**
     * Answers a request: after half of the latency it takes effect, after all of it the node has the reply. {@code node}:
     * the process that receives it, {@code own}: whether this is the process under test.
     */
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

    /** Ends the faults of a test that may outlast it: its context may close next. */
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

    /** Returns the key of the item of a lease. */
    static String item(LeaseStatus lease) {
        return lease.permits() == 0 ? lease.key() : lease.key() + Checks.PERMIT_MARK + lease.slot();
    }

    /** Returns the owners of the lease of this key, or of its permits, as far as they have not ended. */
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

    /** Writes a lease of another owner over the present one. The owner is no node of the test. */
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

    static ConditionCheck conditionCheck(String key, long token, String tenure) {
        return LeaseFencing.conditionCheck(NAME, new LeaseFence(key, token, UUID.fromString(tenure)));
    }

    /** Evaluates the lease checks of a transaction; other parts of it count as fulfilled. */
    void transact(List<TransactWriteItem> parts) {
        List<CancellationReason> reasons = parts.stream()
                .map(part -> CancellationReason.builder()
                        .code(isStale(part.conditionCheck()) ? "ConditionalCheckFailed" : "None")
                        .build())
                .toList();
        if (reasons.stream().anyMatch(reason -> !"None".equals(reason.code()))) {
            throw TransactionCanceledException.builder()
                    .message("Transaction cancelled, please refer to the cancellation reasons for specific reasons")
                    .cancellationReasons(reasons)
                    .build();
        }
    }

    private boolean isStale(@Nullable ConditionCheck check) {
        if (check == null
                || !NAME.equals(check.tableName())
                || !CHECK.conditionExpression().equals(check.conditionExpression())) {
            return false;
        }
        String key = check.key().values().iterator().next().s();
        Optional<LeaseItem> current = items.item(key).filter(item -> item.version() != null);
        return !check.expressionAttributeValues().values().stream()
                .allMatch(value -> current.filter(item -> shows(item, value)).isPresent());
    }

    /** The values of a check are the token, which is a number, and the tenure, with which the version begins. */
    private static boolean shows(LeaseItem item, AttributeValue value) {
        return value.n() != null
                ? value.n().equals(String.valueOf(item.token()))
                : String.valueOf(item.version()).startsWith(value.s());
    }
}
