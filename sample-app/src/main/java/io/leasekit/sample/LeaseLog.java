package io.leasekit.sample;

import io.leasekit.LeaseEvent;
import io.leasekit.LeaseInfo;
import io.leasekit.LeaseListener;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Logs the holder and the fencing token of each lease. Lost leases are not logged here, because the library logs each
 * loss.
 */
@Component
class LeaseLog implements LeaseListener {

    private static final Logger log = LoggerFactory.getLogger(LeaseLog.class);

    @Override
    public void onEvent(LeaseEvent event) {
        if (event instanceof LeaseEvent.Acquired acquired) {
            log.info("Lease '{}' acquired: {}", acquired.key(), holder(acquired.owner(), acquired.fencingToken()));
        } else if (event instanceof LeaseEvent.Released released) {
            log.info("Lease '{}' released: {}", released.key(), holder(released.owner(), released.fencingToken()));
        } else if (event instanceof LeaseEvent.AlreadyRan done) {
            log.info("Lease '{}' not needed: run '{}' is done", done.key(), done.run());
        } else if (event instanceof LeaseEvent.Unavailable unavailable) {
            log.info("Lease '{}' unavailable: {}", unavailable.key(), holder(unavailable.holder()));
        }
    }

    private static String holder(@Nullable LeaseInfo info) {
        return info == null ? "the holder is unknown" : holder(info.owner(), info.fencingToken());
    }

    private static String holder(@Nullable String owner, long token) {
        return "owner '" + owner + "', token " + token;
    }
}
