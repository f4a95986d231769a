package io.leasekit.spring.context;

import io.leasekit.Lease;
import io.leasekit.LeaseLostException;
import io.leasekit.LeaseManager;
import io.leasekit.internal.Internal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A call under a lease, on the stack of those that its thread is in. Used by the thread that entered it. */
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

    /** Puts a call on the stack; {@code checkedBeforeCommit}: whether a transaction within it needs a valid lease to commit. */
    public static LeaseFrame enter(LeaseHold hold, boolean checkedBeforeCommit) {
        LeaseFrame entered = new LeaseFrame(hold, checkedBeforeCommit, INNERMOST.get());
        INNERMOST.set(entered);
        return entered;
    }

    /** Takes the call, the innermost one, from the stack. */
    public void exit() {
        if (outer == null) {
            INNERMOST.remove();
        } else {
            INNERMOST.set(outer);
        }
    }

    /** Returns the lease of the innermost call; {@code null}: the thread is in none. */
    public static @Nullable Lease innermostLease() {
        LeaseFrame innermost = INNERMOST.get();
        return innermost == null ? null : innermost.hold.lease();
    }

    /**
     * Returns if all leases that a commit needs are valid.
     *
     * @throws LeaseLostException if one is lost
     */
    public static void checkBeforeCommit() {
        for (LeaseFrame frame = INNERMOST.get(); frame != null; frame = frame.outer) {
            if (frame.checkedBeforeCommit) {
                frame.hold.lease().ensureValid();
            }
        }
    }

    /** Returns the hold of all these keys that a call of this thread, at whatever depth, has; {@code null}: none has it. */
    public static @Nullable LeaseHold holdOf(LeaseManager manager, List<String> keys) {
        LeaseFrame frame = INNERMOST.get();
        while (frame != null && !frame.hold.isOf(manager, keys)) {
            frame = frame.outer;
        }
        return frame == null ? null : frame.hold;
    }

    /**
     * Checks that no call of this thread holds one of these keys: nobody waits for himself.
     *
     * @throws IllegalStateException if one does
     */
    public static void refuseHeld(LeaseManager manager, List<String> keys) {
        for (String key : keys) {
            if (holdOf(manager, List.of(key)) != null) {
                throw new IllegalStateException("Call under the lease of " + keys.size() + " keys, among them '" + key
                        + "', which its thread holds already without the others: it would wait for itself");
            }
        }
    }
}
