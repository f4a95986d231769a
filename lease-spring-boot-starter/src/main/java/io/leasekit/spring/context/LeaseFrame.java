package io.leasekit.spring.context;

import io.leasekit.Lease;
import io.leasekit.LeaseException;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.internal.Internal;
import io.leasekit.text.Text;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A call under a lease, linked to the outer calls within which it was made. The thread, the Reactor context or the
 * coroutine context of the call carries the frame. A {@code CompletionStage} does not carry the frame to other threads.
 * Thread-safe.
 */
@Internal
public final class LeaseFrame {

    /** Key of the innermost frame in the Reactor context and in Micrometer's context propagation. */
    public static final String CONTEXT_KEY = "io.leasekit.lease";

    private static final ThreadLocal<@Nullable LeaseFrame> INNERMOST = new ThreadLocal<>();

    private final SharedLease shared;
    private final boolean checkedBeforeCommit;
    private final @Nullable LeaseFrame outer;

    private LeaseFrame(SharedLease shared, boolean checkedBeforeCommit, @Nullable LeaseFrame outer) {
        this.shared = shared;
        this.checkedBeforeCommit = checkedBeforeCommit;
        this.outer = outer;
    }

    /** {@code checkedBeforeCommit} is true if transactions within the call need a valid lease to commit. */
    public static LeaseFrame within(@Nullable LeaseFrame outer, SharedLease shared, boolean checkedBeforeCommit) {
        return new LeaseFrame(shared, checkedBeforeCommit, outer);
    }

    public static LeaseFrame enter(SharedLease shared, boolean checkedBeforeCommit) {
        LeaseFrame entered = within(innermost(), shared, checkedBeforeCommit);
        replaceInnermost(entered);
        return entered;
    }

    /** This frame must be the innermost frame of this thread. */
    public void exit() {
        replaceInnermost(outer);
    }

    public static @Nullable LeaseFrame innermost() {
        return INNERMOST.get();
    }

    /** Returns the previous frame; {@code null} means no frame. */
    public static @Nullable LeaseFrame replaceInnermost(@Nullable LeaseFrame frame) {
        LeaseFrame before = INNERMOST.get();
        if (frame == null) {
            INNERMOST.remove();
        } else {
            INNERMOST.set(frame);
        }
        return before;
    }

    public Lease lease() {
        return shared.lease();
    }

    public static @Nullable Lease innermostLease() {
        LeaseFrame innermost = INNERMOST.get();
        return innermost == null ? null : innermost.lease();
    }

    /** Checks the leases of the innermost call and of its outer calls that have not ended. */
    public static void checkBeforeCommit() {
        LeaseFrame own = INNERMOST.get();
        for (LeaseFrame frame = own; frame != null; frame = frame.outer) {
            try {
                frame.ensureValidBeforeCommit();
            } catch (LeaseException e) {
                // An outer call may have released its lease while its asynchronous work still runs.
                if (frame == own || !frame.shared.hasEnded()) {
                    throw e;
                }
            }
        }
    }

    private void ensureValidBeforeCommit() {
        if (checkedBeforeCommit) {
            shared.lease().ensureValid();
        }
    }

    /**
     * Adds a call to the innermost lease that the request can use; {@code null} if there is no such lease. When the
     * added call ends, the caller must {@linkplain SharedLease#leave() leave} the lease. Skips a lease whose calls have
     * all ended, because code may still use a frame after its call has ended.
     */
    public static @Nullable SharedLease join(@Nullable LeaseFrame from, LeaseManager manager, LeaseRequest request) {
        for (LeaseFrame frame = from; frame != null; frame = frame.outer) {
            if (frame.shared.covers(manager, request.keys(), request.permits() > 0) && frame.shared.enter()) {
                return frame.shared;
            }
        }
        return null;
    }

    /**
     * If an outer call held one of the keys, the outer call and the new call would wait for each other. Call this
     * method only after {@link #join} has returned {@code null}.
     */
    public static void refuseHeld(@Nullable LeaseFrame from, LeaseManager manager, LeaseRequest request) {
        List<String> keys = request.keys();
        for (String key : keys) {
            if (isHeld(from, manager, key, request.permits() > 0)) {
                throw new IllegalStateException(
                        "Call needs the lease of " + keys.size() + " keys, but its thread already holds "
                                + Text.quote(key) + " without the others and would wait for itself");
            }
        }
    }

    public static boolean isHeldHere(LeaseManager manager, String key) {
        return isHeld(innermost(), manager, key, false);
    }

    private static boolean isHeld(@Nullable LeaseFrame from, LeaseManager manager, String key, boolean permit) {
        for (LeaseFrame frame = from; frame != null; frame = frame.outer) {
            if (frame.shared.covers(manager, List.of(key), permit) && !frame.shared.hasEnded()) {
                return true;
            }
        }
        return false;
    }
}
