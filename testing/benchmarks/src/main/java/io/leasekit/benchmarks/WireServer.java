package io.leasekit.benchmarks;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.proxy.ProxyHandler;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/**
 * Program between the contenders and the database that counts requests by operation and adds a round trip. It listens
 * on four free ports of the loopback interface and prints them: DynamoDB Local without and with the round trip, then
 * the stub without and with it. A line on the standard input begins a trouble of {@link TroubleHandler} between the
 * round trip and DynamoDB Local, and is answered by {@value #DONE}.
 */
final class WireServer {

    static final String READY = "wire ";
    static final String DONE = "done";
    private static final int CONNECTIONS = 1_024;

    private final ConcurrentMap<String, LongAdder> counts = CountingHandler.noCounts();
    private final AtomicInteger inFlight = new AtomicInteger();
    private final ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(2);
    private final URI upstream;

    private WireServer(URI upstream) {
        this.upstream = upstream;
    }

    /** Runs the program. Arguments: endpoint of the database, round trip in milliseconds. */
    public static void main(String[] args) throws Exception {
        WireServer wire = new WireServer(URI.create(args[0]));
        long delay = Long.parseLong(args[1]);
        List<String> ports = new ArrayList<>();
        TroubleHandler trouble = new TroubleHandler(new Forward(wire.upstream), wire.scheduler);
        ChildJvm.onLines(line -> {
            trouble.begin(line);
            System.out.println(DONE);
        });
        ports.add(wire.start(new Forward(wire.upstream), false));
        ports.add(wire.start(new DelayHandler(trouble, wire.scheduler, delay), false));
        for (long millis : List.of(0L, delay)) {
            ports.add(wire.start(new DelayHandler(new StubHandler(), wire.scheduler, millis), true));
        }
        System.out.println(READY + String.join(" ", ports));
    }

    /** Starts a server. Replies keep the date of the database; only the stub needs one from this server. */
    private String start(Handler handler, boolean withDate) throws Exception {
        HttpConfiguration configuration = new HttpConfiguration();
        configuration.setSendDateHeader(withDate);
        configuration.setSendServerVersion(false);
        Server server = new Server();
        ServerConnector connector = new ServerConnector(server, new HttpConnectionFactory(configuration));
        connector.setHost("127.0.0.1");
        connector.setAcceptQueueSize(CONNECTIONS);
        server.addConnector(connector);
        server.setHandler(new CountingHandler(handler, counts, inFlight));
        server.start();
        return String.valueOf(connector.getLocalPort());
    }

    private static final class Forward extends ProxyHandler.Reverse {

        Forward(URI upstream) {
            super(request -> HttpURI.build(request.getHttpURI())
                    .scheme(upstream.getScheme())
                    .host(upstream.getHost())
                    .port(upstream.getPort()));
        }

        @Override
        protected void configureHttpClient(HttpClient client) {
            super.configureHttpClient(client);
            client.setMaxConnectionsPerDestination(CONNECTIONS);
            client.setMaxRequestsQueuedPerDestination(100 * CONNECTIONS);
        }
    }
}
