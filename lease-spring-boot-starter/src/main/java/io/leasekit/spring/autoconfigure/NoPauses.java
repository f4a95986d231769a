package io.leasekit.spring.autoconfigure;

import io.leasekit.LeaseException;
import io.leasekit.LeasePause;
import io.leasekit.LeasePauses;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The pauses of an application whose leases are switched off: there are none. */
final class NoPauses implements LeasePauses {

    @Override
    public boolean isEnabled() {
        return false;
    }

    @Override
    public LeasePause pause(String keyOrPrefix, Instant until, String reason) {
        throw off();
    }

    @Override
    public LeasePause pause(String keyOrPrefix, Instant until, String reason, String by) {
        throw off();
    }

    @Override
    public Optional<LeasePause> resume(String keyOrPrefix) {
        throw off();
    }

    @Override
    public List<LeasePause> list() {
        return List.of();
    }

    private static LeaseException off() {
        return new LeaseException("Nothing can be paused: leases are switched off by 'lease.enabled=false'", null);
    }
}
