package io.leasekit.spring.autoconfigure;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.http.async.AsyncExecuteRequest;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;
import software.amazon.awssdk.http.nio.netty.NettyNioAsyncHttpClient;
import software.amazon.awssdk.http.nio.netty.SdkEventLoopGroup;
import software.amazon.awssdk.utils.AttributeMap;

/**
 * An HTTP client with its own Netty event loops, because the SDK's quiet period of 2 s would delay the shutdown.
 * {@link #close()} waits for replies, because Netty logs an error for each request in flight when event loops end.
 *
 * <p>After a timeout, later requests use new connections, because a firewall may drop the packets of all idle
 * connections. Thread-safe.
 */
final class LeaseHttpClient implements SdkAsyncHttpClient {

    private static final Logger log = LoggerFactory.getLogger(LeaseHttpClient.class);

    // with a quiet period of 50 ms, event loops of a busy machine end before their connections are closed
    private static final Duration QUIET_PERIOD = Duration.ofMillis(250);
    private static final Duration AT_MOST = Duration.ofSeconds(5);
    private static final Duration REPLIES_AT_MOST = Duration.ofSeconds(1);

    private final Supplier<SdkAsyncHttpClient> pools;
    private final SdkEventLoopGroup loops;
    private final Set<Pool> open = ConcurrentHashMap.newKeySet();
    private final AtomicReference<Pool> current;
    private volatile boolean closed;

    /** {@code pools} creates Netty clients that share the event loops {@code loops}, but not their connections. */
    LeaseHttpClient(Supplier<SdkAsyncHttpClient> pools, SdkEventLoopGroup loops) {
        this.pools = pools;
        this.loops = loops;
        this.current = new AtomicReference<>(opened());
    }

    private Pool pool() {
        return Objects.requireNonNull(current.get());
    }

    private Pool opened() {
        Pool pool = new Pool(pools.get());
        open.add(pool);
        return pool;
    }

    /** A pool of connections; after a timeout, the HTTP client uses a new pool. */
    private final class Pool {

        private final SdkAsyncHttpClient netty;
        private final Map<AsyncExecuteRequest, CompletableFuture<Void>> inFlight = new ConcurrentHashMap<>();
        // Whether a request was answered; only then can the pool have idle connections.
        private volatile boolean answered;

        private Pool(SdkAsyncHttpClient netty) {
            this.netty = netty;
        }

        private CompletableFuture<Void> execute(AsyncExecuteRequest request) {
            CompletableFuture<Void> sent = netty.execute(request);
            inFlight.put(request, sent);
            var unused = sent.whenComplete((done, error) -> {
                inFlight.remove(request);
                if (error == null) {
                    answered = true;
                } else if (answered && isTimeout(error) && open.contains(this)) {
                    replace();
                }
            });
            return sent;
        }

        private void replace() {
            Pool next = opened();
            if (current.compareAndSet(this, next)) {
                log.debug("A request had no reply, so the next ones use new connections");
                closeLater();
            } else {
                next.closeLater();
            }
        }

        /** A new thread closes the pool, because the calling thread may be an event loop, which must not wait. */
        private void closeLater() {
            CompletableFuture<?>[] last = inFlight.values().toArray(CompletableFuture<?>[]::new);
            var unused = CompletableFuture.allOf(last).whenComplete((done, error) -> {
                Thread thread = new Thread(this::close, "lease-connections");
                thread.setDaemon(true);
                thread.start();
            });
        }

        private void close() {
            if (open.remove(this)) {
                netty.close();
            }
        }
    }

    /** On a timeout, the SDK either reports the timeout or cancels the request. */
    private static boolean isTimeout(Throwable error) {
        return error instanceof AbortedException
                || error instanceof CancellationException
                || Stream.iterate(error, Objects::nonNull, Throwable::getCause)
                        .limit(10)
                        .anyMatch(cause -> cause.getClass().getSimpleName().contains("Timeout"));
    }

    static Builder builder(NettyNioAsyncHttpClient.Builder settings) {
        return new Builder(settings);
    }

    static final class Builder implements SdkAsyncHttpClient.Builder<Builder> {

        private final NettyNioAsyncHttpClient.Builder settings;
        private boolean built;

        private Builder(NettyNioAsyncHttpClient.Builder settings) {
            this.settings = settings;
        }

        @Override
        public SdkAsyncHttpClient buildWithDefaults(AttributeMap defaults) {
            built = true;
            SdkEventLoopGroup loops = SdkEventLoopGroup.builder().build();
            return new LeaseHttpClient(() -> settings.eventLoopGroup(loops).buildWithDefaults(defaults), loops);
        }

        /** Returns false if a customizer has set another HTTP client. */
        boolean isBuilt() {
            return built;
        }
    }

    /** A closed client rejects the request without calling Netty, which would log an error. */
    @Override
    public CompletableFuture<Void> execute(AsyncExecuteRequest request) {
        if (closed) {
            CancellationException refusal = new CancellationException("The HTTP client of leases is closed");
            request.responseHandler().onError(refusal);
            return CompletableFuture.failedFuture(refusal);
        }
        CompletableFuture<Void> sent = pool().execute(request);
        if (closed) {
            sent.cancel(true);
        }
        return sent;
    }

    @Override
    public String clientName() {
        return pool().netty.clientName();
    }

    @Override
    public void close() {
        awaitReplies();
        closed = true;
        open.forEach(pool -> pool.inFlight.values().forEach(request -> request.cancel(true)));
        open.forEach(Pool::close);
        loops.eventLoopGroup()
                .shutdownGracefully(QUIET_PERIOD.toMillis(), AT_MOST.toMillis(), TimeUnit.MILLISECONDS)
                .awaitUninterruptibly(AT_MOST.toMillis());
    }

    private void awaitReplies() {
        try {
            CompletableFuture.allOf(open.stream()
                            .flatMap(pool -> pool.inFlight.values().stream())
                            .toArray(CompletableFuture<?>[]::new))
                    .get(REPLIES_AT_MOST.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            // The sender of a failed request receives the failure, and close() cancels unanswered requests.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
