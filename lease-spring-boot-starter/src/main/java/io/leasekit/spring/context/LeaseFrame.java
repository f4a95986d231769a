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
 * A call under a lease, with the calls around it. A call keeps its frame on the thread that runs the method. A reactive
 * call or a suspending function also carries it in the Reactor context, under {@link #CONTEXT_KEY}, or in the
 * coroutine context; stages carry none. Immutable, so thread-safe.
 */
@Internal
public final class LeaseFrame {

    /** Key of the innermost frame in contexts that travel between threads. */
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
     * Creates the frame of a call within another one, without a thread. {@code checkedBeforeCommit}: whether
     * transactions within the call need a valid lease to commit.
     */
    public static LeaseFrame within(@Nullable LeaseFrame outer, SharedLease shared, boolean checkedBeforeCommit) {
        return new LeaseFrame(shared, checkedBeforeCommit, outer);
    }

    /** Creates the frame of a call within the innermost one of this thread, and makes it the innermost. */
    public static LeaseFrame enter(SharedLease shared, boolean checkedBeforeCommit) {
        LeaseFrame entered = within(innermost(), shared, checkedBeforeCommit);
        replaceInnermost(entered);
        return entered;
    }

    /** Leaves the call, which must be the innermost one of this thread. */
    public void exit() {
        replaceInnermost(outer);
    }

    /** Returns the frame of the innermost call of this thread; {@code null} if there is none. */
    public static @Nullable LeaseFrame innermost() {
        return INNERMOST.get();
    }

    /** Sets the frame of this thread, {@code null} for none, and returns the previous one. */
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

    /** Returns the lease of the innermost call; {@code null} if the thread is not in such a call. */
    public static @Nullable Lease innermostLease() {
        LeaseFrame innermost = INNERMOST.get();
        return innermost == null ? null : innermost.lease();
    }

    /**
     * Checks every lease of this thread that a commit requires: that of the innermost call, and those of the calls around
     * it that have not ended.
     *
     * @throws LeaseLostException if one of them is lost
     * @throws LeaseException if one of them is released
     */
    public static void checkBeforeCommit() {
        LeaseFrame own = INNERMOST.get();
        for (LeaseFrame frame = own; frame != null; frame = frame.outer) {
            try {
                frame.ensureValidBeforeCommit();
            } catch (LeaseException e) {
                // an outer call may end, and release its lease, before work that it began and did not await
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
     * Adds a call to the shared lease that covers the request, in this frame or one around it, and returns it. Returns
     * {@code null} if there is none. The caller must {@linkplain SharedLease#leave() leave} it. Skips those that have ended,
     * because a frame may be used after its call.
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
     * Checks, after {@link #join} found no lease, that no call in this frame or around it holds one of the keys. Otherwise the
     * call would wait for itself.
     *
     * @throws IllegalStateException if a call holds one
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

    /** Returns whether the innermost call of this thread, or one around it, holds the exclusive lease of a key. */
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
