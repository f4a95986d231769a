package io.leasekit.spring.autoconfigure;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import software.amazon.awssdk.http.async.AsyncExecuteRequest;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;
import software.amazon.awssdk.http.nio.netty.NettyNioAsyncHttpClient;
import software.amazon.awssdk.http.nio.netty.SdkEventLoopGroup;
import software.amazon.awssdk.utils.AttributeMap;

/**
 * Netty's HTTP client with event loops of its own, which end soon after it is closed. The SDK gives its event loops a quiet
 * period of 2 s, so closing the application would take as long. Thread-safe.
 */
final class LeaseHttpClient implements SdkAsyncHttpClient {

    // with 50 ms, a busy machine closes connections after their event loop has ended
    private static final Duration QUIET_PERIOD = Duration.ofMillis(250);
    private static final Duration AT_MOST = Duration.ofSeconds(5);

    private final SdkAsyncHttpClient netty;
    private final SdkEventLoopGroup loops;

    private LeaseHttpClient(SdkAsyncHttpClient netty, SdkEventLoopGroup loops) {
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
        return netty.execute(request);
    }

    @Override
    public String clientName() {
        return netty.clientName();
    }

    @Override
    public void close() {
        netty.close();
        loops.eventLoopGroup()
                .shutdownGracefully(QUIET_PERIOD.toMillis(), AT_MOST.toMillis(), TimeUnit.MILLISECONDS)
                .awaitUninterruptibly(AT_MOST.toMillis());
    }
}
