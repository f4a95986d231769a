package io.leasekit.spring.context;

import io.leasekit.Lease;
import io.leasekit.LeaseLostException;
import io.leasekit.LeaseManager;
import io.leasekit.internal.Internal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A call under a lease, as an element of the stack of such calls of its thread. Used only by the thread that entered
 * it.
 */
@Internal
public final class LeaseFrame {

    private static final ThreadLocal<@Nullable LeaseFrame> INNERMOST = new ThreadLocal<>();

    private final LeaseHold hold;
    private final boolean checkedBeforeCommit;
    private final @Nullable LeaseFrame outer;

    private LeaseFrame(LeaseHold hold, boolean checkedBeforeCommit, @Nullable LeaseFrame outer) {
        this.hold = hold;
        this.checkedBeforeCommit = checkedBeforeCommit;
        this.outer = outer;
    }

    /**
     * Pushes a call onto the stack. {@code checkedBeforeCommit}: whether transactions within the call need a valid
     * lease to commit.
     */
    public static LeaseFrame enter(LeaseHold hold, boolean checkedBeforeCommit) {
        LeaseFrame entered = new LeaseFrame(hold, checkedBeforeCommit, INNERMOST.get());
        INNERMOST.set(entered);
        return entered;
    }

    /** Pops the call from the stack. It must be the innermost one. */
    public void exit() {
        if (outer == null) {
            INNERMOST.remove();
        } else {
            INNERMOST.set(outer);
        }
    }

    /** Returns the lease of the innermost call; {@code null} if the thread is not in such a call. */
    public static @Nullable Lease innermostLease() {
        LeaseFrame innermost = INNERMOST.get();
        return innermost == null ? null : innermost.hold.lease();
    }

    /**
     * Checks every lease of this thread that a commit requires.
     *
     * @throws LeaseLostException if one of them is lost
     */
    public static void checkBeforeCommit() {
        for (LeaseFrame frame = INNERMOST.get(); frame != null; frame = frame.outer) {
            if (frame.checkedBeforeCommit) {
                frame.hold.lease().ensureValid();
            }
        }
    }

    /** Returns the hold that covers all these keys in any call of this thread; {@code null} if there is none. */
    public static @Nullable LeaseHold holdOf(LeaseManager manager, List<String> keys) {
        LeaseFrame frame = INNERMOST.get();
        while (frame != null && !frame.hold.isOf(manager, keys)) {
            frame = frame.outer;
        }
        return frame == null ? null : frame.hold;
    }

    /**
     * Checks that no call of this thread holds one of these keys. Otherwise the thread would wait for itself.
     *
     * @throws IllegalStateException if a call holds one
     */
    public static void refuseHeld(LeaseManager manager, List<String> keys) {
        for (String key : keys) {
            if (holdOf(manager, List.of(key)) != null) {
                throw new IllegalStateException(
                        "Call needs the lease of " + keys.size() + " keys, but its thread already holds '" + key
                                + "' without the others and would wait for itself");
            }
        }
    }
}
