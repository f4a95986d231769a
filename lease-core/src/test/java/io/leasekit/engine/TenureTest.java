package io.leasekit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.requests.BoundedClock;
import io.leasekit.tenure.Tenure;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The attempts of a tenure that are remembered. */
class TenureTest {

    private final Tenure tenure = new Tenure(new UUID(1, 2));

    private Tenure.Attempt sent(long at) {
        return tenure.next(new BoundedClock.Reading(at, at, 0, 0, 0, true), 0, 1, 1, 1);
    }

    @Test
    void attemptsThatAreUselessAreForgottenUpToTheFirstThatIsNot() {
        Tenure.Attempt first = sent(10);
        sent(30);
        Tenure.Attempt third = sent(20);

        tenure.forgetWhile(attempt -> attempt.sent() < 25);

        assertThat(tenure.attempt(first.number())).isNull();
        assertThat(tenure.attempt(third.number())).isEqualTo(third);
        assertThat(tenure.last()).isEqualTo(3);
        assertThat(Tenure.numberIn(tenure.version(1))).isEqualTo(1);
    }

    @Test
    void attemptsAreRememberedAgainAfterAllWereForgotten() {
        Tenure.Attempt first = sent(10);
        tenure.forgetWhile(attempt -> true);

        Tenure.Attempt second = sent(20);

        assertThat(tenure.attempt(first.number())).isNull();
        assertThat(tenure.attempt(second.number())).isEqualTo(second);
        assertThat(new Tenure(new UUID(3, 4)).attempt(second.number()))
                .as("attempt of another tenure")
                .isNull();
        assertThat(tenure.last()).isEqualTo(2);
    }
}
