package io.leasekit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.exception.ApiCallTimeoutException;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.http.async.AsyncExecuteRequest;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;
import software.amazon.awssdk.http.async.SdkAsyncHttpResponseHandler;
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
                new LeaseHttpClient(() -> netty, SdkEventLoopGroup.builder().build());
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

    /** A firewall that has forgotten its connections swallows the packets of all, and new ones work. */
    @Test
    void afterATimeoutIdleConnectionsAreDropped() throws Exception {
        try (SwallowingServer server = new SwallowingServer();
                DynamoDbAsyncClient client = DynamoDbAsyncClient.builder()
                        .httpClientBuilder(LeaseHttpClient.builder(NettyNioAsyncHttpClient.builder()))
                        .region(Region.US_EAST_1)
                        .credentialsProvider(AnonymousCredentialsProvider.create())
                        .endpointOverride(URI.create("http://localhost:" + server.port()))
                        .overrideConfiguration(o -> o.retryStrategy(AwsRetryStrategy.doNotRetry()))
                        .build()) {
            server.holdReplies(27);
            List<CompletableFuture<?>> first = new ArrayList<>();
            for (int i = 0; i < 27; i++) {
                first.add(client.listTables());
            }
            CompletableFuture.allOf(first.toArray(CompletableFuture[]::new)).join();
            assertThat(server.connections()).isEqualTo(27);
            server.swallow();

            assertThatThrownBy(() -> client.listTables(request ->
                                    request.overrideConfiguration(o -> o.apiCallTimeout(Duration.ofSeconds(1))))
                            .join())
                    .hasCauseInstanceOf(ApiCallTimeoutException.class);
            assertThat(server.dropped.await(10, TimeUnit.MINUTES)).isTrue();
            for (int i = 0; i < 27; i++) {
                client.listTables().join();
            }
            assertThat(server.connections()).as("new ones, each used again").isBetween(28, 54);
        }
    }

    /** Answers requests; from {@code swallow} on, only those of later connections. */
    private static final class SwallowingServer implements AutoCloseable {

        private static final byte[] REPLY =
                "HTTP/1.1 200 OK\r\nContent-Type: application/x-amz-json-1.0\r\nContent-Length: 2\r\n\r\n{}"
                        .getBytes(StandardCharsets.US_ASCII);

        private final ServerSocket server = new ServerSocket(0, 100, InetAddress.getByName("localhost"));
        private final Map<Socket, Boolean> swallowed = new ConcurrentHashMap<>();
        private final CountDownLatch dropped = new CountDownLatch(27);
        private volatile CountDownLatch together = new CountDownLatch(0);

        private SwallowingServer() throws IOException {
            Thread thread = new Thread(this::accept);
            thread.setDaemon(true);
            thread.start();
        }

        int port() {
            return server.getLocalPort();
        }

        int connections() {
            return swallowed.size();
        }

        /** Holds back the first replies until as many requests have come, so each has a connection of its own. */
        void holdReplies(int requests) {
            together = new CountDownLatch(requests);
        }

        void swallow() {
            swallowed.replaceAll((socket, no) -> true);
        }

        private void accept() {
            try {
                while (true) {
                    Socket socket = server.accept();
                    swallowed.put(socket, false);
                    Thread thread = new Thread(() -> serve(socket));
                    thread.setDaemon(true);
                    thread.start();
                }
            } catch (IOException closed) {
                // the end of the test
            }
        }

        private void serve(Socket socket) {
            try {
                BufferedReader in =
                        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
                while (true) {
                    int length = 0;
                    for (String line = in.readLine(); !line.isEmpty(); line = in.readLine()) {
                        if (line.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
                            length = Integer.parseInt(line.substring(15).trim());
                        }
                    }
                    for (int i = 0; i < length; i++) {
                        in.read();
                    }
                    together.countDown();
                    together.await();
                    if (!swallowed.get(socket)) {
                        socket.getOutputStream().write(REPLY);
                        socket.getOutputStream().flush();
                    }
                }
            } catch (IOException | NullPointerException | InterruptedException closed) {
                dropped.countDown(); // the client has closed the connection
            }
        }

        @Override
        public void close() throws IOException {
            server.close();
            for (Socket socket : swallowed.keySet()) {
                socket.close();
            }
        }
    }

    @Test
    void aRequestWithoutAReplyIsCancelledBeforeItsEventLoopEnds() {
        OneRequest netty = new OneRequest();
        LeaseHttpClient client =
                new LeaseHttpClient(() -> netty, SdkEventLoopGroup.builder().build());
        CompletableFuture<Void> sent =
                client.execute(AsyncExecuteRequest.builder().build());

        client.close();

        assertThat(sent).isCancelled();
        assertThat(netty.answeredAtClose).isTrue();
    }

    /** A leader that got the signal to stop might be interrupted while it closes its context. */
    @Test
    void anInterruptedCloseCancelsToo() {
        OneRequest netty = new OneRequest();
        LeaseHttpClient client =
                new LeaseHttpClient(() -> netty, SdkEventLoopGroup.builder().build());
        CompletableFuture<Void> sent =
                client.execute(AsyncExecuteRequest.builder().build());

        Thread.currentThread().interrupt();
        client.close();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(sent).isCancelled();
        assertThat(netty.answeredAtClose).isTrue();
    }

    /** Netty would log an error when such a request is cancelled, for example by its timeout. */
    @Test
    void aRequestAfterTheCloseFailsAndNeverReachesNetty() {
        Requests netty = new Requests();
        LeaseHttpClient client =
                new LeaseHttpClient(() -> netty, SdkEventLoopGroup.builder().build());
        client.close();
        CompletableFuture<Throwable> told = new CompletableFuture<>();

        CompletableFuture<Void> sent = client.execute(request(told));

        assertThat(sent).isCompletedExceptionally();
        assertThat(told.join()).hasMessage("The HTTP client of leases is closed");
        assertThat(netty.replies).isEmpty();
    }

    /** Returns a request that tells this future its failure. */
    private static AsyncExecuteRequest request(CompletableFuture<Throwable> told) {
        return AsyncExecuteRequest.builder()
                .responseHandler(new SdkAsyncHttpResponseHandler() {
                    @Override
                    public void onHeaders(SdkHttpResponse headers) {}

                    @Override
                    public void onStream(Publisher<ByteBuffer> stream) {}

                    @Override
                    public void onError(Throwable error) {
                        told.complete(error);
                    }
                })
                .build();
    }

    /** Such as a retry of a request that has failed because of the close. */
    @Test
    void aRequestThatIsSentDuringTheCloseIsCancelledToo() throws InterruptedException {
        Requests netty = new Requests();
        LeaseHttpClient client =
                new LeaseHttpClient(() -> netty, SdkEventLoopGroup.builder().build());
        CompletableFuture<Void> first = client.execute(request(new CompletableFuture<>()));
        CompletableFuture<CompletableFuture<Void>> second =
                first.thenApply(done -> client.execute(request(new CompletableFuture<>())));
        Thread closing = new Thread(client::close);

        closing.start();
        while (closing.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        first.complete(null);
        closing.join();

        assertThat(second.join()).isCompletedExceptionally();
        assertThat(netty.unansweredAtClose).isZero();
    }

    private static final class Requests implements SdkAsyncHttpClient {

        private final List<CompletableFuture<Void>> replies = new CopyOnWriteArrayList<>();
        private long unansweredAtClose;

        @Override
        public CompletableFuture<Void> execute(AsyncExecuteRequest request) {
            CompletableFuture<Void> reply = new CompletableFuture<>();
            replies.add(reply);
            return reply;
        }

        @Override
        public void close() {
            unansweredAtClose =
                    replies.stream().filter(reply -> !reply.isDone()).count();
        }
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
