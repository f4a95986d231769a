package io.leasekit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.leasekit.LeaseManager;
import io.leasekit.LeaseManagerBuilder;
import io.leasekit.LeaseRequest;
import io.leasekit.memory.InMemoryLeaseStore;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Settings are checked against each other at construction. The texts name the actual and the expected values. */
class SettingsTest {

    private static final Duration NANO = Duration.ofNanos(1);
    private static final Duration SECOND = Duration.ofSeconds(1);

    private static Arguments bad(String text, Consumer<LeaseManagerBuilder> setting) {
        return arguments(text, setting);
    }

    static Stream<Arguments> badSettings() {
        return Stream.of(
                bad(
                        "ttl is 1.999999999 s, expected between 2 s and 365 d",
                        b -> b.ttl(Duration.ofSeconds(2).minus(NANO))),
                bad(
                        "ttl is 365 d 0.000000001 s, expected between 2 s and 365 d",
                        b -> b.ttl(Duration.ofDays(365).plus(NANO))),
                bad(
                        "heartbeatInterval is 5.000000001 s, expected at most half of the ttl of 10 s",
                        b -> b.ttl(SECOND.multipliedBy(10))
                                .heartbeatInterval(SECOND.multipliedBy(5).plus(NANO))),
                bad("heartbeatInterval is 0 s, expected more than zero", b -> b.heartbeatInterval(Duration.ZERO)),
                bad("heartbeatInterval is -1 s, expected more than zero", b -> b.heartbeatInterval(SECOND.negated())),
                bad("storeTimeout is 0 s, expected more than zero", b -> b.storeTimeout(Duration.ZERO)),
                bad("closeTimeout is -1 s, expected zero or more", b -> b.closeTimeout(SECOND.negated())),
                bad(
                        "retention is 14 min 59.999999999 s, expected at least 15 min:"
                                + " a request applied late must still find the fencing token",
                        b -> b.retention(Duration.ofMinutes(15).minus(NANO))),
                bad(
                        "owner is ' \\u0009', expected a text with a visible character and at most 1024 characters",
                        b -> b.owner(" \t")),
                bad(
                        "owner is '" + "x".repeat(128)
                                + "…', expected a text with a visible character and at most 1024 characters",
                        b -> b.owner("x".repeat(1_025))));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("badSettings")
    void aBadSettingIsAnErrorAtConstruction(String text, Consumer<LeaseManagerBuilder> setting) {
        LeaseManagerBuilder builder = LeaseManager.builder(new InMemoryLeaseStore());
        setting.accept(builder);

        assertThatThrownBy(builder::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(text);
    }

    @Test
    void settingsAtTheirLimitsAreGood() {
        LeaseManager.builder(new InMemoryLeaseStore())
                .ttl(Duration.ofSeconds(2))
                .heartbeatInterval(SECOND)
                .closeTimeout(Duration.ZERO)
                .retention(Duration.ofMinutes(15))
                .owner("x".repeat(1_024))
                .build()
                .close();
        LeaseManager.builder(new InMemoryLeaseStore())
                .ttl(Duration.ofDays(365))
                .build()
                .close();
    }

    static Stream<Arguments> badRequests() {
        return Stream.of(
                badRequest("ttl is 1 s for lease key 'key', expected between 2 s and 365 d", r -> r.ttl(SECOND)),
                badRequest(
                        "heartbeatInterval is 0 s for lease key 'key', expected more than zero",
                        r -> r.heartbeatInterval(Duration.ZERO)),
                badRequest(
                        "waitFor is -1 s for lease key 'key', expected zero or more", r -> r.waitFor(SECOND.negated())),
                badRequest(
                        "holdAtLeast is -1 s for lease key 'key', expected zero or more",
                        r -> r.holdAtLeast(SECOND.negated())),
                badRequest(
                        "cooldown is -1 s for lease key 'key', expected zero or more",
                        r -> r.cooldown(SECOND.negated())),
                badRequest(
                        "holdAtMost is 0 s for lease key 'key', expected more than zero",
                        r -> r.holdAtMost(Duration.ZERO)));
    }

    private static Arguments badRequest(String text, UnaryOperator<LeaseRequest> change) {
        return arguments(text, change);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("badRequests")
    void aBadTermOfARequestIsAnErrorAtOnce(String text, UnaryOperator<LeaseRequest> change) {
        LeaseRequest request = LeaseRequest.of("key");

        assertThatThrownBy(() -> change.apply(request))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(text);
    }

    @Test
    void aRequestThatDoesNotFitTheManagersSettingsIsAnErrorBeforeAnyRequest() {
        Bench.Node here = new Bench().start("here");

        assertThatThrownBy(
                        () -> here.leases.tryAcquire(LeaseRequest.of("key").heartbeatInterval(SECOND.multipliedBy(6))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("heartbeatInterval is 6 s for lease key 'key', expected at most half of the ttl of 10 s");
        assertThat(here.store.verbs()).isEmpty();
    }

    @Test
    void theLongestTimesOverflowNothing() {
        Bench bench = new Bench();
        Bench.Node here = bench.start("here", builder -> builder.retention(Duration.ofSeconds(Long.MAX_VALUE)));
        Duration forever = Duration.ofSeconds(Long.MAX_VALUE);

        here.acquire(LeaseRequest.of("key").waitFor(forever).holdAtMost(forever))
                .close();
        assertThat(bench.isHeld("key")).isFalse();
        here.acquire(LeaseRequest.of("key").cooldown(forever)).close();

        assertThat(here.tryAcquire("key")).isEmpty();
    }
}
