package io.leasekit.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.LeaseInfo;
import io.leasekit.LeaseStoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("boot3")
class LeaseReadsTest {

    private final LeaseReads reads = new LeaseReads();
    private final List<String> read = new ArrayList<>();

    private LeaseReads.Read fail(String manager) {
        return reads.read(manager, () -> {
            read.add(manager);
            throw new LeaseStoreException(
                    "Lease 'secret' in table 'leases': Broken", new IllegalStateException("Broken"));
        });
    }

    private LeaseReads.Read find(String manager, LeaseInfo found) {
        return reads.read(manager, () -> {
            read.add(manager);
            return Optional.ofNullable(found);
        });
    }

    @Test
    void afterAFailureTheSameManagerIsAskedNoMore() {
        assertThat(find("a", null)).isEqualTo(LeaseReads.Read.NONE);
        assertThat(fail("a").error()).isEqualTo("Broken");
        assertThat(find("a", null).error()).isEqualTo("Broken");
        assertThat(find("b", null)).isEqualTo(LeaseReads.Read.NONE);

        assertThat(read).containsExactly("a", "a", "b");
    }
}
