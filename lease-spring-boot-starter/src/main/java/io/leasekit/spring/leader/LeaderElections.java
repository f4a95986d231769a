package io.leasekit.spring.leader;

import io.leasekit.ElectionSettings;
import io.leasekit.LeaderElection;
import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseManagerStatus;
import io.leasekit.internal.Internal;
import io.leasekit.spring.aop.DistributedLeaseAdvisor;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.task.VirtualThreadTaskExecutor;

/**
 * The elections of a context's methods with {@link io.leasekit.spring.LeaderOnly}. The methods are checked when the
 * context starts. The elections begin once the application is ready, and again when the context starts after a stop.
 * They end before schedulers and executors stop, because the methods may use these. Thread-safe.
 */
@Internal
public final class LeaderElections implements SmartLifecycle, ApplicationListener<ApplicationReadyEvent> {

    /** Above the phase of schedulers and executors, {@code Integer.MAX_VALUE / 2}: stopped before them. */
    static final int PHASE = Integer.MAX_VALUE / 2 + 1024;

    private static final ThreadLocal<Term> TERM = new ThreadLocal<>(); // of the method that runs on this thread

    private final ConfigurableListableBeanFactory beans;
    private final LeaderOnlyAdvisor advisor;
    private final DistributedLeaseAdvisor managers;
    private final Supplier<LeaderSettings> settings;
    private final Supplier<LeaderElector> elector;
    private final Supplier<LeaderMeter> meter;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile @Nullable List<LeaderMethod> methods;
    private volatile Map<String, LeaderElection> elections = Map.of(); // written under lock
    private boolean begun; // guarded by lock
    private boolean ready; // guarded by lock
    private volatile boolean running; // written under lock

    private record Term(LeaderElections of, LeaderMethod method, Lease lease) {}

    /**
     * Creates the elections of a context. {@code settings} are read when the context starts and when elections
     * begin; {@code elector} and {@code meter} when elections begin.
     */
    public LeaderElections(
            ConfigurableListableBeanFactory beans,
            LeaderOnlyAdvisor advisor,
            DistributedLeaseAdvisor managers,
            Supplier<LeaderSettings> settings,
            Supplier<LeaderElector> elector,
            Supplier<LeaderMeter> meter) {
        this.beans = beans;
        this.advisor = advisor;
        this.managers = managers;
        this.settings = settings;
        this.elector = elector;
        this.meter = meter;
    }

    /** Returns the elections by the names of their methods; empty before the application is ready. */
    public Map<String, LeaderElection> elections() {
        return elections;
    }

    /** Returns the manager of an election by its name among {@link #elections}; empty if there is no such method. */
    public Optional<LeaseManager> manager(String method) {
        List<LeaderMethod> known = Objects.requireNonNullElse(methods, List.of());
        return known.stream()
                .filter(leader -> leader.nameAmong(known).equals(method))
                .map(leader -> managers.manager(leader.manager()))
                .findFirst();
    }

    /** Returns the number of methods whose leases this manager acquires; 0 before the context has started. */
    public long count(LeaseManager manager) {
        return Objects.requireNonNullElse(methods, List.<LeaderMethod>of()).stream()
                .filter(leader -> managers.manager(leader.manager()) == manager)
                .count();
    }

    @Override
    public void start() {
        if (methods == null) {
            List<LeaderMethod> read = new LeaderMethodReader(beans, settings.get(), advisor::isAnnotated).read();
            read.forEach(this::checkManager);
            read.forEach(method -> refuseSecond(method, read));
            methods = read;
        }
        lock.lock();
        try {
            running = true;
            beginIfReady();
        } finally {
            lock.unlock();
        }
    }

    private void checkManager(LeaderMethod method) {
        LeaseManager manager;
        try {
            manager = managers.manager(method.manager());
        } catch (IllegalStateException e) {
            throw method.invalid(
                    String.valueOf(e.getMessage()),
                    "Name an existing manager with 'manager', or define one LeaseManager or make one @Primary.",
                    e);
        }
        LeaseManagerStatus status = manager.status();
        if (status != null) { // a mock of a test returns none
            method.checkStopTimeout(status.ttl());
        }
    }

