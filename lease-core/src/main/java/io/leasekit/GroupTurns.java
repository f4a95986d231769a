package io.leasekit;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Leases of several keys stand in no queue: each acquire asks the store by itself, for all keys at once, and holds nothing
 * while it waits. So callers that name the same keys in whatever order never wait for each other's. Nothing is handed over;
 * only releases of the same process are waited for, for the time of one request, by a group and by those who want one of its
 * keys: nobody is refused by what is just being given back. Thread-safe.
 */
final class GroupTurns implements Turns {

    private final LeaseEngine engine;
    private final List<String> keys;

    GroupTurns(LeaseEngine engine, List<String> keys) {
        this.engine = engine;
        this.keys = keys;
    }

    @Override
    public void enter(Acquisition acquisition) {
        engine.whenReleased(keys, acquisition::start);
    }

    @Override
    public void onImpatient(Acquisition acquisition) {}

    @Override
    public void onEnded(Acquisition acquisition, @Nullable Release release) {
        if (release != null) {
            engine.awaitInQueues(keys, release.done());
        }
    }

    @Override
    public void onOthers(Acquisition acquisition, @Nullable LeaseItem item, long sent) {}

    @Override
    public void onFailing(LeaseStoreException error) {}

    @Override
    public void onGranted(Acquisition acquisition, HeldLease lease, Grant grant) {}

    @Override
    public void onLost(HeldLease lease) {}

    @Override
    public void onGivenBack(CompletableFuture<Void> released) {
        engine.awaitInQueues(keys, released);
    }

    @Override
    public void onReleased(HeldLease lease, HandOver over, boolean mayHandOver) {
        engine.release(over.tenure(), Release.of(engine, over));
    }
}
