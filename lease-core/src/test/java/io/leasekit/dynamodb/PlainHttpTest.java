package io.leasekit.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlainHttpTest {

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
}
