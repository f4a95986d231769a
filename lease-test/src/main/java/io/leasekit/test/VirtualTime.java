package io.leasekit.test;

import io.leasekit.LeaseInterruptedException;
import io.leasekit.text.Text;
import io.leasekit.time.EngineTime;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The virtual time of a test, and the scheduler of all timers of the test. Timers run one at a time, in the order of
 * their due times, on the thread that moves the virtual time. Thread-safe.
 *
 * <p>If the test does not move the time during a wait for a lease, the time moves automatically after about 1 s of real
 * time. While the test's thread runs, the automatic move begins after about 5 s, because a slow test may still move the
 * time.
 */
final class VirtualTime {

    static final Instant START = Instant.parse("2027-01-15T08:00:00Z");

    /** The longest virtual time that a call without a time limit may wait before it fails. */
    static final Duration LONGEST_WAIT = Duration.ofDays(1);

    private static final long LOOK_MILLIS = 500; // real time between two polls

    private static final long NOT_AWAITED = -1;

    /** After this number of polls without a move, the time moves even if the thread of the test is running. */
    private static final int PATIENT_LOOKS = 10;

    private final ReentrantLock queue = new ReentrantLock();
    private final ReentrantLock moving = new ReentrantLock();
    // guarded by the lock 'queue'
    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(Comparator.<Task>comparingLong(task -> task.due).thenComparingLong(task -> task.order));
    private final BooleanSupplier asynchronous;
    private final Thread testThread;
    private final Executor looks;
    private final Set<BooleanSupplier> blocked = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean watching = new AtomicBoolean();
    private long order; // guarded by the lock 'queue'
    private volatile long elapsed; // written only under the lock 'queue'
    private volatile boolean resting;
    private volatile boolean ended;

    private final class Task implements EngineTime.Timer {
        private final long due;
        private final long order;
        private final Executor node;
        private final Runnable action;
        private volatile boolean cancelled;

        Task(long due, long order, Executor node, Runnable action) {
            this.due = due;
            this.order = order;
            this.node = node;
            this.action = action;
        }

        void start() {
            node.execute(() -> {
                if (!cancelled) {
                    action.run();
                }
            });
        }

        @Override
        public void cancel() {
            cancelled = true;
            locked(() -> tasks.remove(this));
        }
    }

    /** {@code asynchronous} returns whether an acquire of the process under test is waiting. */
    VirtualTime(BooleanSupplier asynchronous) {
        this(
                asynchronous,
                Thread.currentThread(),
                CompletableFuture.delayedExecutor(LOOK_MILLIS, TimeUnit.MILLISECONDS, thread()));
    }

