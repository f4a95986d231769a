package io.leasekit.kernel;

import static io.leasekit.time.EngineTime.SECOND;

import io.leasekit.internal.Internal;
import io.leasekit.internal.Quietly;
import io.leasekit.limits.Checks;
import io.leasekit.text.Text;
import io.leasekit.time.EngineTime;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Closes one manager: waits until its leases have ended and are released, each for a limited time. Thread-safe. */
@Internal
public final class Shutdown {

    private static final long LONGEST_RELEASE = 5 * SECOND;
    private static final long SHORTEST_RELEASE = SECOND; // a table without an outage answers within this time
    private static final int NAMED_KEYS = 3;
    private static final Logger log = LoggerFactory.getLogger(Shutdown.class);

    private final String owner;
    private final EngineTime time;
    private final LiveLeases live;
    private final Releases releases;
    private final AtomicReference<@Nullable CompletableFuture<Void>> closing = new AtomicReference<>();
    private volatile boolean allStopped;
    private final CompletableFuture<Void> nothingHeld = new CompletableFuture<>();
    private final CompletableFuture<Void> nothingUnderWay = new CompletableFuture<>();

    public Shutdown(String owner, EngineTime time, LiveLeases live, Releases releases) {
        this.owner = owner;
        this.time = time;
        this.live = live;
        this.releases = releases;
    }

    /** Marks leases that are still held after {@code patienceNanos} as lost. A further call returns the same future. */
    public CompletableFuture<Void> close(long patienceNanos, Runnable finish) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        CompletableFuture<Void> earlier = closing.compareAndExchange(null, done);
        if (earlier != null) {
            return earlier;
        }
        long begun = time.nanos();
        releases.beginClosing();
        live.close();
        releases.endDelays();
        // This flag is set last, because an acquire that is not stopped can hand out a lease.
        allStopped = true;
        time.completeOnTimeout(nothingHeld, patienceNanos)
                .thenCompose(drained -> {
                    live.loseAll();
                    long patience = untilGivenUp(begun, releasePatience(patienceNanos));
                    return patience > 0
                            ? time.completeOnTimeout(nothingUnderWay, patience)
                            : CompletableFuture.<Void>completedFuture(null);
                })
                .thenRun(() -> {
                    warnOfReleases();
                    finish.run();
                    done.complete(null);
                });
        goOn();
        return done;
    }

    /** Ends the waits of a close as soon as nothing is left to wait for. */
    public void goOn() {
        if (allStopped && live.isNoneHeld()) {
            nothingHeld.complete(null);
            if (live.isNobodyAcquiring() && releases.areAllDone()) {
                nothingUnderWay.complete(null);
            }
        }
    }

    /** Returns the nanoseconds that a close waits for a release after the code under the lease has ended. */
    public static long releasePatience(long closeTimeout) {
        return Math.max(SHORTEST_RELEASE, Math.min(closeTimeout, LONGEST_RELEASE));
    }

    /** The patience begins when a lease ends, or at {@code began} for acquires in progress. */
    private long untilGivenUp(long began, long patience) {
        long now = time.nanos();
        LongStream begun = releases.sinceWhen();
        LongStream all = live.isNobodyAcquiring() ? begun : LongStream.concat(begun, LongStream.of(began));
        return Math.max(0, all.map(since -> since + patience - now).max().orElse(0));
    }

    private void warnOfReleases() {
        List<Release> unconfirmed = releases.underWay().stream()
                .filter(release -> !release.isQuiet())
                .toList();
        List<String> keys = unconfirmed.stream()
                .flatMap(release -> release.keys().stream())
                .filter(key -> !Checks.isRunItem(key))
                .sorted()
                .toList();
        // The warning below names these releases, so the releases themselves log no warning.
        unconfirmed.forEach(Release::quietly);
        long runs = unconfirmed.stream().filter(one -> one.runName() != null).count();
        if (!keys.isEmpty()) {
            List<String> named = keys.subList(0, Math.min(keys.size(), NAMED_KEYS));
            int more = keys.size() - named.size();
            Quietly.run(() -> log.warn(
                    "Manager of owner {} is closed, and {} releases are not confirmed: {}{}. The store has not answered in"
                            + " time. Such a lease expires with its ttl, or with its extension or hold{}",
                    Text.quote(owner),
                    keys.size(),
                    Text.quoteAll(named),
                    more > 0 ? " and " + more + " more" : "",
                    runs > 0 ? "; runs that may be executed again: " + runs : ""));
        }
    }

    /** Returns the maximum time that {@link #close} takes after its {@code patienceNanos} have passed. */
    public static long closingNanos() {
        return LONGEST_RELEASE + SECOND;
    }
}
