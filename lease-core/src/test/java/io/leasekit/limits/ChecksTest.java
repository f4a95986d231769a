package io.leasekit.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;

import java.util.List;
import org.junit.jupiter.api.Test;

class ChecksTest {

    @Test
    void anErrorOfALimitHasTheNameOfTheCaller() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Checks.OWNER.check("name of the owner", " \t"))
                .withMessage(
                        "name of the owner is ' \\u0009', expected a text with a visible character and at most 1024"
                                + " characters");
    }

    @Test
    void limitsAreInclusive() {
        assertThat(Checks.TTL.accepts(Checks.MIN_TTL)).isTrue();
        assertThat(Checks.TTL.accepts(Checks.MIN_TTL.minusNanos(1))).isFalse();
        assertThat(Checks.TTL.accepts(Checks.MAX_DURATION)).isTrue();
        assertThat(Checks.TTL.accepts(Checks.MAX_DURATION.plusNanos(1))).isFalse();
        assertThat(Checks.RETENTION.accepts(Checks.MIN_RETENTION)).isTrue();
        assertThat(Checks.OWNER.accepts("x".repeat(Checks.MAX_OWNER))).isTrue();
        assertThat(Checks.OWNER.accepts("x".repeat(Checks.MAX_OWNER + 1))).isFalse();
    }

    @Test
    void aKeyIsMeasuredInBytes() {
        assertThatNoException().isThrownBy(() -> Checks.key("€".repeat(682) + "xx"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Checks.key("€".repeat(683)))
                .withMessageEndingWith(" has 2049 bytes of UTF-8, expected at most 2048");
    }

    @Test
    void keysAreSorted() {
        assertThat(Checks.keys(List.of("b"))).containsExactly("b");
        assertThat(Checks.keys(List.of("b", "a"))).containsExactly("a", "b");
    }
}
