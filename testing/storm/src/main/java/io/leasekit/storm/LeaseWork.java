package io.leasekit.storm;

import io.leasekit.Lease;
import io.leasekit.LeaseException;
import java.util.List;
import java.util.Random;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;

/**
 * The work under one lease: samples of its validity, and guarded writes. The checks of the writes are made at the begin, and
 * used as long as the work goes on, even after the lease has ended. Used by one thread, except for {@link #record}.
 */
final class LeaseWork {

    private final StormNode node;
    private final Lease lease;
    private final List<String> items;
    private final Random random;
    private final List<ConditionCheck> checks;

    LeaseWork(StormNode node, Lease lease, Random random) {
        this.node = node;
        this.lease = lease;
        this.items = Scene.items(lease);
        this.random = random;
        this.checks = checks();
        lease.lost()
                .thenAccept(reason -> record(
                        Event.of("lost").with(Event.OUTCOME, reason.name()).with(Event.TO, System.nanoTime())));
    }

    /** Returns the event of a grant, without its times. */
    static Event granted(Lease lease) {
        Event granted = Event.of("granted").keys(Scene.items(lease)).with(Event.TOKEN, lease.fencingToken());
        return Scene.isPermit(lease)
                ? granted.with(Event.PERMITS, lease.permits()).with(Event.SLOT, lease.slot())
                : granted;
    }

    private List<ConditionCheck> checks() {
        try {
            return lease.conditionChecks();
        } catch (LeaseException e) {
            return List.of(); // lost already
        }
    }

    /** Records an event of this lease. */
    void record(Event event) {
        node.record(event.keys(items).with(Event.TOKEN, lease.fencingToken()));
    }

    void sample() {
        long from = System.nanoTime();
        long left = lease.remaining().toNanos();
        record(Event.of("sample").with("left", left).between(from, System.nanoTime()));
    }

    void write() throws InterruptedException {
        if (checks.isEmpty()) {
            return;
        }
        String key = items.get(random.nextInt(items.size()));
        String id = node.nextId();
        long from = System.nanoTime();
        String outcome = node.referee().write(node.isGuarding() ? checks : List.of(), key, lease.fencingToken(), id);
        node.record(Event.of("write")
                .with(Event.KEY, key)
                .with(Event.TOKEN, lease.fencingToken())
                .with(Event.ID, id)
                .with(Event.OUTCOME, outcome)
                .between(from, System.nanoTime()));
    }
}
