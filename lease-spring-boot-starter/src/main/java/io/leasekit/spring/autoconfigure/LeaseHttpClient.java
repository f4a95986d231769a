package io.leasekit.spring.autoconfigure;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import software.amazon.awssdk.http.async.AsyncExecuteRequest;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;
import software.amazon.awssdk.http.nio.netty.NettyNioAsyncHttpClient;
import software.amazon.awssdk.http.nio.netty.SdkEventLoopGroup;
import software.amazon.awssdk.utils.AttributeMap;

/**
 * Netty's HTTP client with event loops of its own, which end soon after it is closed. The SDK gives its event loops a quiet
 * period of 2 s, so closing the application would take as long. A close first waits for the replies to requests in flight, for
 * 1 s at most, and then cancels these requests: without their event loop, Netty would log an error for each. Thread-safe.
 */
final class LeaseHttpClient implements SdkAsyncHttpClient {

    // with 50 ms, a busy machine closes connections after their event loop has ended
    private static final Duration QUIET_PERIOD = Duration.ofMillis(250);
    private static final Duration AT_MOST = Duration.ofSeconds(5);
    private static final Duration REPLIES_AT_MOST = Duration.ofSeconds(1);

    private final SdkAsyncHttpClient netty;
    private final SdkEventLoopGroup loops;
    private final Map<AsyncExecuteRequest, CompletableFuture<Void>> inFlight = new ConcurrentHashMap<>();

    LeaseHttpClient(SdkAsyncHttpClient netty, SdkEventLoopGroup loops) {
        this.netty = netty;
        this.loops = loops;
    }

    /** Returns a builder of a client with the settings of this builder, whose event loops are replaced. */
    static Builder builder(NettyNioAsyncHttpClient.Builder settings) {
        return new Builder(settings);
    }

    /** Builds the client. Not thread-safe. */
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
            return new LeaseHttpClient(settings.eventLoopGroup(loops).buildWithDefaults(defaults), loops);
        }

        /** Returns whether the client has been built, so no other HTTP client has taken its place. */
        boolean isBuilt() {
            return built;
        }
    }

    @Override
    public CompletableFuture<Void> execute(AsyncExecuteRequest request) {
        CompletableFuture<Void> sent = netty.execute(request);
        inFlight.put(request, sent);
        var unused = sent.whenComplete((done, error) -> inFlight.remove(request));
        return sent;
    }

    @Override
    public String clientName() {
        return netty.clientName();
    }

    @Override
    public void close() {
        awaitReplies();
        netty.close();
        loops.eventLoopGroup()
                .shutdownGracefully(QUIET_PERIOD.toMillis(), AT_MOST.toMillis(), TimeUnit.MILLISECONDS)
                .awaitUninterruptibly(AT_MOST.toMillis());
    }

    private void awaitReplies() {
        try {
            CompletableFuture.allOf(inFlight.values().toArray(CompletableFuture<?>[]::new))
                    .get(REPLIES_AT_MOST.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            // whoever sent the request gets its failure
        } catch (TimeoutException e) {
            inFlight.values().forEach(request -> request.cancel(true));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
