package io.leasekit.leader;

import io.leasekit.ElectionSettings;
import io.leasekit.LeaderElection;
import io.leasekit.Lease;
import io.leasekit.LeaseInfo;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.internal.AcquireObstacle;
import io.leasekit.internal.Quietly;
import io.leasekit.log.LineLimit;
import io.leasekit.text.Text;
import io.leasekit.time.EngineTime;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One election of a leader. The diagram shows the stages of an election:
 *
 * <pre>
 * Pause    -> Campaign   the backoff is over
 * Pause    -> Pause      resigned
 * Campaign -> Leading    granted
 * Campaign -> Pause      failed, or resigned
 * Leading  -> Pause      the work has returned, or was not started
 * Pause, Campaign -> Left   closed
 * </pre>
 *
 * A compare-and-set replaces a stage, so late timers and failures of an old stage have no effect. The stage {@code
 * Leading} is replaced only after the leader's work has returned. The election holds no Java lock while it calls the
 * manager. Thread-safe.
 */
final class Election implements LeaderElection {

    private static final Logger log = LoggerFactory.getLogger(Election.class);
    private static final Duration RELEASE = Duration.ofSeconds(2);
    private static final int LOOKS = 4; // number of checks before a missing leader is logged

    private final LeaseManager leases;
    private final EngineTime time;
    private final LeaseRequest request;
    private final ThreadFactory threads;
    private final Duration stopTimeout;
    private final long releasePatience;
    private final long vacancy;
    private final LineLimit lines;
    private final Function<CompletableFuture<Void>, CompletionStage<Void>> stages;
    private final Work work;
    private final Consumer<Election> onLeft;
    private final Backoffs backoffs;
    private final AtomicReference<Stage> stage = new AtomicReference<>(new Pause());
    private final CompletableFuture<Void> left = new CompletableFuture<>();
    private volatile CompletionStage<Void> release = CompletableFuture.completedStage(null);
    private volatile long released; // monotonic time at which the last release was sent
    private volatile boolean leaving;
    private volatile boolean failing; // whether a failed campaign was logged since the last granted lease

    /**
     * The times and helpers of an election.
     *
     * @param releasePatience the longest time, in nanoseconds, that a close waits for the release of the lease
     * @param vacancy the time without a leader, in nanoseconds, after which the election logs that the leader is
     *     missing
     */
    record Rules(
            EngineTime time,
            Duration stopTimeout,
            long releasePatience,
            long vacancy,
            LineLimit lines,
            Function<CompletableFuture<Void>, CompletionStage<Void>> stages) {}

    private interface Stage {

        default void end() {}
    }

    private static final class Left implements Stage {}

    Election(
            LeaseManager leases,
            LeaseRequest request,
            ElectionSettings settings,
            Rules rules,
            Backoffs backoffs,
            Work work,
            Consumer<Election> onLeft) {
        this.leases = leases;
        this.time = rules.time;
        this.request = request.waitFor(LeaseRequest.UNLIMITED);
        this.threads = settings.threads() == null ? this::daemon : settings.threads();
        this.stopTimeout = rules.stopTimeout;
        this.releasePatience = rules.releasePatience;
        this.vacancy = rules.vacancy;
        this.lines = rules.lines;
        this.stages = rules.stages;
        this.work = work;
        this.onLeft = onLeft;
        this.backoffs = backoffs;
    }

    private Thread daemon(Runnable task) {
        // The new thread inherits no thread-locals, because its creator may be unrelated to the election.
        Thread thread = new Thread(null, task, "lease-leader-" + Text.plain(key()), 0, false);
        thread.setDaemon(true);
        return thread;
    }

    void begin() {
        campaignAfter(stage());
    }

    private Stage stage() {
        return Objects.requireNonNull(stage.get());
    }

    // ---- stages

    private void campaignAfter(Stage before) {
        Campaign campaign = new Campaign();
        if (!leaving && stage.compareAndSet(before, campaign)) {
            campaign.begin();
        }
        leaveIfClosed();
    }

    private boolean pauseAfter(Stage before, Supplier<Duration> length) {
        Pause pause = new Pause();
        boolean replaced = stage.compareAndSet(before, pause);
        if (replaced) {
            before.end();
            pause.begin(length.get());
        }
        leaveIfClosed();
        return replaced;
    }

    /** Does nothing during a term, because this method is called again when the term ends. */
    private void leaveIfClosed() {
        while (leaving) {
            Stage last = stage();
            if (last instanceof Leading || last instanceof Left) {
                return;
            }
            if (stage.compareAndSet(last, new Left())) {
                last.end();
                onLeft.accept(this);
                leave();
                return;
            }
        }
    }

    /** Completes the close when the release is answered, or after {@code releasePatience}. */
    private void leave() {
        var unused = release.whenComplete((done, failure) -> left.complete(null));
        if (!left.isDone()) {
            long patience = released + releasePatience - time.nanos();
            EngineTime.Timer timer = time.schedule(Math.max(0, patience), () -> left.complete(null));
            left.whenComplete((done, never) -> timer.cancel());
        }
    }

