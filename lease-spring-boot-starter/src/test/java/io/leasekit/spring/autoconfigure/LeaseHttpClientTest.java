package io.leasekit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.http.async.AsyncExecuteRequest;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;
import software.amazon.awssdk.http.nio.netty.SdkEventLoopGroup;

@Timeout(600)
class LeaseHttpClientTest {

    /** Netty logs an error for a request that waits for a connection when its event loop has ended. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCloseAwaitsTheEndOfARequestInFlight(boolean fails) throws InterruptedException {
        OneRequest netty = new OneRequest();
        LeaseHttpClient client =
                new LeaseHttpClient(netty, SdkEventLoopGroup.builder().build());
        CompletableFuture<Void> sent =
                client.execute(AsyncExecuteRequest.builder().build());
        Thread closing = new Thread(client::close);

        closing.start();
        while (closing.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        if (fails) {
            netty.reply.completeExceptionally(new IllegalStateException("broken"));
        } else {
            netty.reply.complete(null);
        }
        closing.join();

        assertThat(sent).isDone();
        assertThat(netty.answeredAtClose).isTrue();
    }

    private static final class OneRequest implements SdkAsyncHttpClient {

        private final CompletableFuture<Void> reply = new CompletableFuture<>();
        private boolean answeredAtClose;

        @Override
        public CompletableFuture<Void> execute(AsyncExecuteRequest request) {
            return reply;
        }

        @Override
        public void close() {
            answeredAtClose = reply.isDone();
        }
    }
}
