package io.leasekit.dynamodb.local;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import software.amazon.dynamodb.services.local.server.LocalDynamoDBRequestHandler;
import software.amazon.dynamodb.services.local.server.LocalDynamoDBServerHandler;

/**
 * The request handler of DynamoDB Local in our own Jetty server.
 *
 * <p>The server of DynamoDB Local listens on every interface, without an option to change that, and sends telemetry at
 * start-up. Its handler is public and does not depend on that server.
 */
final class LoopbackServer {

    private static final String LOOPBACK = "127.0.0.1";
    /**
     * The default of 50 drops connections of a client that opens hundreds at once. Each of them then waits a second.
     */
    private static final int ACCEPT_QUEUE_SIZE = 1_024;

    private final Server server = new Server();
    private final ServerConnector connector = new ServerConnector(server);
    private final LocalDynamoDBServerHandler dynamoDb;
    private final RequestMonitor requests;

    private LoopbackServer(int port) {
        connector.setHost(LOOPBACK);
        connector.setPort(port);
        connector.setAcceptQueueSize(ACCEPT_QUEUE_SIZE);
        server.addConnector(connector);
        dynamoDb = new LocalDynamoDBServerHandler(inMemory(), null);
        requests = new RequestMonitor(dynamoDb, System::nanoTime);
        server.setHandler(requests);
    }

    /** Creates the handler with one database for all credentials and regions, so that all tools see the same tables. */
    private static LocalDynamoDBRequestHandler inMemory() {
        boolean inMemory = true;
        boolean sharedDb = true;
        boolean delayTransientStatuses = false;
        return new LocalDynamoDBRequestHandler(0, inMemory, null, sharedDb, delayTransientStatuses);
    }

    /**
     * Starts a server.
     *
     * @param port the port to listen on, or 0 for a free one
     * @throws IOException if the port is taken
     */
    static LoopbackServer start(int port) throws Exception {
        LoopbackServer started = new LoopbackServer(port);
        try {
            started.server.start();
        } catch (Exception e) {
            started.stop();
            throw e;
        }
        return started;
    }

    int port() {
        return connector.getLocalPort();
    }

    /** Returns the address that the socket is actually bound to. */
    InetSocketAddress address() throws IOException {
        ServerSocketChannel channel = (ServerSocketChannel) connector.getTransport();
        return (InetSocketAddress) channel.getLocalAddress();
    }

    Duration untilIdle(Duration idleTimeout) {
        return requests.untilIdle(idleTimeout);
    }

    void stop() throws Exception {
        server.stop();
        dynamoDb.close();
    }
}
