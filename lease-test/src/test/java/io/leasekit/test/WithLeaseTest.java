package io.leasekit.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasekit.spring.LeaseAssert;
import io.leasekit.spring.LeaseContext;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class WithLeaseTest {

    @Test
    void workSeesTheLease() throws Exception {
        String key = TestLeases.withLease("report", () -> {
            LeaseAssert.assertHeld();
            return LeaseContext.current().key();
        });

        assertThat(key).isEqualTo("report");
        assertThat(LeaseContext.find()).isEmpty();
    }

    @Test
    void workWithoutAResultNeedsNoThrows() {
        TestLeases.withLease("report", LeaseAssert::assertHeld);

        assertThat(LeaseContext.find()).isEmpty();
    }

    @Test
    void theExceptionOfTheWorkIsTheCallers() {
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> TestLeases.withLease("report", () -> {
                    throw new IOException("disk full");
                }));

        assertThat(LeaseContext.find()).isEmpty();
    }
}
