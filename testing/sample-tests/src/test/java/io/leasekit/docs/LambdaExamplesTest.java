package io.leasekit.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.Lease;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseLostException;
import io.leasekit.LeaseRequest;
import io.leasekit.test.LeaseNode;
import io.leasekit.test.TestLeases;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Runs the handler of docs/operations.md: invocations that end in time, are cut off, or find another one at work. */
class LambdaExamplesTest {

    private static final long TEN_SECONDS = 10_000;
    private static final Duration RESERVE = Duration.ofSeconds(3);

    private final List<String> applied = new ArrayList<>();
    private final TestLeases leases = TestLeases.create();
    private final LambdaExamples function = new LambdaExamples(leases.manager(), new Work());
    private int lines = 2;

    /** Each line takes a second. */
    private final class Work implements LambdaExamples.Lines {

        @Override
        public List<String> of(String file) {
            return Collections.nCopies(lines, file);
        }

        @Override
        public void apply(String line) {
            applied.add(line);
            leases.advance(Duration.ofSeconds(1));
        }
    }

    @Test
    void anEventThatIsDeliveredTwiceIsHandledOnce() {
        assertThat(function.handle("a", TEN_SECONDS)).isTrue();
        assertThat(function.handle("a", TEN_SECONDS)).isFalse();
        assertThat(function.handle("b", TEN_SECONDS)).isTrue();

        assertThat(applied).containsExactly("a", "a", "b", "b");
    }

    @Test
    void workThatTakesTooLongStopsBeforeTheTimeoutOfTheFunctionAndIsRunAgain() {
        lines = 20;
        Instant timeout = leases.now().plusMillis(TEN_SECONDS);

        assertThatThrownBy(() -> function.handle("a", TEN_SECONDS)).isInstanceOf(LeaseLostException.class);

        assertThat(Duration.between(leases.now(), timeout)).isEqualTo(RESERVE);
        assertThat(applied).hasSize(7);
        lines = 2;
        leases.advance(RESERVE);
        assertThat(function.handle("a", TEN_SECONDS)).isTrue();
    }

    @Test
    void afterTheDeathOfAnInvocationTheNextOneBeginsWhenItsTimeIsOver() {
        LeaseNode dead = leases.node("dead");
        dead.hold(LeaseRequest.of("import").passive().ttl(Duration.ofSeconds(60)));
        dead.crash();

        leases.advance(Duration.ofSeconds(60));
        assertThat(function.handle("a", TEN_SECONDS)).isFalse();
        leases.advance(Duration.ofSeconds(7)); // the clocks of both
        assertThat(function.handle("a", TEN_SECONDS)).isTrue();
    }

    @Test
    void withTooLittleTimeTheInvocationFailsAndDoesNothing() {
        assertThatThrownBy(() -> function.handle("a", 4_999)).isInstanceOf(IllegalArgumentException.class);

        assertThat(applied).isEmpty();
        lines = 0;
        assertThat(function.handle("a", 5_000)).isTrue();
    }

    @Test
    void aLeaseThatIsHeldDuringAFreezeIsKnownToBeLostAtTheFirstLook() {
        LeaseNode frozen = leases.node("frozen");
        Lease lease = frozen.hold("import"); // with heartbeats
        frozen.pause();
        leases.advance(Duration.ofMinutes(10));

        assertThat(function.handle("a", TEN_SECONDS)).isTrue();
        frozen.comeBack();

        assertThat(lease.isValid()).isFalse();
        assertThat(lease.lossReason()).contains(LeaseLossReason.EXPIRED);
        assertThatThrownBy(lease::ensureValid).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void heartbeatsEndAtTheHoldLimitAndADeadHolderBlocksForItsTtlOnly() {
        LeaseRequest request =
                LeaseRequest.of("import").ttl(Duration.ofSeconds(20)).holdAtMost(Duration.ofSeconds(57));
        LeaseNode dead = leases.node("dead");
        Lease lease = dead.hold(request);
        leases.advance(Duration.ofSeconds(56));
        assertThat(lease.isValid()).isTrue();
        leases.advance(Duration.ofSeconds(1));
        assertThat(lease.lossReason()).contains(LeaseLossReason.HOLD_LIMIT);
        leases.advance(Duration.ofSeconds(7));

        dead.hold(request);
        dead.crash();
        leases.advance(Duration.ofSeconds(27));
        assertThat(function.handle("a", TEN_SECONDS)).isTrue();
    }
}
