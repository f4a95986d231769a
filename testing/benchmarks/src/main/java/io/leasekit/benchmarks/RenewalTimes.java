package io.leasekit.benchmarks;

import static io.leasekit.benchmarks.RenewalWatch.PREFIX;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import software.amazon.awssdk.core.SdkRequest;
import software.amazon.awssdk.core.SdkResponse;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttribute;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BatchExecuteStatementRequest;
import software.amazon.awssdk.services.dynamodb.model.BatchExecuteStatementResponse;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemRequest;

/**
 * Records for each key when its last successful write was sent and when the next one succeeded, in the same way for all
 * contenders. A write counts as sent when the SDK was called. Thread-safe.
 */
final class RenewalTimes implements ExecutionInterceptor {

    private static final ExecutionAttribute<Long> CALLED = new ExecutionAttribute<>("io.leasekit.benchmarks.called");
    private static final long TTL_NANOS = TimeUnit.SECONDS.toNanos(Holding.TTL_SECONDS);

    private final ConcurrentMap<String, Long> confirmed = new ConcurrentHashMap<>();
    private final Set<String> renewedAgain = ConcurrentHashMap.newKeySet();
    private final AtomicLong longest = new AtomicLong();
    private final AtomicLong lastRenewedAgain = new AtomicLong();
    private final AtomicLong writes = new AtomicLong();
    private volatile long recovered = Long.MAX_VALUE;

    @Override
    public void beforeExecution(Context.BeforeExecution context, ExecutionAttributes attributes) {
        attributes.putAttribute(CALLED, System.nanoTime());
    }

    @Override
    public void beforeTransmission(Context.BeforeTransmission context, ExecutionAttributes attributes) {
        writes.addAndGet(
                keys(context.request()).stream().filter(key -> !key.isEmpty()).count());
    }

    @Override
    public void afterExecution(Context.AfterExecution context, ExecutionAttributes attributes) {
        Long called = attributes.getAttribute(CALLED);
        List<String> keys = keys(context.request());
        for (int i = 0; called != null && i < keys.size(); i++) {
            if (!keys.get(i).isEmpty() && succeeded(context.response(), i)) {
                confirm(keys.get(i), called, System.nanoTime());
            }
        }
    }

    private static boolean succeeded(SdkResponse response, int index) {
        return !(response instanceof BatchExecuteStatementResponse batch)
                || batch.responses().get(index).error() == null;
    }

    /** Returns the key of each write of the request; empty text for a write of another item. */
    private static List<String> keys(SdkRequest request) {
        if (request instanceof UpdateItemRequest update) {
            return List.of(key(update.key().values()));
        }
        if (request instanceof PutItemRequest put) {
            return List.of(key(put.item().values()));
        }
        if (request instanceof BatchExecuteStatementRequest batch) {
            return batch.statements().stream()
                    .map(statement -> key(statement.parameters()))
                    .toList();
        }
        return List.of();
    }

    private static String key(Collection<AttributeValue> values) {
        return values.stream()
                .flatMap(value -> Stream.ofNullable(value.s()))
                .filter(text -> text.startsWith(PREFIX))
                .findFirst()
                .orElse("");
    }

    private void confirm(String key, long sent, long now) {
        Long before = confirmed.put(key, sent);
        if (before != null) {
            longest.accumulateAndGet(now - before, Math::max);
        }
        long mark = recovered;
        if (mark != Long.MAX_VALUE && sent - mark >= 0 && renewedAgain.add(key)) {
            lastRenewedAgain.accumulateAndGet(now - mark, Math::max);
        }
    }

    /** Notes that the database is available again from now on. */
    void recover() {
        recovered = System.nanoTime();
    }

    /** Returns the number of writes sent so far, including those that failed or were sent again. */
    long writes() {
        return writes.get();
    }

    /**
     * Returns the longest time from sending a write to the success of the next one of its key. A write that is at most
     * a ttl old counts with its present age. Older ones belong to locks that are lost.
     */
    double longestSeconds() {
        long now = System.nanoTime();
        long open = confirmed.values().stream()
                .mapToLong(sent -> now - sent)
                .filter(age -> age <= TTL_NANOS)
                .max()
                .orElse(0);
        return Math.max(open, longest.get()) / 1e9;
    }

    /** Returns the seconds until so many locks were renewed after {@link #recover}; {@code NaN} if fewer or none were. */
    double secondsUntilRenewed(int locks) {
        return locks == 0 || renewedAgain.size() < locks ? Double.NaN : lastRenewedAgain.get() / 1e9;
    }
}