    private void refuseSecond(LeaderMethod method, List<LeaderMethod> all) {
        for (LeaderMethod other : all) {
            if (!other.equals(method)
                    && other.request().key().equals(method.request().key())
                    && managers.manager(other.manager()) == managers.manager(method.manager())) {
                throw method.invalid(
                        "the key '" + method.request().key() + "' is also used by '" + other.name()
                                + "', so only one of the two methods would run at a time",
                        "Give each method a key of its own.",
                        null);
            }
        }
    }

    @Override
    public void onApplicationEvent(ApplicationReadyEvent event) {
        // the event of a child context comes here, too
        if (event.getApplicationContext().getAutowireCapableBeanFactory() != beans) {
            return;
        }
        lock.lock();
        try {
            ready = true;
            beginIfReady();
        } finally {
            lock.unlock();
        }
    }

    private void beginIfReady() {
        List<LeaderMethod> known = methods;
        if (!ready || !running || begun || known == null) {
            return;
        }
        begun = true;
        Map<String, LeaderElection> open = new LinkedHashMap<>();
        try {
            for (LeaderMethod method : known) {
                LeaderElection election = begin(method);
                if (election != null) { // a mock of a test returns none
                    open.put(method.nameAmong(known), election);
                }
            }
        } finally {
            elections = open; // after a failure, the end of the context ends those that have begun
        }
    }

    private LeaderElection begin(LeaderMethod method) {
        LeaseManager manager = managers.manager(method.manager());
        Object bean = beans.getBean(method.bean());
        LeaderElection.Work work = lease -> {
            Thread.currentThread().setContextClassLoader(beans.getBeanClassLoader());
            TERM.set(new Term(this, method, lease));
            try {
                LeaderCall.make(bean, method, manager, lease);
            } finally {
                TERM.remove();
            }
        };
        return meter.get()
                .elect(
                        method.managerName(),
                        method.leaseName(),
                        work,
                        measured -> elector.get().elect(manager, method.request(), of(method), measured));
    }

    private ElectionSettings of(LeaderMethod method) {
        ElectionSettings wanted = ElectionSettings.defaults();
        if (method.stopTimeout() != null) {
            wanted = wanted.stopTimeout(method.stopTimeout());
        }
        return settings.get().virtualThreads()
                ? wanted.threads(new VirtualThreadTaskExecutor(
                                "lease-leader-" + method.request().key() + "-")
                        .getVirtualThreadFactory())
                : wanted;
    }

    @Override
    public void stop() {
        var unused = closeAll();
    }

    @Override
    public void stop(Runnable callback) {
        var unused = closeAll().whenComplete((done, failure) -> callback.run());
    }

    /** Tells all methods to stop. The future completes when they have returned and their leases are released. */
    private CompletableFuture<Void> closeAll() {
        lock.lock();
        try {
            running = false;
            begun = false;
        } finally {
            lock.unlock();
        }
        Term own = TERM.get();
        Map<String, CompletableFuture<Void>> closing = new LinkedHashMap<>();
        elections.forEach(
                (name, election) -> closing.put(name, election.closeAsync().toCompletableFuture()));
        if (own != null && own.of == this) {
            endOwn(own, closing);
        }
        return CompletableFuture.allOf(closing.values().toArray(CompletableFuture[]::new));
    }

    /**
     * Ends the term of a method that closes its own context. The close cannot wait for the return of this method, so it releases
     * the lease now. The signal to stop must not interrupt the close, which runs on the same thread.
     */
    private void endOwn(Term own, Map<String, CompletableFuture<Void>> closing) {
        var unused = Thread.interrupted();
        closing.put(
                own.method.nameAmong(Objects.requireNonNull(methods)),
                own.lease.releaseAsync().toCompletableFuture());
    }

    // a paused context keeps its managers and their elections
    @Override
    public boolean isPauseable() {
        return false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
