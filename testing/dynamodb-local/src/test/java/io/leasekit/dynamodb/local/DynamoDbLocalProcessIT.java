package io.leasekit.dynamodb.local;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

@Tag("full")
class DynamoDbLocalProcessIT {

    private static final Duration PATIENCE = Duration.ofMinutes(10);

    @Test
    void answersOnceStartedAndEndsWithClose() {
        URI endpoint;
        try (DynamoDbLocalProcess process = DynamoDbLocalProcess.start()) {
            endpoint = process.endpoint();
            assertThat(Probe.answers(endpoint)).isTrue();
        }
        assertThat(isListening(endpoint)).isFalse();
    }

    @Test
    void endsWhenItsParentIsKilled() throws Exception {
        Process parent = Starter.run();
        URI endpoint = URI.create(parent.inputReader().readLine());
        assertThat(isListening(endpoint)).isTrue();
        parent.destroyForcibly();
        await().atMost(PATIENCE).until(() -> !isListening(endpoint));
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void outlivesInterruptAndHangUp() throws Exception {
        try (DynamoDbLocalProcess process = DynamoDbLocalProcess.start()) {
            for (String signal : List.of("INT", "HUP")) {
                String pid = Long.toString(process.process().pid());
                Process kill = new ProcessBuilder("kill", "-" + signal, pid).start();
                assertThat(kill.waitFor()).isZero();
            }
            assertThat(Probe.answers(process.endpoint())).isTrue();
            assertThat(process.process().isAlive()).isTrue();
        }
    }

    @Test
    void detachedOutlivesItsStarterAndEndsItselfWhenIdle() throws Exception {
        int port = freePort();
        Process starter = Starter.run(Integer.toString(port), "12"); // so long that a busy machine sees it
        // reads to the end: the detached process must not keep its starter's output open
        String output = new String(starter.getInputStream().readAllBytes(), UTF_8);
        assertThat(starter.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        URI endpoint = URI.create(output.strip());
        assertThat(endpoint).isEqualTo(Probe.endpoint(port));
        assertThat(Probe.answers(endpoint)).isTrue();
        // connections without a request do not count as activity
        await().atMost(PATIENCE).until(() -> !isListening(endpoint));
    }

    @Test
    void startersThatRaceForOnePortAllGetTheEndpoint() throws Exception {
        int port = freePort();
        List<Process> starters = List.of(
                Starter.run(Integer.toString(port), "30"),
                Starter.run(Integer.toString(port), "30"),
                Starter.run(Integer.toString(port), "30"));
        for (Process starter : starters) {
            assertThat(starter.inputReader().readLine())
                    .isEqualTo(Probe.endpoint(port).toString());
            assertThat(starter.waitFor()).isZero();
        }
        assertThat(Probe.answers(Probe.endpoint(port))).isTrue();
    }

    @Test
    void detachedUsesWhatAnswersAlready() {
        try (DynamoDbLocalProcess running = DynamoDbLocalProcess.start()) {
            int port = running.endpoint().getPort();
            assertThat(DynamoDbLocalProcess.startDetached(port, Duration.ofSeconds(1)))
                    .isEqualTo(running.endpoint());
        }
    }

    @Test
    void detachedFailsWhenSomethingElseHasThePort() throws IOException {
        try (ServerSocket other = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Void> hangUps = CompletableFuture.runAsync(() -> hangUpOnAll(other));
            assertThatIllegalStateException()
                    .isThrownBy(() -> DynamoDbLocalProcess.startDetached(other.getLocalPort(), Duration.ofSeconds(1)))
                    .withMessageContaining("another program uses the port");
            assertThat(hangUps).isNotDone();
        }
    }

    @Test
    void detachedNeedsPortAndIdleTimeout() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DynamoDbLocalProcess.startDetached(0, Duration.ofSeconds(60)))
                .withMessage("Port must be from 1 to 65535, but is 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DynamoDbLocalProcess.startDetached(8600, Duration.ZERO))
                .withMessage("Idle timeout must be at least PT1S, but is PT0S");
    }

    private static void hangUpOnAll(ServerSocket other) {
        try {
            while (true) {
                other.accept().close();
            }
        } catch (IOException e) {
            // the test closed it
        }
    }

    private static boolean isListening(URI endpoint) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), endpoint.getPort())) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
