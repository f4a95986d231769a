package io.leasekit.engine;

import static io.leasekit.records.RecordTable.instant;
import static io.leasekit.time.EngineTime.SECOND;

import io.leasekit.LeaseInfo;
import io.leasekit.LeasePastRun;
import io.leasekit.kernel.EngineParts;
import io.leasekit.kernel.LeaseRecords;
import io.leasekit.kernel.LeaseSettings;
import io.leasekit.kernel.LeaseSpec;
import io.leasekit.kernel.LeaseState;
import io.leasekit.kernel.Release;
import io.leasekit.records.AcquireText;
import io.leasekit.records.ItemRun;
import io.leasekit.records.KeptRecords;
import io.leasekit.records.RecordTable;
import io.leasekit.records.RunHistory;
import io.leasekit.requests.BoundedClock;
import io.leasekit.store.Edits;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.Records;
import io.leasekit.tenure.Tenure;
import io.leasekit.text.Text;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles the records of leases, such as runs and progress (protocol 7). Decides which records an acquire writes, and
 * how long an item keeps records after the end of the lease. Converts records for display to users. Thread-safe.
 */
final class FeatureRecords implements LeaseRecords {

    private static final Logger log = LoggerFactory.getLogger(FeatureRecords.class);

    final EngineParts parts;
    private final LeaseSettings settings;
    private final SharedKeys sharedKeys;
    private final AtomicBoolean otherOrderTold = new AtomicBoolean();

    FeatureRecords(EngineParts parts) {
        this.parts = parts;
        this.settings = parts.settings;
        this.sharedKeys = new SharedKeys(settings, parts.path.store().info().name());
    }

    @Override
    public void beforeAcquire(LeaseSpec spec, Tenure tenure, List<LeaseItem> shown) {
        if (spec.keepsRecords() || shown.stream().anyMatch(KeptRecords::isIn)) {
            tenure.keepLonger();
        }
    }

    /**
     * DynamoDB applies an acquire for a run only if the item has no last run, or a last run with a smaller name. If
     * item TTL may remove the item, DynamoDB applies an acquire only if the item has neither a last run nor progress.
     */
    @Override
    public Edits ofAcquire(LeaseSpec spec, String key, Tenure tenure, Tenure.Attempt attempt) {
        Edits.Builder edits = Edits.builder().keptUntil(keptUntil(tenure, attempt));
        if (!tenure.isKeptLonger()) {
            edits.add(KeptRecords.NONE);
        }
        String run = spec.onceOf(key);
        if (run != null) {
            edits.absentOrBelow(ItemRun.NAME, run);
        }
        if (spec.permits() != null) {
            edits.set(RecordTable.PERMITS, spec.permits().longValue());
        }
        AcquireText.APPLICATION.addTo(edits, settings.application, attempt.token());
        AcquireText.RUN.addTo(edits, run, attempt.token());
        return edits.build();
    }

    @Override
    public void saw(Tenure tenure, Records before) {
        tenure.sawRecords(KeptRecords.before(before));
    }

    @Override
    public boolean isDone(LeaseSpec spec, LeaseItem item) {
        return spec.once() != null && ItemRun.isDone(item.records(), spec.once());
    }

    @Override
    public void onDone(LeaseSpec spec, LeaseItem item) {
        sharedKeys.ran(spec.key(), item);
    }

    @Override
    public void onHeldByOther(String key, LeaseItem item) {
        sharedKeys.held(key, item);
    }

    @Override
    public OfLease of(LeaseState lease, Tenure tenure) {
        return new HeldLease(lease, tenure, this);
    }

    @Override
    public Ending ofGivenUp(LeaseSpec spec, Tenure tenure) {
        return new RunReport(this, spec, tenure, null, Edits.NONE, false, historyOfDead(spec, tenure));
    }

    /**
     * A lease of several items has no history, because the reply to its acquire does not show the earlier history.
     * Permits have no history, because runs under different permits have no order.
     */
    boolean keepsHistory(LeaseSpec spec) {
        return settings.runHistory > 0 && !spec.isGroup() && spec.permit() == null;
    }