    /** The executor has a thread of its own, because tests may block all threads of the common pool. */
    private static Executor thread() {
        return new ThreadPoolExecutor(0, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
            Thread thread = new Thread(null, task, "lease-test-time", 0, false);
            thread.setDaemon(true);
            return thread;
        });
    }

    /** {@code looks} executes each poll of {@link #watch} after a delay in real time. */
    VirtualTime(BooleanSupplier asynchronous, Thread testThread, Executor looks) {
        this.asynchronous = asynchronous;
        this.testThread = testThread;
        this.looks = looks;
    }

    long elapsed() {
        return elapsed;
    }

    Instant now() {
        return START.plusNanos(elapsed);
    }

    Clock clock() {
        InstantSource source = this::now;
        return source.withZone(ZoneOffset.UTC);
    }

    EngineTime.Timer schedule(long delayNanos, Executor node, Runnable action) {
        watch();
        return locked(() -> {
            Task task = new Task(elapsed + Math.max(0, delayNanos), order++, node, action);
            tasks.add(task);
            return task;
        });
    }

    boolean hasEnded() {
        return ended;
    }

    /** After this call, a waiting asynchronous acquire no longer makes the virtual time move automatically. */
    void rest() {
        resting = true;
    }

    /** A thread that still waits for a lease gets a {@link LeaseInterruptedException}. */
    void end() {
        ended = true;
        locked(() -> tasks.removeIf(task -> true));
    }

    void advance(Duration by) {
        move(by, () -> false);
    }

    boolean move(Duration atMost, BooleanSupplier until) {
        moving.lock();
        try {
            long end = elapsed + atMost.toNanos();
            while (!until.getAsBoolean()) {
                Task next = locked(() -> next(end));
                if (next == null) {
                    return until.getAsBoolean();
                }
                next.start();
            }
            return true;
        } finally {
            moving.unlock();
        }
    }

    /** Waits until no other thread is moving the virtual time, so that assertions see all events of the move. */
    void settle() {
        move(Duration.ZERO, () -> true);
    }

    /** If no task is due by {@code end}, moves the virtual time to {@code end} and returns {@code null}. */
    private @Nullable Task next(long end) {
        Task next = tasks.peek();
        boolean due = next != null && next.due <= end;
        elapsed = Math.max(elapsed, due ? next.due : end);
        return due ? tasks.poll() : null;
    }

    private <T extends @Nullable Object> T locked(Supplier<T> action) {
        queue.lock();
        try {
            return action.get();
        } finally {
            queue.unlock();
        }
    }

    // ---- waits in the engine

    <T> T await(CompletableFuture<T> future) throws InterruptedException, ExecutionException {
        try {
            return await(future, LONGEST_WAIT);
        } catch (TimeoutException e) {
            throw gaveUp();
        }
    }

    <T> T await(CompletableFuture<T> future, Duration atMost)
            throws InterruptedException, ExecutionException, TimeoutException {
        if (Thread.currentThread() != testThread && !moving.isHeldByCurrentThread()) {
            return awaitMoves(future, elapsed + atMost.toNanos());
        }
        move(atMost, () -> future.isDone() || Thread.currentThread().isInterrupted());
        boolean isLeftToOthers = !future.isDone() && locked(tasks::isEmpty);
        return future.get(isLeftToOthers ? LOOK_MILLIS : 0, TimeUnit.MILLISECONDS);
    }

    private <T> T awaitMoves(CompletableFuture<T> future, long end)
            throws InterruptedException, ExecutionException, TimeoutException {
        BooleanSupplier waits = () -> !future.isDone() && elapsed < end;
        blocked.add(waits);
        watch();
        try {
            while (waits.getAsBoolean() && !ended) {
                try {
                    return future.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
                } catch (TimeoutException e) {
                    // the loop checks the virtual time again
                }
            }
        } finally {
            blocked.remove(waits);
        }
        if (ended) {
            throw gaveUp();
        }
        return future.get(0, TimeUnit.MILLISECONDS);
    }

    /** Polls in real time, and moves the virtual time if a thread waits and no other thread moves the time. */
    private void watch() {
        if (watching.compareAndSet(false, true)) {
            look(NOT_AWAITED, 0);
        }
    }

    /**
     * {@code before} is the virtual time at the previous poll, or {@code NOT_AWAITED} if no thread waited at that poll.
     * {@code looksBefore} is the number of previous polls in a row that found the virtual time unchanged.
     */
    private void look(long before, int looksBefore) {
        looks.execute(() -> {
            if (!hasWaits()) {
                watching.set(false);
                if (hasWaits()) {
                    // A wait that began while 'watching' was still true started no polling.
                    watch();
                }
                return;
            }
            boolean awaited = isAwaited();
            int seen = awaited && before == elapsed && !moving.isLocked() ? looksBefore + 1 : 0;
            if (seen >= PATIENT_LOOKS || (seen > 0 && testThread.getState() != Thread.State.RUNNABLE)) {
                move(LONGEST_WAIT, () -> !isAwaited());
            }
            look(awaited ? elapsed : NOT_AWAITED, seen);
        });
    }

    boolean hasWaits() {
        return !ended && (isBlocked() || isAcquiring());
    }

    private boolean isAwaited() {
        return isBlocked() || (isWaiting(testThread.getState()) && isAcquiring());
    }

    private static boolean isWaiting(Thread.State state) {
        return state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING;
    }

    private boolean isAcquiring() {
        return !resting && asynchronous.getAsBoolean();
    }

    private boolean isBlocked() {
        return blocked.stream().anyMatch(BooleanSupplier::getAsBoolean);
    }

    private ExecutionException gaveUp() {
        String why = ended
                ? "The test has ended while thread '" + Thread.currentThread().getName() + "' waited for a lease"
                : "Waited " + Text.exact(LONGEST_WAIT)
                        + " of virtual time, and nobody has released the lease: release it or crash its"
                        + " node before the call, or limit the call by 'waitFor'";
        return new ExecutionException(new LeaseInterruptedException(why, new InterruptedException(why)));
    }
}
