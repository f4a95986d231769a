package io.leasekit.dynamodb;

import com.github.tomakehurst.wiremock.WireMockServer;
import com.github.tomakehurst.wiremock.core.WireMockConfiguration;
import io.leasekit.dynamodb.local.LocalDynamoDb;
import java.net.URI;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import software.amazon.awssdk.retries.api.BackoffStrategy;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** A server with scripted replies that DynamoDB Local cannot give, and clients of it. */
abstract class AnsweredByWireMock {

    static WireMockServer server;
    static DynamoDbAsyncClient client;
    static DynamoDbAsyncClient retryingClient;

    @BeforeAll
    static void start() {
        server = new WireMockServer(WireMockConfiguration.options().dynamicPort());
        server.start();
        URI endpoint = URI.create("http://localhost:" + server.port());
        client = LocalDynamoDb.clientBuilder(endpoint).build();
        retryingClient = LocalDynamoDb.clientBuilder(endpoint)
                .overrideConfiguration(c -> c.retryStrategy(retries -> retries.maxAttempts(3)
                        .backoffStrategy(BackoffStrategy.retryImmediately())
                        .throttlingBackoffStrategy(BackoffStrategy.retryImmediately())))
                .build();
        sendTheFirstRequest(client);
        sendTheFirstRequest(retryingClient);
    }

    /** The first request of a client takes seconds on a busy machine, more than the timeouts of some tests. */
    static void sendTheFirstRequest(DynamoDbAsyncClient client) {
        client.listTables().exceptionally(withoutAnAnswer -> null).join();
    }

    @AfterAll
    static void stop() {
        client.close();
        retryingClient.close();
        server.stop();
    }

    @BeforeEach
    void forget() {
        server.resetAll();
    }
}