    /** Returns the run history with the run of the dead previous holder; {@code null} if there is no such run. */
    @Nullable
    String historyOfDead(LeaseSpec spec, Tenure tenure) {
        LeaseItem dead = tenure.deadBefore();
        if (dead == null || !keepsHistory(spec)) {
            return null;
        }
        long token = dead.token() == null ? 0 : dead.token();
        LeasePastRun run = new LeasePastRun(
                AcquireText.RUN.of(dead), dead.owner(), token, instant(dead.acquiredAtMillis()), null, null, null);
        return RunHistory.with(tenure.before().text(RecordTable.HISTORY), run, settings.runHistory);
    }

    @Nullable
    Long keptUntil(Tenure tenure, Tenure.Attempt attempt) {
        return keptUntil(
                tenure.isKeptLonger(), attempt.reading(), attempt.claim() + retention(true), tenure.largestToken());
    }

    @Override
    public @Nullable Long keptUntil(boolean keptLonger, BoundedClock.Reading reading, long nanos, long token) {
        return keptLonger ? parts.rules.expiry(reading.latest(), nanos, token) : null;
    }

    @Override
    public long retention(boolean mayHaveRecords) {
        return LeaseSpec.nanos(mayHaveRecords ? settings.onceRetention() : settings.retention);
    }

    void warnOfOtherOrder(LeaseSpec spec, LeaseItem item) {
        boolean inAnyOrder = spec.once() != null && !spec.keys().contains(spec.runKey());
        String done =
                inAnyOrder && spec.keys().contains(item.key()) ? item.records().text(ItemRun.NAME) : null;
        if (done != null && otherOrderTold.compareAndSet(false, true)) {
            parts.lines.warn(() -> log.warn(
                    "Lease {} is used for runs in any order, but its item shows run {} of runs in growing order: runs"
                            + " that were done before the change of 'onceOrder' may be executed again",
                    Text.quote(item.key()),
                    Text.quote(done)));
        }
    }

    // ---- for people

    /**
     * The shown end of the lease is its expiry, or the time at which this process would consider the holder dead,
     * whichever is earlier.
     */
    @Override
    public LeaseInfo info(LeaseItem item, long now) {
        boolean held = item.version() != null;
        Release.Delay delay = item.version() == null ? null : parts.releases.delayOf(Tenure.tenureOf(item.version()));
        Instant end = held ? earlier(instant(delay == null ? null : delay.endsAtMillis()), end(item, now)) : null;
        return RecordTable.shown(
                item, application(item), end, delay == null ? releasedAt(item) : instant(delay.begunAtMillis()));
    }

    /**
     * Returns the time of the acquire if it is later than the release, because two clocks may differ. Other kinds of
     * clients do not remove the time of an earlier release.
     */
    private static @Nullable Instant releasedAt(LeaseItem item) {
        if (SharedKeys.isOfAnotherKind(item)) {
            return null;
        }
        Long released = item.releasedAtMillis();
        Long acquired = item.acquiredAtMillis();
        return instant(released == null || acquired == null ? released : Long.valueOf(Math.max(released, acquired)));
    }

    private @Nullable Instant end(LeaseItem item, long now) {
        Instant expiry = expiry(item.expiry());
        Instant observed = observedEnd(item, now);
        return earlier(expiry, observed);
    }

    private @Nullable Instant observedEnd(LeaseItem item, long now) {
        BoundedClock.Interval interval = parts.clock.at(now);
        if (interval == null) {
            return null;
        }
        long dead = interval.latest() + Math.max(0, parts.observer.untilDead(item, now));
        return Instant.ofEpochSecond(-Math.floorDiv(-dead, SECOND));
    }

    private static @Nullable Instant expiry(@Nullable Long seconds) {
        if (seconds == null || seconds < Instant.MIN.getEpochSecond() || seconds > Instant.MAX.getEpochSecond()) {
            return null;
        }
        return Instant.ofEpochSecond(seconds);
    }

    private static @Nullable Instant earlier(@Nullable Instant a, @Nullable Instant b) {
        if (a == null || b == null) {
            return a == null ? b : a;
        }
        return a.isBefore(b) ? a : b;
    }

    @Override
    public @Nullable String application(LeaseItem item) {
        return SharedKeys.application(item);
    }
}
