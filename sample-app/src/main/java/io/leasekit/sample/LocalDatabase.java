package io.leasekit.sample;

import io.leasekit.dynamodb.local.DynamoDbLocalProcess;
import java.net.URI;
import java.time.Duration;
import java.util.function.BiFunction;
import org.apache.commons.logging.Log;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.logging.DeferredLogFactory;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Profiles;
import org.springframework.util.StringUtils;

/**
 * Makes sure that DynamoDB Local runs on the port {@code sample.dynamodb-local.port} before any bean is created. The
 * first node on a machine starts DynamoDB Local as a separate process, which outlives the node and serves all nodes.
 */
final class LocalDatabase implements EnvironmentPostProcessor {

    static final String PORT = "sample.dynamodb-local.port";
    static final String IDLE_TIMEOUT = "sample.dynamodb-local.idle-timeout";
    static final String OTHER = "leasekit.dynamodb.endpoint";

    private static final Profiles LOCAL = Profiles.of("!aws");

    private final Log log;
    private final BiFunction<Integer, Duration, URI> starter;

    public LocalDatabase(DeferredLogFactory logs) {
        this(logs, DynamoDbLocalProcess::startDetached);
    }

    LocalDatabase(DeferredLogFactory logs, BiFunction<Integer, Duration, URI> starter) {
        this.log = logs.getLog(LocalDatabase.class);
        this.starter = starter;
    }

    @Override
    public void postProcessEnvironment(ConfigurableEnvironment environment, SpringApplication application) {
        if (!environment.acceptsProfiles(LOCAL) || Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING)) {
            return;
        }
        String other = environment.getProperty(OTHER);
        if (StringUtils.hasText(other)) {
            log.info("Using the server at " + other + " in place of DynamoDB Local");
            return;
        }
        int port = environment.getRequiredProperty(PORT, Integer.class);
        Duration idleTimeout = environment.getRequiredProperty(IDLE_TIMEOUT, Duration.class);
        log.info("Using DynamoDB Local on " + start(port, idleTimeout));
    }

    private URI start(int port, Duration idleTimeout) {
        try {
            return starter.apply(port, idleTimeout);
        } catch (IllegalStateException e) {
            throw new IllegalStateException(
                    "DynamoDB Local is not available on port " + port + "; set '" + PORT + "' to use a different port",
                    e);
        }
    }
}
