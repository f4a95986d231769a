package io.leasekit.spring.context;

import io.leasekit.Lease;
import io.leasekit.LeaseException;
import io.leasekit.LeaseLostException;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.internal.Internal;
import io.leasekit.text.Text;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A call under a lease, linked to the outer calls within which it was made. A thread-local variable of the thread that
 * runs the method contains the frame. During a reactive call, the Reactor context contains the frame under
 * {@link #CONTEXT_KEY}. During a suspending function, the coroutine context contains the frame. A
 * {@code CompletionStage} does not carry the frame to other threads. Immutable, so thread-safe.
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

    /**
     * Creates the frame of a call within another call, without changing the innermost frame of a thread.
     * {@code checkedBeforeCommit} is true if transactions within the call need a valid lease to commit.
     */
    public static LeaseFrame within(@Nullable LeaseFrame outer, SharedLease shared, boolean checkedBeforeCommit) {
        return new LeaseFrame(shared, checkedBeforeCommit, outer);
    }

    /**
     * Creates the frame of a call within the innermost call of this thread, and makes the new frame the innermost
     * frame.
     */
    public static LeaseFrame enter(SharedLease shared, boolean checkedBeforeCommit) {
        LeaseFrame entered = within(innermost(), shared, checkedBeforeCommit);
        replaceInnermost(entered);
        return entered;
    }

    /** Ends the call of this frame, which must be the innermost call of this thread. */
    public void exit() {
        replaceInnermost(outer);
    }

    /**
     * Returns the frame of the innermost call of this thread; {@code null} if the thread is in no call under a lease.
     */
    public static @Nullable LeaseFrame innermost() {
        return INNERMOST.get();
    }

    /** Sets the innermost frame of this thread, and returns the previous frame; {@code null} means no frame. */
    public static @Nullable LeaseFrame replaceInnermost(@Nullable LeaseFrame frame) {
        LeaseFrame before = INNERMOST.get();
        if (frame == null) {
            INNERMOST.remove();
        } else {
            INNERMOST.set(frame);
        }
        return before;
    }

    /** Returns the lease of this call. */
    public Lease lease() {
        return shared.lease();
    }

    /** Returns the lease of the innermost call; {@code null} if the thread is in no call under a lease. */
    public static @Nullable Lease innermostLease() {
        LeaseFrame innermost = INNERMOST.get();
        return innermost == null ? null : innermost.lease();
    }

    /**
     * Checks the leases that must be valid when this thread commits a transaction: those of the innermost call and of
     * its outer calls that have not ended.
     *
     * @throws LeaseLostException if one of the checked leases is lost
     * @throws LeaseException if one of the checked leases is released
     */
    public static void checkBeforeCommit() {
        LeaseFrame own = INNERMOST.get();
        for (LeaseFrame frame = own; frame != null; frame = frame.outer) {
            try {
                frame.ensureValidBeforeCommit();
            } catch (LeaseException e) {
                // an outer call may end, and release its lease, while asynchronous work that it has begun still runs
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
     * Searches the frame {@code from} and its outer frames for a lease that the request can use, and adds a call to
     * this lease. Returns {@code null} if none of these frames has a lease that the request can use. When the added
     * call ends, the caller must {@linkplain SharedLease#leave() leave} the lease. A lease whose calls have all ended
     * is skipped, because code may still use a frame after its call has ended.
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
     * Checks that neither the frame {@code from} nor an outer frame holds one of the keys. If an outer call held a key,
     * the outer call and the new call would wait for each other. Call this method only after {@link #join} has returned
     * {@code null}.
     *
     * @throws IllegalStateException if the frame {@code from} or an outer frame holds one of the keys
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

    /**
     * Returns whether the innermost call of this thread, or one of its outer calls, holds the exclusive lease of a key.
     */
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
