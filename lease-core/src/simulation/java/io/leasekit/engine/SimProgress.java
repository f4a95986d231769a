package io.leasekit.engine;

import io.leasekit.LeaseRequest;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.OnceOrder;
import io.leasekit.Progress;
import io.leasekit.ProgressCodec;
import io.leasekit.records.ItemProgress;
import io.leasekit.records.ItemRun;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.ReleaseCommand;
import io.leasekit.tenure.Tenure;
import io.leasekit.time.EngineTime;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Bodies that save progress (protocol 5.12). A holder finds the last value of its run whose save was acknowledged, or a later one
 * that was given; never that of another run, nor one from before a success. Values are numbered in the order in which they are
 * given. Schedules with progress have seeds of their own, so the others stay as they are.
 */
final class SimProgress {

    /** The first seed of schedules with progress. */
    static final long FIRST_SEED = 1_000_000;

    private static final long SECOND = EngineTime.SECOND;

    private final Simulation world;
    private final SplittableRandom random;
    private final boolean active;
    private final Map<Run, State> states = new HashMap<>();
    private final Map<UUID, Given> given = new HashMap<>(); // the last value of each tenure
    private long number;

    private record Given(Run run, long value) {}

    private record Run(String key, @Nullable String name) {}

    private static final class State {
        private long acknowledged; // 0: none, or another run has saved since
        private long ended; // no value up to this one may be seen any more
    }

    SimProgress(Simulation world, long seed) {
        this.world = world;
        this.random = new SplittableRandom(17 * seed);
        this.active = seed / FIRST_SEED == 1;
    }

    /** Returns the request, of which most are resumable if they may be. */
    LeaseRequest drawn(LeaseRequest request) {
        boolean mayBe = active
                && request.keys().size() == 1
                && request.permits() == 0
                && (request.once() == null || request.onceOrder() == OnceOrder.GROWING);
        return mayBe && random.nextInt(4) > 0 ? request.resumable() : request;
    }

    /** Returns how the work ends; {@code null}: the caller decides. */
    @Nullable
    LeaseRunOutcome outcome(LeaseRequest request) {
        if (!request.isResumable()) {
            return null;
        }
        return random.nextInt(3) == 0
                ? LeaseRunOutcome.SUCCEEDED
                : random.nextBoolean() ? LeaseRunOutcome.FAILED : LeaseRunOutcome.RETRY;
    }

    void onGranted(SimBody body, HeldLease lease, LeaseRequest request) {
        if (!request.isResumable()) {
            return;
        }
        Run run = new Run(request.key(), request.once());
        if (lease.isValid()) {
            check(body, lease, run);
        }
        saveLater(body, lease, run);
    }

    private void check(SimBody body, HeldLease lease, Run run) {
        State state = state(run);
        String last = lease.progress(ProgressCodec.text()).last().orElse(null);
        if (last == null) {
            if (state.acknowledged > 0 && !world.faults().crates()) {
                world.fail(body + " finds no progress of " + run + ", although " + state.acknowledged + " was saved");
            }
            return;
        }
        long seen = Long.parseLong(last.substring(last.lastIndexOf('#') + 1));
        if (!last.startsWith(run + "#")) {
            world.fail(body + " finds progress of another run than " + run + ": " + last);
        } else if (seen <= state.ended) {
            world.fail(body + " finds progress from before a success: " + last);
        } else if (seen < state.acknowledged) {
            world.fail(body + " finds " + last + ", although " + state.acknowledged + " was saved");
        }
    }

    private State state(Run run) {
        return states.computeIfAbsent(run, one -> new State());
    }

    private void saveLater(SimBody body, HeldLease lease, Run run) {
        body.process().later(random.nextLong(3 * SECOND), () -> {
            if (body.lease() == lease) {
                save(lease, run);
                saveLater(body, lease, run);
            }
        });
    }

    private void save(HeldLease lease, Run run) {
        long value = ++number;
        Progress<String> progress = lease.progress(ProgressCodec.text());
        states.forEach((other, state) -> {
            if (other.key.equals(run.key) && !other.equals(run)) {
                state.acknowledged = 0; // an item has the progress of one run
            }
        });
        if (lease.isValid()) {
            given.put(lease.tenure(), new Given(run, value));
        }
        if (random.nextInt(3) == 0) {
            progress.note(run + "#" + value);
            return;
        }
        progress.saveAsync(run + "#" + value).thenRun(() -> acknowledge(run, value));
    }

    private void acknowledge(Run run, long value) {
        State state = state(run);
        if (value > state.ended) {
            state.acknowledged = Math.max(state.acknowledged, value);
        }
    }

    /**
     * Notes that a release was applied, which has removed the progress or has written what was not in the table yet;
     * {@code before}: the item that it has changed.
     */
    void onReleaseApplied(ReleaseCommand release, @Nullable LeaseItem before) {
        Given last = given.remove(Tenure.tenureOf(release.own().first()));
        boolean ends = release.edits().removes().contains(ItemProgress.DATA);
        ItemProgress saved = before == null ? null : ItemProgress.of(before.records());
        if (active && ends && before != null && saved != null) {
            end(new Run(before.key(), saved.run()));
        }
        ItemRun run = ItemRun.of(release.edits().sets());
        // a deletion of the item writes no outcome; after a failure, the release would write the value instead
        boolean succeeded = ends
                || release.form() instanceof ReleaseCommand.Delete
                || (run != null && LeaseRunOutcome.SUCCEEDED.name().equals(run.outcome()));
        if (last != null && succeeded) {
            end(last.run); // also if no value was written
        } else if (last != null) {
            acknowledge(last.run, last.value);
        }
    }

    private void end(Run run) {
        State state = state(run);
        state.ended = number;
        state.acknowledged = 0;
    }
}
