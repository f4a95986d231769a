package io.leasekit.engine;

import static io.leasekit.engine.Interleavings.check;
import static io.leasekit.engine.Interleavings.modelChecking;
import static io.leasekit.engine.Interleavings.stress;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.leasekit.Lease;
import io.leasekit.LeaseEvent;
import io.leasekit.LeaseException;
import io.leasekit.LeaseInterruptedException;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.kernel.AcquireCall;
import io.leasekit.kernel.LeaseState;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.LeaseStore;
import io.leasekit.threads.Mailbox;
import io.leasekit.time.EngineTime;
import java.lang.reflect.Field;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Concurrent operations in the interleavings that Lincheck finds. Each result is that of some sequential order. */
@Tag("instruments")
@Tag("full")
class InterleavingsTest {

    private final Logger logger = (Logger) LoggerFactory.getLogger("io.leasekit");
    private final Level before = logger.getLevel();

    @BeforeEach
    void beSilent() {
        logger.setLevel(Level.OFF); // thousands of leases are lost here
    }

    @AfterEach
    void speakAgain() {
        logger.setLevel(before);
    }

    @Test
    void aMailboxRunsEachStepOnceAndOneAtATime() {
        modelChecking().check(Steps.class);
    }

    /** Steps whose count is right only if no two run at the same time. */
    public static class Steps {
        private final Mailbox mailbox = new Mailbox(error -> {});
        private final AtomicInteger brought = new AtomicInteger();
        private int run;

        @Operation
        public void step() {
            brought.incrementAndGet();
            mailbox.execute(() -> run++);
        }

        @Operation
        public void stepThatBringsAnother() {
            brought.addAndGet(2);
            mailbox.execute(() -> {
                mailbox.execute(() -> run++);
                run++;
            });
        }

        @Validate
        public void allRan() {
            check(run == brought.get(), "each step runs once");
        }
    }

    @Test
    void eventsAreToldOnceInTheOrderOfTheirKeyAndNothingIsKept() {
        stress().check(Telling.class);
    }

    /** Publishers of events of one key, and threads of the callback executor. */
    public static class Telling {
        private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
        private final AtomicInteger published = new AtomicInteger();
        private final List<LeaseEvent> told = new CopyOnWriteArrayList<>();
        private final AtomicInteger telling = new AtomicInteger();
        private volatile boolean overlapped;
        private final Events events = Bench.events(List.of(this::tell), tasks::add);

        private void tell(LeaseEvent event) {
            if (telling.getAndIncrement() > 0) {
                overlapped = true;
            }
            told.add(event);
            telling.getAndDecrement();
        }

        @Operation
        public void publish() {
            int number = published.incrementAndGet();
            events.publish(new LeaseEvent.Acquired("key", "here", number));
        }

        @Operation
        public void runATask() {
            Runnable task = tasks.poll();
            if (task != null) {
                task.run();
            }
        }