    private final class Pause implements Stage {

        private volatile EngineTime.@Nullable Timer timer;

        void begin(Duration length) {
            timer = time.schedule(length.toNanos(), () -> campaignAfter(this));
        }

        @Override
        public void end() {
            EngineTime.Timer known = timer;
            if (known != null) {
                known.cancel();
            }
        }
    }

    private final class Campaign implements Stage {

        private final Vacancy seen = new Vacancy(key(), time, vacancy, lines);
        private volatile @Nullable CompletableFuture<Optional<Lease>> acquiring;
        private volatile EngineTime.@Nullable Timer timer;

        void begin() {
            lookLater();
            CompletableFuture<Optional<Lease>> future = acquire();
            acquiring = future;
            var unused = future.whenComplete((lease, failure) -> {
                if (failure == null && lease.isPresent()) {
                    granted(lease.get());
                } else {
                    failed(failure);
                }
            });
            if (stage() != this) {
                end(); // an end() that ran before 'acquiring' was set has cancelled nothing
            }
        }

        private void lookLater() {
            timer = time.schedule(vacancy / LOOKS, this::look);
        }

        private void look() {
            if (stage() == this) {
                if (acquiring instanceof AcquireObstacle known) {
                    Quietly.run(() -> seen.look(known.seen()));
                }
                lookLater();
            }
        }

        private CompletableFuture<Optional<Lease>> acquire() {
            try {
                // The callback is short and runs on the reply's thread, so that no busy executor delays a term.
                return leases.acquireAsync(request, Runnable::run);
            } catch (RuntimeException e) {
                return CompletableFuture.failedFuture(e);
            }
        }

        private void failed(@Nullable Throwable failure) {
            if (pauseAfter(this, backoffs::next) && !leaving) {
                reportFailure(failure);
            }
        }

        /** Logs no warning during an outage of the table, because the manager logs the outage. */
        private void reportFailure(@Nullable Throwable failure) {
            String why = failure == null ? "no lease was granted" : Text.why(failure);
            if (!failing && !lines.isOut()) {
                failing = true;
                lines.warn(() -> log.warn("Campaign to lead {} failed; it is retried: {}", Text.quote(key()), why));
            }
            Quietly.run(() -> log.debug("Campaign to lead {} failed", Text.quote(key()), failure));
        }

        private void granted(Lease lease) {
            failing = false;
            Leading leading = new Leading(lease);
            cancelLook();
            if (stage.compareAndSet(this, leading)) {
                leading.term.begin(threads);
            } else {
                lease.releaseAsync(); // resigned or closed while the grant was under way
            }
        }

        private void cancelLook() {
            EngineTime.Timer known = timer;
            if (known != null) {
                known.cancel();
            }
        }

        @Override
        public void end() {
            cancelLook();
            CompletableFuture<Optional<Lease>> future = acquiring;
            if (future != null) {
                future.cancel(true);
            }
        }
    }

    private final class Leading implements Stage {

        private final Term term;

        Leading(Lease lease) {
            term = new Term(lease, time, stopTimeout, lines, work, this::onReturned);
        }

        private void onReturned(Term.End end) {
            released = time.nanos();
            release = term.release();
            pauseAfter(this, () -> backoffs.after(end));
        }
    }

    private @Nullable Term term() {
        return stage() instanceof Leading leading ? leading.term : null;
    }

    // ---- the handle

    @Override
    public String key() {
        return request.key();
    }

    @Override
    public boolean isLeader() {
        Term term = term();
        return term != null && term.mayGoOn();
    }

    @Override
    public Optional<LeaseInfo> leader() {
        Term term = term();
        if (term != null && term.mayGoOn()) {
            return Optional.of(term.info());
        }
        return leases.find(key()).filter(info -> info.held() && !info.isKept());
    }

    @Override
    public Optional<Duration> stoppingFor() {
        Term term = term();
        return term == null ? Optional.empty() : term.stoppingFor();
    }

    @Override
    public Duration stopTimeout() {
        return stopTimeout;
    }

    @Override
    public void resign() {
        Stage now = stage();
        while (!(now instanceof Leading) && !(now instanceof Left) && !pauseAfter(now, backoffs::first)) {
            now = stage();
        }
        if (now instanceof Leading leading) {
            leading.term.stop("it resigned");
        }
    }

    @Override
    public CompletionStage<Void> closeAsync() {
        leave("its election was closed");
        return stages.apply(left);
    }

    void stop() {
        leave("the application stops");
    }

    private void leave(String reason) {
        leaving = true;
        leaveIfClosed();
        Term term = term();
        if (term != null) {
            term.stop(reason);
        }
    }

    @Override
    public void close() {
        var unused = closeAsync();
        try {
            time.await(left, stopTimeout.plus(RELEASE).toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            log.debug("Leader of {} is still stopping", Text.quote(key()));
        }
    }
}
