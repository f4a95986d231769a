package io.leasekit.engine;

import io.leasekit.ElectionSettings;
import io.leasekit.ForcedRelease;
import io.leasekit.LeaderElection;
import io.leasekit.Lease;
import io.leasekit.LeaseException;
import io.leasekit.LeaseInfo;
import io.leasekit.LeaseListener;
import io.leasekit.LeaseLock;
import io.leasekit.LeaseLocks;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseManagerStatus;
import io.leasekit.LeaseMonitor;
import io.leasekit.LeasePage;
import io.leasekit.LeasePauses;
import io.leasekit.LeaseQuery;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStatus;
import io.leasekit.LeaseWait;
import io.leasekit.LeaseWatch;
import io.leasekit.engine.Releases.Release;
import io.leasekit.internal.CallLog;
import io.leasekit.internal.EngineTime;
import io.leasekit.internal.LineLimit;
import io.leasekit.internal.Text;
import io.leasekit.leader.Elections;
import io.leasekit.pause.PauseBoard;
import io.leasekit.pause.PauseControl;
import io.leasekit.requests.BoundedClock;
import io.leasekit.requests.RequestPath;
import io.leasekit.requests.Requests;
import io.leasekit.requests.TableState;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.LeaseStore;
import io.leasekit.tenure.Polling;
import io.leasekit.tenure.SeenItems;
import io.leasekit.tenure.Tenure;
import io.leasekit.threads.Losses;
import io.leasekit.threads.Mailbox;
import io.leasekit.threads.Sender;
import io.leasekit.watch.WatchedKeys;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The lease manager: it creates the parts of the engine, of acquires and of leases. Thread-safe. */
final class LeaseEngine implements LeaseManager, CallLog, Acquisition.Parts {

    private final LeaseSettings settings;
    private final LeaseTerms.Defaults defaults;
    private final LeaseRules rules;
    private final EngineTime time;
    private final RandomGenerator random;
    private final Supplier<UUID> tenures;
    private final Runnable freeResources;
    private final TableState state;
    private final LineLimit lines;
    private final Reports reports;
    private final Callers callers;
    private final Sender sender;
    private final RequestPath path;
    private final Renewer renewer;
    private final Releases releases;
    private final Register register;
    private final Inspection inspection;
    private final Attempts attempts;
    private final Queues queues;
    private final LeaseLocks locks = new LeaseLocks(this);
    private final Permits permits;
    private final LeasePauses pauses;
    private final Elections elections;
    private final WatchedKeys watched;

    /** The executors of an engine: {@code senders} call the store, the others run code of users. */
    record Executors(Executor senders, Executor events, Executor grants, Executor losses) {}

