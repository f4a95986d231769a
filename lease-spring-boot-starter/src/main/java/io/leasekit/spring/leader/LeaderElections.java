package io.leasekit.spring.leader;

import io.leasekit.ElectionSettings;
import io.leasekit.LeaderElection;
import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseManagerStatus;
import io.leasekit.internal.Internal;
import io.leasekit.spring.aop.DistributedLeaseAdvisor;
import io.leasekit.text.Text;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.core.task.VirtualThreadTaskExecutor;

/**
 * The elections of a context's methods with {@link io.leasekit.spring.LeaderOnly}. The elections begin once the
 * application is ready, and again when the context starts after a stop or a pause. Thread-safe.
 */
@Internal
public final class LeaderElections implements SmartLifecycle, ApplicationListener<ApplicationEvent> {

    private static final Logger log = LoggerFactory.getLogger(LeaderElections.class);

    /** After this time, elections begin even if the application is not ready, because a runner may never return. */
    private static final long RUNNERS_SECONDS = 30;

    /** Schedulers and executors, which the methods may use, have a lower phase, so they stop after the elections. */
    static final int PHASE = Integer.MAX_VALUE / 2 + 1024;

    private static final ThreadLocal<Term> TERM = new ThreadLocal<>();

    private final ConfigurableListableBeanFactory beans;
    private final LeaderOnlyAdvisor advisor;
    private final DistributedLeaseAdvisor managers;
    private final Supplier<LeaderSettings> settings;
    private final Supplier<LeaderElector> elector;
    private final Supplier<LeaderMeter> meter;
    private final ReentrantLock lock = new ReentrantLock();

    /** Executes a task after 30 s; tests set another executor. */
    Executor afterRunners = CompletableFuture.delayedExecutor(RUNNERS_SECONDS, TimeUnit.SECONDS);

    private volatile @Nullable List<LeaderMethod> methods;
    private volatile Map<String, LeaderElection> elections = Map.of(); // written under lock
    private boolean begun; // guarded by lock
    private boolean ready; // guarded by lock
    private boolean onRequest; // guarded by lock
    private volatile boolean running; // written under lock

    private record Term(LeaderElections of, LeaderMethod method, Lease lease) {}

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

    /** Returns the elections by the names of their methods; empty before the elections begin. */
    public Map<String, LeaderElection> elections() {
        return elections;
    }

    /** {@code method} is the method's name in {@link #elections}. */
    public Optional<LeaseManager> manager(String method) {
        List<LeaderMethod> known = Objects.requireNonNullElse(methods, List.of());
        return known.stream()
                .filter(leader -> leader.nameAmong(known).equals(method))
                .map(leader -> managers.manager(leader.manager()))
                .findFirst();
    }

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
            managers.checkLeaders(read.stream().map(LeaderMethod::type).collect(Collectors.toSet()));
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
        if (status != null) { // a mocked manager returns null
            method.checkStopTimeout(status.ttl());
        }
    }

    private void refuseSecond(LeaderMethod method, List<LeaderMethod> all) {
        for (LeaderMethod other : all) {
            if (!other.equals(method)
                    && other.request().key().equals(method.request().key())
                    && managers.manager(other.manager()) == managers.manager(method.manager())) {
                throw method.invalid(
                        "the key " + Text.quote(method.request().key()) + " is also used by '" + other.name()
                                + "', so only one of the two methods would run at a time",
                        "Give each method a key of its own.",
                        null);
            }
        }
    }

    // this method also receives the events of child contexts
    @Override
    public void onApplicationEvent(ApplicationEvent event) {
        if (event instanceof ApplicationReadyEvent ready
                && ready.getApplicationContext().getAutowireCapableBeanFactory() == beans) {
            becomeReady();
        } else if (event instanceof ContextRefreshedEvent refreshed
                && refreshed.getApplicationContext().getAutowireCapableBeanFactory() == beans
                && !Objects.requireNonNullElse(methods, List.of()).isEmpty()) {
            afterRunners.execute(this::beginWithoutReadiness);
        }
    }

    private void becomeReady() {
        lock.lock();
        try {
            ready = true;
            beginIfReady();
        } finally {
            lock.unlock();
        }
    }

    private void beginWithoutReadiness() {
        lock.lock();
        try {
            if (ready || onRequest) {
                return;
            }
            if (running) {
                log.warn(
                        "Leaders begin now, although the application is not ready {} s after the refresh of its context: a"
                                + " runner has not returned, or the context has no SpringApplication",
                        RUNNERS_SECONDS);
            }
            // In a stopped or paused context, the elections begin when the context starts again.
            becomeReady();
        } catch (RuntimeException | Error e) {
            log.error("Leaders cannot begin", e);
        } finally {
            lock.unlock();
        }
    }

    /** After this call, the elections begin only when {@link #begin()} is called. */
    public void waitForRequest() {
        lock.lock();
        try {
            onRequest = true;
        } finally {
            lock.unlock();
        }
    }

    public void begin() {
        lock.lock();
        try {
            beginNow();
        } finally {
            lock.unlock();
        }
    }

    private void beginIfReady() {
        if (ready && !onRequest) {
            beginNow();
        }
    }

    private void beginNow() {
        List<LeaderMethod> known = methods;
        if (!running || begun || known == null) {
            return;
        }
        begun = true;
        Map<String, LeaderElection> open = new LinkedHashMap<>();
        try {
            for (LeaderMethod method : known) {
                LeaderElection election = begin(method);
                if (election != null) { // a mocked elector returns null
                    open.put(method.nameAmong(known), election);
                }
            }
        } finally {
            // After a failure, a close of the context must still end the elections that have begun.
            elections = open;
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
                                "lease-leader-" + Text.plain(method.request().key()) + "-")
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

    /** The returned future completes when all methods have returned and their leases are released. */
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
     * Called if the leader's method itself closes the context. Releases the lease without waiting for the method, and
     * clears the interrupt that signals the stop.
     */
    private void endOwn(Term own, Map<String, CompletableFuture<Void>> closing) {
        var unused = Thread.interrupted();
        closing.put(
                own.method.nameAmong(Objects.requireNonNull(methods)),
                own.lease.releaseAsync().toCompletableFuture());
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
