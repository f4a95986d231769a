package io.leasekit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.leasekit.LeaseRequest;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Validation of keys, before any request is sent. */
class KeysTest {

    private final Bench.Node here = new Bench().start("here");

    static Stream<Arguments> badKeys() {
        return Stream.of(
                arguments(null, "Lease key is null, expected a text with a visible character"),
                arguments("", "Lease key is blank, expected a text with a visible character"),
                arguments(" \t\n", "Lease key is blank, expected a text with a visible character"),
                arguments(
                        "x".repeat(2_049),
                        "Lease key '" + "x".repeat(128) + "…' has 2049 bytes of UTF-8, expected at most 2048"),
                arguments(
                        "ä".repeat(1_024) + "x",
                        "Lease key '" + "ä".repeat(128) + "…' has 2049 bytes of UTF-8, expected at most 2048"));
    }

    @ParameterizedTest
    @MethodSource("badKeys")
    void aBadKeyIsAnErrorBeforeAnyRequest(String key, String text) {
        assertThatThrownBy(() -> here.leases.tryAcquire(key))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(text);
        assertThatThrownBy(() -> LeaseRequest.of(key))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(text);
        assertThatThrownBy(() -> here.leases.find(key))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(text);
        assertThatThrownBy(() -> here.leases.run(key, () -> {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(text);
        assertThat(here.store.verbs()).isEmpty();
    }

    static Stream<String> longestKeys() {
        return Stream.of("x".repeat(2_048), "ä".repeat(1_024), "🙂".repeat(512));
    }

    @ParameterizedTest
    @MethodSource("longestKeys")
    @ValueSource(strings = {"x", " x", "a b/c:d#e", "'", "\u0000x"})
    void anyOtherTextIsAKey(String key) {
        assertThat(here.acquire(key).key()).isEqualTo(key);
    }
}
