package io.leasekit.benchmarks;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import software.amazon.awssdk.core.SdkRequest;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BatchExecuteStatementRequest;
import software.amazon.awssdk.services.dynamodb.model.BatchStatementRequest;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemRequest;

/** Records when writes for a key are sent, single or batched, and the longest interval between two. Thread-safe. */
final class RenewalWatch implements ExecutionInterceptor {

    static final String PREFIX = "held-";

    private final ConcurrentMap<String, Long> last = new ConcurrentHashMap<>();
    private final AtomicLong longest = new AtomicLong();
    private final AtomicLong renewals = new AtomicLong();
    private volatile boolean watching;

    /** Starts recording. Before, it uses no memory. */
    void begin() {
        watching = true;
    }

    @Override
    public void beforeTransmission(Context.BeforeTransmission context, ExecutionAttributes attributes) {
        SdkRequest request = context.request();
        long now = System.nanoTime();
        if (request instanceof UpdateItemRequest update) {
            update.key().values().forEach(value -> saw(value, now));
        } else if (request instanceof BatchExecuteStatementRequest batch) {
            for (BatchStatementRequest statement : batch.statements()) {
                statement.parameters().forEach(value -> saw(value, now));
            }
        }
    }

    private void saw(AttributeValue value, long now) {
        if (watching && value.s() != null && value.s().startsWith(PREFIX)) {
            Long before = last.put(value.s(), now);
            renewals.incrementAndGet();
            if (before != null) {
                longest.accumulateAndGet(now - before, Math::max);
            }
        }
    }

    long renewals() {
        return renewals.get();
    }

    /** Returns the longest interval between two writes, including the time since the last write. */
    double longestSeconds() {
        long now = System.nanoTime();
        long open = last.values().stream().mapToLong(then -> now - then).max().orElse(0);
        return Math.max(open, longest.get()) / 1e9;
    }
}
