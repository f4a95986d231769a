package io.leasekit.engine;

import io.leasekit.LeasePastRun;
import io.leasekit.kernel.EngineParts;
import io.leasekit.limits.Checks;
import io.leasekit.records.ItemRun;
import io.leasekit.records.RecordTable;
import io.leasekit.records.RunHistory;
import io.leasekit.requests.BoundedClock;
import io.leasekit.requests.RequestLimiter;
import io.leasekit.requests.Requests;
import io.leasekit.requests.Requests.Reply;
import io.leasekit.store.Edits;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.ReopenCommand;
import io.leasekit.store.StoreReply;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Allows a finished run to be executed again (protocol 5.13). Only one attempt is in progress at a time. */
final class RunAgain {

    private final String run;
    private final String before;
    private final long token;
    private final String by;
    private final EngineParts parts;
    private final LeaseNotifier notifier;
    private final OperatorWrite<Boolean> tries;
    // The lease's key; if the lease's item names no run, the key of the run's own item.
    private String key;

    RunAgain(String key, String run, long token, String by, EngineParts parts, LeaseNotifier notifier) {
        Checks.key(key);
        Checks.run(run, key);
        Checks.token(token, key);
        Checks.OWNER.check("by", by);
        this.key = key;
        this.run = run;
        this.before = ItemRun.before(run);
        this.token = token;
        this.by = by;
        this.parts = parts;
        this.notifier = notifier;
        this.tries = new OperatorWrite<>(parts, this::attempt);
    }

    CompletableFuture<Boolean> start() {
        attempt();
        return tries.result;
    }

    private void attempt() {
        parts.requests.atOnce(RequestLimiter.Kind.LOOK, request -> request.read(key, this::onRead));
    }

    private void onRead(Reply reply) {
        if (reply.outcome() instanceof StoreReply.Found found) {
            LeaseItem item = found.item();
            if (item != null && isAsSeen(item)) {
                write(item);
            } else if (!Checks.isRunItem(key) && (item == null || !hasName(item))) {
                key += Checks.RUN_MARK + run;
                attempt();
            } else {
                refused(item);
            }
        } else {
            tries.onFailed(key, reply.failure());
        }
    }

    private boolean isAsSeen(LeaseItem item) {
        return item.version() == null && Objects.equals(item.token(), token) && isLast(run, item);
    }

    private static boolean hasName(LeaseItem item) {
        return item.records().has(ItemRun.NAME);
    }

    private static boolean isLast(String name, @Nullable LeaseItem item) {
        return item != null && name.equals(item.records().text(ItemRun.NAME));
    }

    private void write(LeaseItem item) {
        parts.requests.atOnce(RequestLimiter.Kind.RELEASE, request -> {
            BoundedClock.Reading reading = parts.rules.beforeSending(parts.clock);
            if (reading == null) {
                tries.synced(key);
            } else if (!tries.result.isDone()) {
                // Once the result is done, the caller has received a failure, so nothing may be written.
                Edits edits = Edits.builder()
                        .equal(ItemRun.NAME, run)
                        .set(ItemRun.NAME, before)
                        .set(RecordTable.HISTORY, history(item, reading.middleMillis()))
                        .build();
                request.write(
                        List.of(new ReopenCommand(key, token, edits)), new Requests.Pending(reading, this::onWritten));
            }
        });
    }

    private @Nullable String history(LeaseItem item, long now) {
        int most = parts.settings.runHistory;
        LeasePastRun note =
                new LeasePastRun(run, by, token, Instant.ofEpochMilli(now), null, null, LeasePastRun.RUN_AGAIN);
        return most == 0 ? null : RunHistory.noted(item.records().text(RecordTable.HISTORY), note, most);
    }

    private void onWritten(Reply reply) {
        tries.replied(reply.outcome());
        if (reply.outcome() instanceof StoreReply.Applied) {
            done();
        } else if (reply.outcome() instanceof StoreReply.Refused refused) {
            refused(refused.item());
        } else {
            tries.onFailed(key, reply.failure());
        }
    }

    private void refused(@Nullable LeaseItem item) {
        if (tries.isUnanswered() && isLast(before, item)) {
            done(); // an earlier attempt of this call was applied
        } else {
            tries.result.complete(false);
        }
    }

    private void done() {
        notifier.runAgain(key, token, run, by);
        tries.result.complete(true);
    }
}