        @Validate
        public void allAreTold() {
            for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                task.run();
            }
            check(
                    told.size() == published.get() && Set.copyOf(told).size() == told.size(),
                    "each event is delivered once");
            check(!overlapped, "events of a key are delivered one at a time");
            check(events.keys() == 0, "nothing is kept");
        }
    }

    private static LeaseManager leases(LeaseStore table) {
        return new EngineBuilder(table)
                .owner("here")
                .time(new StillTime())
                .callbackExecutor(Runnable::run)
                .sender(Runnable::run)
                .losses(Runnable::run)
                .build();
    }

    @Test
    void callersThatDoNotWaitGetTheLeaseWhenItIsFreeAndOnlyThen() {
        stress().check(Trying.class);
    }

    /** Attempts and releases of one lease, also while a release is in flight, behave as in some sequence. */
    public static class Trying {
        private final LeaseManager leases = leases(table());
        private final AtomicReference<Lease> held = new AtomicReference<>();

        @Operation
        public boolean tryAcquire() {
            Optional<Lease> lease = leases.tryAcquire("key");
            lease.ifPresent(held::set);
            return lease.isPresent();
        }

        @Operation
        public boolean release() {
            Lease lease = take();
            if (lease != null) {
                lease.close();
            }
            return lease != null;
        }

        /** Takes the lease, or waits for it if the thread that was granted it has not stored it yet. */
        private @Nullable Lease take() {
            Lease lease = held.getAndSet(null);
            while (lease == null && !leases.held().isEmpty()) {
                Thread.onSpinWait();
                lease = held.getAndSet(null);
            }
            return lease;
        }
    }

    private static InMemoryLeaseStore table() {
        return new InMemoryLeaseStore(Clock.fixed(VirtualTime.START, ZoneOffset.UTC));
    }

    @Test
    void callersThatWaitAllGetTheLeaseOneAtATime() {
        stress().check(Waiting.class);
    }

    /** Waiters for one lease, some of which give up. Each of the others gets its turn, and no lease is left over. */
    public static class Waiting {
        private final InMemoryLeaseStore table = table();
        private final LeaseManager leases = leases(table);
        private final AtomicInteger inside = new AtomicInteger();
        private final AtomicInteger begun = new AtomicInteger();
        private final AtomicInteger ended = new AtomicInteger();
        private volatile boolean overlapped;

        private static LeaseRequest patient() {
            return LeaseRequest.of("key").waitFor(LeaseRequest.UNLIMITED);
        }

        @Operation
        public void section() {
            begun.incrementAndGet();
            try (Lease lease = leases.acquire(patient())) {
                if (inside.getAndIncrement() > 0 || !lease.isValid()) {
                    overlapped = true;
                }
                inside.getAndDecrement();
            }
            ended.incrementAndGet();
        }

        @Operation
        public void giveUp() {
            CompletableFuture<Optional<Lease>> future = leases.acquireAsync(patient());
            future.thenAccept(lease -> lease.orElseThrow().releaseAsync());
            future.cancel(true);
        }

        @Validate
        public void allHaveBeenInside() {
            check(!overlapped, "one at a time");
            check(ended.get() == begun.get(), "each gets its turn");
            check(table.item("key").map(LeaseItem::version).isEmpty(), "the key is free in the end");
        }
    }

    @Test
    void callersThatWaitForPermitsAllGetOneAndNoMoreThanThereAreAtATime() {
        stress().check(WaitingForPermits.class);
    }

    /** Waiters for two permits, some of which give up or are interrupted. */
    public static class WaitingForPermits {
        private static final int PERMITS = 2;

        private final InMemoryLeaseStore table = table();
        private final LeaseManager leases = leases(table);
        private final Blocked blocked = new Blocked();
        private final AtomicInteger inside = new AtomicInteger();
        private final AtomicInteger begun = new AtomicInteger();
        private final AtomicInteger ended = new AtomicInteger();
        private volatile boolean tooMany;

        private static LeaseRequest patient() {
            return LeaseRequest.of("key").permits(PERMITS).waitFor(LeaseRequest.UNLIMITED);
        }

        @Operation
        public void section() {
            begun.incrementAndGet();
            blocked.run(() -> use(leases.acquire(patient())));
            ended.incrementAndGet();
        }

        private void use(Lease lease) {
            try (lease) {
                if (inside.incrementAndGet() > PERMITS || !lease.isValid()) {
                    tooMany = true;
                }
                inside.decrementAndGet();
            }
        }

        @Operation
        public void giveUp() {
            CompletableFuture<Optional<Lease>> future = leases.acquireAsync(patient());
            future.thenAccept(lease -> lease.orElseThrow().releaseAsync());
            future.cancel(true);
        }

        @Operation
        public void interrupt() {
            blocked.interruptOne();
        }

        @Validate
        public void allHaveBeenInside() {
            check(!tooMany, "no more than the permits at a time");
            check(ended.get() == begun.get(), "each gets its turn or is interrupted");
            check(leases.held().isEmpty(), "no permit is left");
        }
    }

    /** Threads that block in a call, which others may interrupt then and only then. */
    private static final class Blocked {
        private final Set<Thread> threads = new LinkedHashSet<>();

        void run(Runnable call) {
            synchronized (threads) {
                threads.add(Thread.currentThread());
            }
            try {
                call.run();
            } catch (LeaseInterruptedException e) {
                // as an operation has asked for
            } finally {
                synchronized (threads) {
                    threads.remove(Thread.currentThread());
                }
                boolean unused = Thread.interrupted();
            }
        }

        void interruptOne() {
            synchronized (threads) {
                threads.stream().findFirst().ifPresent(Thread::interrupt);
            }
        }
    }

    @Test
    void aResultReachesItsCallerOrItsLeaseIsReleased() {
        stress().check(HandingOver.class);
    }

    /**
     * Callers that wait for one lease, blocking or by futures, while others interrupt them, cancel and complete their
     * futures. Threads of an executor complete those that are granted.
     */
    public static class HandingOver {
        private static final Executor EXECUTOR = Executors.newFixedThreadPool(2, HandingOver::daemon);

        private final InMemoryLeaseStore table = table();
        private final Queue<CompletableFuture<Optional<Lease>>> futures = new ConcurrentLinkedQueue<>();
        private final LeaseManager leases = leases(table);
        private final Blocked blocked = new Blocked();
        private final AtomicInteger inside = new AtomicInteger();
        private volatile boolean overlapped;

        private static LeaseRequest patient() {
            return LeaseRequest.of("key").waitFor(LeaseRequest.UNLIMITED);
        }

        private static Thread daemon(Runnable task) {
            Thread thread = new Thread(task, "callers");
            thread.setDaemon(true);
            return thread;
        }

        private void use(Lease lease) {
            if (inside.incrementAndGet() > 1 || !lease.isValid()) {
                overlapped = true;
            }
            inside.decrementAndGet();
            lease.releaseAsync();
        }

        @Operation
        public void ask() {
            CompletableFuture<Optional<Lease>> future = leases.acquireAsync(patient(), EXECUTOR);
            future.thenAccept(lease -> lease.ifPresent(this::use));
            futures.add(future);
        }

        @Operation
        public void block() {
            blocked.run(() -> use(leases.acquire(patient())));
        }

        @Operation
        public void cancel() {
            CompletableFuture<Optional<Lease>> future = futures.poll();
            if (future != null) {
                future.cancel(true);
            }
        }

        @Operation
        public void complete() {
            CompletableFuture<Optional<Lease>> future = futures.poll();
            if (future != null) {
                future.complete(Optional.empty());
            }
        }

        @Operation
        public void interrupt() {
            blocked.interruptOne();
        }

        @Validate
        public void nothingIsLeft() {
            long end = System.nanoTime() + Duration.ofMinutes(10).toNanos();
            while (!isFree() && System.nanoTime() - end < 0) {
                Thread.onSpinWait();
            }
            check(!overlapped, "one at a time");
            check(futures.stream().allMatch(CompletableFuture::isDone), "each caller gets a result");
            check(isFree(), "no lease is left without a holder");
        }

        private boolean isFree() {
            return futures.stream().allMatch(CompletableFuture::isDone)
                    && leases.held().isEmpty()
                    && table.item("key").map(LeaseItem::version).isEmpty();
        }
    }

    @Test
    void aResultIsPassedToItsConsumerOnce() {
        modelChecking().check(Passed.class);
    }

    /** Threads that complete a result, and one that names its consumer. */
    public static class Passed {
        private final AtomicInteger passed = new AtomicInteger();
        private final AtomicInteger completed = new AtomicInteger();
        private volatile boolean named;

        @SuppressWarnings("NullAway") // whose request this is does not matter here
        private final AcquireCall call = new AcquireCall(null, new StillTime(), null, null, 0) {
            @Override
            public UUID id() {
                return new UUID(0, 0);
            }

            @Override
            public void cancel(LeaseException why) {
                complete(why);
            }

            @Override
            public void stop(LeaseException why) {
                complete(why);
            }

            private void complete(LeaseException why) {
                if (result().complete(new AcquireCall.Failed(why))) {
                    completed.incrementAndGet();
                }
            }
        };

        @Operation
        public void cancel() {
            call.cancel(new LeaseException("cancelled", null));
        }

        @Operation
        public void stop() {
            call.stop(new LeaseException("closed", null));
        }

        @Operation(runOnce = true)
        public void name() {
            named = true;
            call.whenEnded(result -> passed.incrementAndGet());
        }

        @Validate
        public void passedOnce() {
            boolean ended = call.result().isDone();
            check(completed.get() == (ended ? 1 : 0), "one result counts");
            check(passed.get() == (ended && named ? 1 : 0), "the result is passed once");
        }
    }

    @Test
    void aLeaseThatIsReleasedOrLostIsValidNoMore() {
        stress().check(Held.class);
    }

    /** Time that stands still: no timer fires. */
    private static final class StillTime implements EngineTime {
        @Override
        public long nanos() {
            return 0;
        }

        @Override
        public long wallMillis() {
            return 0;
        }

        @Override
        public Timer schedule(long delayNanos, Runnable task) {
            return () -> {};
        }
    }

    private static final Field STATE = stateField();

    private static Field stateField() {
        try {
            Field state = HeldLease.class.getDeclaredField("state");
            state.setAccessible(true);
            return state;
        } catch (NoSuchFieldException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    /** Not by AssertJ: Lincheck would instrument all of it. */
    private static LeaseState stateOf(HeldLease lease) {
        try {
            return (LeaseState) STATE.get(lease);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A lease that its users check and release while its manager ends it. */
    public static class Held {
        private final InMemoryLeaseStore table = table();
        private final ScriptedStore store = new ScriptedStore(table);
        private final AtomicInteger ends = new AtomicInteger();
        private final HeldLease lease = (HeldLease) new EngineBuilder(store)
                .owner("here")
                .time(new StillTime())
                .callbackExecutor(Runnable::run)
                .sender(Runnable::run)
                .losses(Runnable::run)
                .listener(this::count)
                .build()
                .tryAcquire("key")
                .orElseThrow();
        private final LeaseState state = stateOf(lease);
        private volatile boolean ended;

        private void count(LeaseEvent event) {
            if (event instanceof LeaseEvent.Lost || event instanceof LeaseEvent.Released) {
                ends.incrementAndGet();
            }
        }

        @Operation
        public boolean isValid() {
            return lease.isValid();
        }

        @Operation
        public boolean ensureValid() {
            try {
                lease.ensureValid();
                return true;
            } catch (LeaseException e) {
                return false;
            }
        }

        @Operation
        public void release() {
            ended = true;
            lease.releaseAsync();
        }

        /** The manager's step may run on another thread. It has run once the lease is not valid. */
        @Operation
        public void lose() {
            state.loseBecauseClosed();
            while (lease.isValid()) {
                Thread.onSpinWait();
            }
        }

        @Validate
        public void itEndedOnce() {
            check(ends.get() <= 1, "the lease is lost or released, not both");
            check(store.sent(ScriptedStore.Verb.RELEASE).size() == (ended ? 1 : 0), "one release is sent");
            check(
                    (table.item("key").orElseThrow().version() == null) == ended,
                    "the key is free once the lease is released");
        }
    }
}
