package io.leasekit.requests;

import io.leasekit.internal.Internal;
import io.leasekit.store.RenewCommand;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * The renewal of one lease.
 *
 * @param commands its write, or one for each item of a lease of several keys
 * @param reading the clock reading for the write, taken before it is sent
 * @param until the monotonic time until which its reply is awaited
 * @param isHeld whether the lease has not ended meanwhile; no renewal is sent after its end (5.6)
 * @param onReply called once with the reply or with a timeout, unless the lease has ended
 * @param onLateReply called with a reply after the timeout
 */
@Internal
public record Renewal(
        List<RenewCommand> commands,
        BoundedClock.Reading reading,
        long until,
        BooleanSupplier isHeld,
        Receiver onReply,
        Consumer<Requests.Reply> onLateReply) {

    /** Takes the reply to a renewal. */
    public interface Receiver {

        /** {@code together}: the renewal was sent in one request with others. */
        void onReply(Requests.Reply reply, boolean together);
    }

    String key() {
        return commands.get(0).key();
    }
}
