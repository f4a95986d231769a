package io.leasekit.leader;

import io.leasekit.ElectionSettings;
import io.leasekit.LeaderElection;
import io.leasekit.LeaseException;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.internal.Internal;
import io.leasekit.limits.Checks;
import io.leasekit.limits.Checks.Limit;
import io.leasekit.log.LineLimit;
import io.leasekit.text.Text;
import io.leasekit.time.EngineTime;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The open elections of one manager. Thread-safe. */
@Internal
public final class Elections {

    private static final int DEFAULT_PART = 4;
    private static final int LARGEST_PART = 3;
    private static final long VACANCY = 2; // after this number of ttls, a dead leader normally has a successor

    private final LeaseManager leases;
    private final EngineTime time;
    private final Duration ttl;
    private final long releasePatience;
    private final RandomGenerator random;
    private final LineLimit lines;
    private final Function<CompletableFuture<Void>, CompletionStage<Void>> stages;
    private final Set<Election> open = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /**
     * {@code releasePatience}: the longest time, in nanoseconds, that closing an election waits for the release of the
     * lease. {@code stages}: wraps a future, so that dependent stages run on threads that may block.
     */
    public Elections(
            LeaseManager leases,
            EngineTime time,
            Duration ttl,
            long releasePatience,
            RandomGenerator random,
            LineLimit lines,
            Function<CompletableFuture<Void>, CompletionStage<Void>> stages) {
        this.leases = leases;
        this.time = time;
        this.ttl = ttl;
        this.releasePatience = releasePatience;
        this.random = random;
        this.lines = lines;
        this.stages = stages;
    }

    public LeaderElection elect(LeaseRequest request, ElectionSettings settings, LeaderElection.Work work) {
        check(request);
        Duration interval = request.heartbeatInterval();
        if (interval != null) {
            Checks.heartbeat(interval, ttl(request), request.key());
        }
        Duration stopTimeout = stopTimeout(request, settings.stopTimeout());
        long vacancy = VACANCY * ttl(request).toNanos();
        Election.Rules rules = new Election.Rules(time, stopTimeout, releasePatience, vacancy, lines, stages);
        Backoffs backoffs = new Backoffs(settings.backoff(), random);
        Election election = new Election(leases, request, settings, rules, backoffs, work, open::remove);
        open.add(election);
        if (closed) {
            open.remove(election);
            throw new LeaseException("Lease manager is closed, so it cannot elect a leader of " + name(request), null);
        }
        election.begin();
        return election;
    }

    public void close() {
        closed = true;
        open.forEach(Election::stop);
    }

    private static void check(LeaseRequest request) {
        refuse(request.keys().size() > 1, request, "has " + request.keys().size() + " keys", "one key");
        refuse(request.permits() > 0, request, "has permits", "no 'permits': there is one leader");
        refuse(request.isPassive(), request, "is passive", "heartbeats: without them every term ends with the ttl");
        refuse(request.once() != null, request, "is for a run", "no 'once': a leader works until it is told to stop");
        refuse(
                !request.holdAtLeast().isZero() || !request.cooldown().isZero(),
                request,
                "has a hold",
                "no 'holdAtLeast' and no 'cooldown': they would delay the next leader");
        boolean waits = !request.waitFor().isZero() && !request.waitFor().equals(LeaseRequest.UNLIMITED);
        refuse(waits, request, "waits " + Text.exact(request.waitFor()), "no 'waitFor': a campaign has no end");
    }

    private static void refuse(boolean wrong, LeaseRequest request, String seen, String expected) {
        if (wrong) {
            throw new IllegalArgumentException("Election of " + name(request) + " " + seen + ", expected " + expected);
        }
    }

    private Duration stopTimeout(LeaseRequest request, @Nullable Duration wanted) {
        Duration valid = ttl(request);
        Duration most = request.holdAtMost();
        Duration term = most != null && most.compareTo(valid) < 0 ? most : valid;
        if (wanted == null) {
            return term.dividedBy(DEFAULT_PART);
        }
        new Limit<Duration>(
                        value -> value.compareTo(term.dividedBy(LARGEST_PART)) <= 0,
                        "at most a third of the validity of " + Text.exact(term)
                                + ", so that renewals can be retried before")
                .check("stopTimeout", wanted);
        return wanted;
    }

    private Duration ttl(LeaseRequest request) {
        Duration own = request.ttl();
        return own == null ? ttl : own;
    }

    private static String name(LeaseRequest request) {
        return Text.quoteAll(request.keys());
    }
}
