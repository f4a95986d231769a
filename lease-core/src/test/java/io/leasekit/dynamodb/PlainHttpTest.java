package io.leasekit.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import io.leasekit.dynamodb.local.LocalDynamoDb;
import io.leasekit.engine.LogLines;
import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

class PlainHttpTest {

    @RegisterExtension
    private final LogLines log = new LogLines(PlainHttp.class.getName());

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://localhost:8000",
                "http://LOCALHOST",
                "http://db.localhost:8000",
                "http://127.0.0.1:8000",
                "http://127.1.2.3",
                "http://[::1]:8000",
                "https://dynamodb.eu-central-1.amazonaws.com",
                "https://10.0.0.1"
            })
    void staysOnThisMachineOrIsEncrypted(String endpoint) {
        assertThat(PlainHttp.isExposed(URI.create(endpoint))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://dynamodb.eu-central-1.amazonaws.com",
                "HTTP://10.0.0.1:8000",
                "http://dynamodb:8000",
                "http://127.0.0.1.example.org",
                "http://localhost.example.org",
                "http://[2001:db8::1]:8000"
            })
    void leavesThisMachineUnencrypted(String endpoint) {
        assertThat(PlainHttp.isExposed(URI.create(endpoint))).isTrue();
    }

    @Test
    void theWarningHasNoUserAndNoPassword() {
        try (DynamoDbAsyncClient client = LocalDynamoDb.clientBuilder(URI.create("http://me:secret@10.0.0.1:8000"))
                .build()) {
            PlainHttp.warnIfExposed(client);
        }

        assertThat(log.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly(
                        "Endpoint 'http://10.0.0.1' of the lease table is not encrypted, expected https for other"
                                + " machines");
    }
}
