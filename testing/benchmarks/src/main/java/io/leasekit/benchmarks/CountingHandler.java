package io.leasekit.benchmarks;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Counts requests by the operation in their header. A GET request returns the counts. Thread-safe. */
final class CountingHandler extends Handler.Wrapper {

    private static final String TARGET = "X-Amz-Target";
    private static final int FIRST_ERROR = 400;

    private final ObjectMapper json = new ObjectMapper();
    private final ConcurrentMap<String, LongAdder> counts;
    private final AtomicInteger inFlight;

    CountingHandler(Handler next, ConcurrentMap<String, LongAdder> counts, AtomicInteger inFlight) {
        super(next);
        this.counts = counts;
        this.inFlight = inFlight;
    }

    static ConcurrentMap<String, LongAdder> noCounts() {
        return new ConcurrentHashMap<>();
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        if (HttpMethod.GET.is(request.getMethod())) {
            response.write(true, ByteBuffer.wrap(json.writeValueAsBytes(snapshot())), callback);
            return true;
        }
        String operation = operation(request);
        add(operation);
        inFlight.incrementAndGet();
        Request.addCompletionListener(request, failure -> {
            if (failure != null || response.getStatus() >= FIRST_ERROR) {
                add(operation + "!");
            }
            inFlight.decrementAndGet();
        });
        return super.handle(request, response, callback);
    }

    static String operation(Request request) {
        String target = request.getHeaders().get(TARGET);
        return target == null ? "?" : target.substring(target.indexOf('.') + 1);
    }

    private void add(String name) {
        counts.computeIfAbsent(name, absent -> new LongAdder()).increment();
    }

    private Map<String, Object> snapshot() {
        Map<String, Long> sums = new TreeMap<>();
        counts.forEach((name, count) -> sums.put(name, count.sum()));
        return Map.of("inFlight", inFlight.get(), "requests", sums);
    }
}