    LeaseEngine(
            LeaseStore table,
            LeaseSettings settings,
            LeaseRules rules,
            EngineTime time,
            RandomGenerator random,
            Supplier<UUID> tenures,
            Executors executors,
            List<LeaseListener> listeners,
            List<LeaseMonitor> monitors,
            Runnable freeResources) {
        this.settings = settings;
        this.defaults = LeaseTerms.Defaults.of(settings);
        this.rules = rules;
        this.time = time;
        this.random = random;
        this.tenures = tenures;
        this.freeResources = freeResources;
        String owner = settings.owner();
        Losses losses = new Losses(executors.losses, time);
        state = new TableState(table.info().name(), time, this::leases);
        lines = new LineLimit(time, state::isOut);
        reports = new Reports(
                owner,
                new Events(listeners, executors.events, losses),
                losses,
                monitors,
                state,
                lines,
                time.wallMillis());
        callers = new Callers(executors.grants, losses, time, storeTimeout());
        sender = new Sender(executors.senders, time);
        SeenItems seen = new SeenItems(LeaseTerms.nanos(settings.observationTime()));
        BiConsumer<LeaseItem, Requests.Reply> saw = (item, reply) -> seen.saw(item, rules.observedSince(reply));
        path = RequestPath.of(table, rules, time, sender, random, reports, this::onJump, saw, state);
        BoundedClock clock = path.clock();
        WakeUps wakeUps = new WakeUps(time, path.renewals());
        renewer = new Renewer(rules, path, new HeartbeatTimes(rules, clock, path.budget(), random), wakeUps, reports);
        releases = new Releases(settings, rules, time, path, seen, random, tenures, lines);
        register = new Register(owner, time, seen);
        inspection = new Inspection(path.store().info().name(), clock, path.requests(), seen, register);
        Polling polling = new Polling(owner, seen, random);
        Watches watches = new Watches(
                rules,
                clock,
                seen,
                inspection,
                polling,
                new SharedKeys(settings, path.store().info().name()));
        PauseBoard board = new PauseBoard(settings.pauses(), rules, path.requests(), clock, path.renewals(), lines);
        pauses = new PauseControl(
                owner, board, path, time, random, tenures, storeTimeout(), register::ensureOpen, callers::awaitStore);
        Asking.Waits waits =
                new Asking.Waits(storeTimeout(), time, clock, path.requests(), path.sync(), board, random, state);
        attempts = new Attempts(settings, rules, clock, seen, path.renewals(), watches, register, waits, reports);
        queues = new Queues(settings.maxWaitersPerKey(), rules, clock, seen, inspection, register, board, random);
        permits = new Permits(
                settings, waits, rules, seen, watches, polling, inspection, register, reports, tenures, this::create);
        long releasePatience = Register.releasePatience(LeaseTerms.nanos(settings.closeTimeout()));
        elections = new Elections(this, time, settings.ttl(), releasePatience, random, lines);
        Looking looks = new Looking(rules, clock, path.requests(), seen, inspection, polling);
        watched = new WatchedKeys(looks, rules, time, settings.ttl(), random, executors.events);
        reports.started(this);
    }

    /** Renews all leases on the timer's thread, because any thread that asks for the time may notice the jump. */
    private void onJump() {
        time.schedule(0, () -> path.renewals().together(register::renewAll));
    }

    private TableState.Leases leases() {
        return register.leases(path.clock().now());
    }

    @Override
    public void countFailedCall() {
        state.failedCall();
    }

    @Override
    public void logFailedCall(Runnable warning, Runnable debug) {
        lines.warnUnlessOut(warning, debug);
    }

    private AcquireCall begin(LeaseRequest request, Sender.@Nullable Sending sending) {
        LeaseTerms terms = LeaseTerms.of(request, defaults);
        register.ensureOpen();
        if (request.permits() > 0) {
            return permits.begin(request, terms);
        }
        Turns turns = queues.of(terms.items());
        Acquisition acquisition = create(terms, turns, sending);
        turns.enter(acquisition);
        acquisition.onEntered();
        return acquisition;
    }

    private Acquisition create(LeaseTerms terms, Turns turns, Sender.@Nullable Sending via) {
        Acquisition made = new Acquisition(terms, turns, new Tenure(tenures.get()), this, register, time, reports, via);
        register.began(made);
        return made;
    }

    @Override
    public Optional<Lease> tryAcquire(LeaseRequest request) {
        AcquireCall call = sender.resultOf(sending -> begin(request, sending));
        return call.await(callers).lease();
    }

    @Override
    public Lease acquire(LeaseRequest request) {
        AcquireCall call = sender.resultOf(sending -> begin(request, sending));
        return call.await(callers).orThrow(call.terms);
    }

    @Override
    public CompletableFuture<Optional<Lease>> acquireAsync(LeaseRequest request) {
        return acquireAsync(request, null);
    }

