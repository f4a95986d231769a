package io.leasekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LeaseRequestPermitsTest {

    private static final LeaseRequest REQUEST = LeaseRequest.of("export");

    @Test
    void thereAreNoPermitsByDefault() {
        assertThat(REQUEST.permits()).isZero();
        assertThat(REQUEST.permitsPerNode()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 100})
    void aRequestNamesItsPermits(int permits) {
        assertThat(REQUEST.permits(permits).permits()).isEqualTo(permits);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 101})
    void anotherNumberIsRefused(int permits) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> REQUEST.permits(permits))
                .withMessage("permits is " + permits + " for lease key 'export', expected from 1 to 100");
        assertThatIllegalArgumentException().isThrownBy(() -> REQUEST.permitsPerNode(permits));
    }

    @Test
    void aNodeHasNoMorePermitsThanThereAre() {
        assertThat(REQUEST.permits(3).permitsPerNode(3).permitsPerNode()).isEqualTo(3);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> REQUEST.permits(3).permitsPerNode(4))
                .withMessageContaining("permitsPerNode is 4 for lease key 'export', expected at most the 3 permits");
    }

    @Test
    void whatOnlyOneHolderCanHaveIsRefusedInAnyOrder() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> REQUEST.permits(3).once("run"))
                .withMessageContaining("has 'once', expected no run");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> REQUEST.once("run").permits(3));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> REQUEST.permits(3).cooldown(Duration.ofSeconds(1)))
                .withMessageContaining("has 'cooldown', expected no hold");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> REQUEST.permits(3).holdAtLeast(Duration.ofSeconds(1)))
                .withMessageContaining("has 'holdAtLeast', expected no hold");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LeaseRequest.ofAll("a", "b").permits(3))
                .withMessageContaining("'a', 'b' has several keys, expected one key");
    }

    @Test
    void keysOfSlotsAreReserved() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LeaseRequest.of("export#permit=1"))
                .withMessage("Lease key 'export#permit=1' contains '#permit=', which is reserved for the items of"
                        + " permits");
    }

    @Test
    void theKeyOfTheCheckOfPermissionsIsReserved() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LeaseRequest.of("shop/#permissions"))
                .withMessage(
                        "Lease key 'shop/#permissions' ends with '#permissions', which is reserved for the check of"
                                + " permissions");
    }

    @Test
    void theKeyOfEachSlotMustFit() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LeaseRequest.of("x".repeat(2_048)).permits(2));
    }
}
