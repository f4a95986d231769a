package io.leasekit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.http.async.AsyncExecuteRequest;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;
import software.amazon.awssdk.http.nio.netty.NettyNioAsyncHttpClient;
import software.amazon.awssdk.http.nio.netty.SdkEventLoopGroup;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

@Timeout(600)
@ExtendWith(OutputCaptureExtension.class)
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

    @Test
    void aRequestWithoutAReplyIsCancelledBeforeItsEventLoopEnds() {
        OneRequest netty = new OneRequest();
        LeaseHttpClient client =
                new LeaseHttpClient(netty, SdkEventLoopGroup.builder().build());
        CompletableFuture<Void> sent =
                client.execute(AsyncExecuteRequest.builder().build());

        client.close();

        assertThat(sent).isCancelled();
        assertThat(netty.answeredAtClose).isTrue();
    }

    /** The server accepts connections and never answers, as during an outage. */
    @Test
    void aCloseDuringAnOutageLogsNoStackTraceOfNetty(CapturedOutput output) throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            DynamoDbAsyncClient client = DynamoDbAsyncClient.builder()
                    .httpClientBuilder(LeaseHttpClient.builder(NettyNioAsyncHttpClient.builder()))
                    .endpointOverride(URI.create("http://127.0.0.1:" + silent.getLocalPort()))
                    .region(Region.US_EAST_1)
                    .credentialsProvider(AnonymousCredentialsProvider.create())
                    .overrideConfiguration(o -> o.retryStrategy(AwsRetryStrategy.doNotRetry()))
                    .build();
            List<CompletableFuture<?>> sent =
                    Stream.generate(client::listTables).limit(60).collect(Collectors.toList()); // more than connections
            silent.accept();

            client.close();

            assertThat(sent).allMatch(CompletableFuture::isCompletedExceptionally);
        }
        assertThat(output).doesNotContain("ERROR").doesNotContain("WARN").doesNotContain("at io.netty.");
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