    @Override
    public CompletableFuture<Optional<Lease>> acquireAsync(LeaseRequest request, @Nullable Executor executor) {
        try {
            return callers.future(begin(request, null), executor);
        } catch (LeaseException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public LeaseLock lock(LeaseRequest request) {
        return locks.of(request);
    }

    @Override
    public LeaderElection elect(LeaseRequest request, ElectionSettings wanted, LeaderElection.Work work) {
        return elections.elect(request, wanted, work);
    }

    @Override
    public Attempts.Series attempts(Acquisition caller, LeaseTerms terms, Tenure tenure, Mailbox mailbox) {
        return attempts.of(caller, terms, tenure, mailbox);
    }

    @Override
    public LeaseState lease(LeaseTerms terms, Tenure tenure, Mailbox mailbox, Turns turns, Tenure.Grant grant) {
        String owner = settings.owner();
        BoundedClock clock = path.clock();
        return new LeaseState(terms, owner, mailbox, tenure, turns, grant, clock, renewer, releases, register, reports);
    }

    @Override
    public Lease handle(LeaseState lease, LeaseTerms terms) {
        long patience = Math.max(Requests.TIMEOUT, storeTimeout());
        return new HeldLease(lease, lease.validity(), terms, path.store(), callers, sender, patience);
    }

    @Override
    public Release release(LeaseTerms terms, Tenure tenure, @Nullable Release predecessor) {
        return releases.ofGivenUp(terms, tenure, predecessor);
    }

    @Override
    public long storeTimeout() {
        return LeaseTerms.nanos(settings.storeTimeout());
    }

    @Override
    public Instant time() {
        register.ensureOpen();
        CompletableFuture<Instant> now = path.sync().time(storeTimeout());
        return callers.awaitStore(
                now, "the time of table " + path.store().info().name());
    }

    @Override
    public Optional<LeaseInfo> find(String key) {
        return callers.awaitStore(inspection.find(key), "the read of lease " + Text.quote(key));
    }

    @Override
    public LeasePage list(LeaseQuery query) {
        return callers.await(inspection.list(query), storeTimeout() + Inspection.LONGEST_LIST, "a list of leases");
    }

    @Override
    public List<LeaseStatus> held() {
        return register.held();
    }

    @Override
    public List<LeaseWait> waiting() {
        return register.waiting(path.clock().now());
    }

    @Override
    public LeasePauses pauses() {
        return pauses;
    }

    @Override
    public LeaseManagerStatus status() {
        return register.status(settings, path);
    }

    @Override
    public LeaseWatch watch(String key, LeaseWatch.Listener listener) {
        return watched.watch(key, listener);
    }

    @Override
    public boolean awaitFree(String key, Duration timeout) {
        return watched.awaitFree(key, timeout, storeTimeout(), callers::await);
    }

    @Override
    public ForcedRelease forceRelease(String key, long fencingToken) {
        return forceRelease(key, fencingToken, false);
    }

    @Override
    public ForcedRelease forceRelease(String key, long fencingToken, ForcedRelease.TwoMayRun consent) {
        return forceRelease(key, fencingToken, consent == ForcedRelease.TwoMayRun.IMMEDIATELY);
    }

    private ForcedRelease forceRelease(String key, long token, boolean now) {
        return callers.awaitStore(forceReleaseAsync(key, token, now), "the forced release of lease " + Text.quote(key));
    }

    CompletableFuture<ForcedRelease> forceReleaseAsync(String key, long token, boolean now) {
        register.ensureOpen();
        return new Revocation(key, token, now, settings, rules, time, path, inspection, register, reports, random)
                .start();
    }

    @Override
    public void close() {
        callers.awaitBriefly(beginClosing(), LeaseTerms.nanos(settings.closeTimeout()) + Register.closingNanos());
    }

    @Override
    public CompletionStage<Void> closeAsync() {
        return beginClosing().minimalCompletionStage();
    }

    private CompletableFuture<Void> beginClosing() {
        elections.close();
        watched.close();
        return register.close(LeaseTerms.nanos(settings.closeTimeout()), freeResources);
    }
}
