package io.leasekit.dynamodb.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LoopbackServerIT {

    private LoopbackServer server;

    @BeforeEach
    void start() throws Exception {
        server = LoopbackServer.start(0);
    }

    @AfterEach
    void stop() throws Exception {
        server.stop();
    }

    @Test
    void listensOnLoopback() throws IOException {
        assertThat(server.address().getAddress().isLoopbackAddress()).isTrue();
    }

    @Test
    void refusesConnectionsByAnyOtherAddressOfTheMachine() throws IOException {
        List<InetAddress> others = NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> !address.isLoopbackAddress())
                .toList(); // empty on a machine that nobody else can reach

        assertThat(others)
                .allSatisfy(
                        address -> assertThatThrownBy(() -> connect(address)).isInstanceOf(ConnectException.class));
    }

    @Test
    void refusesPortInUse() {
        assertThatIOException().isThrownBy(() -> LoopbackServer.start(server.port()));
    }

    private void connect(InetAddress address) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(address, server.port()), 20_000);
        }
    }
}
