package io.leasekit.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.leasekit.Lease;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Permits in tests of users: the key of the request stands for all its slots. */
@Timeout(600)
class PermitsOfATestTest {

    private static final LeaseRequest TWO = LeaseRequest.of("export").permits(2);

    private final TestLeases leases = TestLeases.create();
    private final LeaseManager here = leases.manager();
    private final LeaseNode other = leases.node("other");

    @Test
    void anotherNodeTakesAPermit() {
        other.hold(TWO);
        Lease mine = here.acquire(TWO);

        assertThat(leases).isHeldBy("export", "other").isHeldBy("export", TestLeases.OWN);
        assertThat(here.tryAcquire(TWO)).isEmpty();
        assertThatIllegalStateException().isThrownBy(() -> leases.node("third").hold(TWO));
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> assertThat(leases).isFree("export"))
                .withMessageContaining("that it is free, but its holder was 'other', 'this-node'");

        other.release("export");
        mine.close();

        assertThat(leases).isFree("export").released("export");
    }

    @Test
    void anotherNodeReleasesItsPermitsOneByOne() {
        other.hold(TWO);
        other.hold(TWO);
        assertThat(here.tryAcquire(TWO)).isEmpty();

        other.release("export");
        here.acquire(TWO).close();
        other.release("export");

        assertThat(leases).isFree("export");
        assertThatIllegalStateException()
                .isThrownBy(() -> other.release("export"))
                .withMessage("Node 'other' does not hold 'export', it holds []");
    }

    @ParameterizedTest
    @EnumSource(
            value = LeaseLossReason.class,
            names = {"EXPIRED", "TAKEN", "REVOKED"})
    void aPermitIsLostAsALeaseIs(LeaseLossReason reason) {
        Lease first = here.acquire(TWO);
        Lease second = here.acquire(TWO);

        leases.lose("export", reason);

        assertThat(leases).lost("export", reason);
        assertThat(first.isValid()).isNotEqualTo(second.isValid());
    }
}
