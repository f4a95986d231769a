package io.leasekit;

import io.leasekit.text.Text;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/**
 * The locks of one manager, with their owners. Classes that implement {@link LeaseManager} use this class to implement
 * {@link LeaseManager#lock(LeaseRequest)}, which applications call.
 *
 * <p>The leases exclude threads from each other, even within one process. This class only records the owner, the lease
 * and the lock count for each locked key. If a thread ends without unlocking, a later lock call removes its record
 * after the end of the lease. Objects of this class need not be closed. Thread-safe.
 */
public final class LeaseLocks {

    private static final int MIN_SWEEP = 16;

    private final LeaseManager leases;
    private final ConcurrentMap<Owner, Hold> holds = new ConcurrentHashMap<>();
    private final AtomicInteger lockedSinceSweep = new AtomicInteger();

    /**
     * The owner of a lock. A key can have two owners: after one thread has lost its lease, another thread can lock
     * before the first thread unlocks.
     */
    private record Owner(String key, Thread thread) {

        boolean isGone() {
            return !thread.isAlive();
        }
    }

    /** Only the owning thread reads and writes the lock count. */
    private static final class Hold {
        private final Lease lease;
        private int count = 1;

        Hold(Lease lease) {
            this.lease = lease;
        }
    }

    /** Creates the locks of this manager. The manager acquires the leases of the locks. */
    public LeaseLocks(LeaseManager leases) {
        this.leases = leases;
    }

    /**
     * Returns the lock of the request's key. Sends no request.
     *
     * @throws IllegalArgumentException if the request has several keys, a run, permits or a {@code waitFor}
     */
    public LeaseLock of(LeaseRequest request) {
        String lock = " for lock " + Text.quoteAll(request.keys());
        if (request.keys().size() > 1) {
            throw new IllegalArgumentException("Request names " + request.keys().size() + " keys" + lock
                    + ", expected one: for several keys, acquire a lease");
        }
        if (request.once() != null) {
            throw new IllegalArgumentException(
                    "once is " + Text.quote(request.once()) + lock + ", expected none: for a run, acquire a lease");
        }
        if (request.permits() > 0) {
            throw new IllegalArgumentException(
                    "permits is " + request.permits() + lock + ", expected none: for permits, acquire a lease");
        }
        if (!request.waitFor().isZero()) {
            throw new IllegalArgumentException("waitFor is " + Text.exact(request.waitFor()) + lock
                    + ", expected zero: pass the wait to 'tryLock'");
        }
        return new ThreadLock(request);
    }

    private void add(Owner owner, Hold hold) {
        holds.put(owner, hold);
        int most = holds.size() + MIN_SWEEP;
        if (lockedSinceSweep.incrementAndGet() > most) {
            lockedSinceSweep.set(0);
            holds.entrySet()
                    .removeIf(entry ->
                            entry.getKey().isGone() && !entry.getValue().lease.isValid());
        }
    }

    private final class ThreadLock implements LeaseLock {

        private final LeaseRequest request;

        ThreadLock(LeaseRequest request) {
            this.request = request;
        }

        @Override
        public String key() {
            return request.key();
        }

        @Override
        public boolean isHeldByCurrentThread() {
            return holds.containsKey(caller());
        }

        @Override
        public Lease lease() {
            return hold().lease;
        }

        @Override
        public void lock() {
            ensureGranted(uninterruptibly(() -> enter(LeaseRequest.UNLIMITED)));
        }

        @Override
        public void lockInterruptibly() throws InterruptedException {
            ensureGranted(interruptibly(LeaseRequest.UNLIMITED));
        }

        @Override
        public boolean tryLock() {
            return uninterruptibly(() -> enter(Duration.ZERO));
        }

        @Override
        public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
            return interruptibly(Duration.ofNanos(Math.max(0, unit.toNanos(time))));
        }

        @Override
        public void unlock() {
            Hold hold = hold();
            hold.count--;
            if (hold.count > 0) {
                return;
            }
            holds.remove(caller());
            try (Lease lease = hold.lease) {
                uninterruptibly(() -> isValid(lease));
            }
        }

        @Override
        public Condition newCondition() {
            throw new UnsupportedOperationException("Lock " + name() + " does not support conditions, because a signal"
                    + " does not reach other processes: unlock, wait by other means, and lock again");
        }

        private boolean enter(Duration wait) {
            Owner caller = caller();
            Hold hold = holds.get(caller);
            if (hold != null) {
                hold.lease.ensureValid();
                hold.count++;
                return true;
            }
            Optional<Lease> acquired = leases.tryAcquire(request.waitFor(wait));
            acquired.ifPresent(lease -> add(caller, new Hold(lease)));
            return acquired.isPresent();
        }

        private boolean interruptibly(Duration wait) throws InterruptedException {
            if (Thread.interrupted()) {
                throw new InterruptedException("Interrupted before a wait for lock " + name());
            }
            try {
                return enter(wait);
            } catch (LeaseInterruptedException e) {
                // The thrown InterruptedException reports the interrupt, so the interrupt flag is cleared.
                Thread.interrupted();
                InterruptedException interrupt = new InterruptedException(e.getMessage());
                interrupt.initCause(e);
                throw interrupt;
            }
        }

        private void ensureGranted(boolean granted) {
            if (!granted) {
                throw new LeaseException("Lock " + name() + " was not granted by a wait without a limit", null);
            }
        }

        private Owner caller() {
            return new Owner(key(), Thread.currentThread());
        }

        private Hold hold() {
            Hold hold = holds.get(caller());
            if (hold == null) {
                throw new IllegalMonitorStateException("Lock " + name() + " is held by " + owners()
                        + ", expected a call by its owner, not by thread " + printed(Thread.currentThread()));
            }
            return hold;
        }

        private String owners() {
            String threads = holds.keySet().stream()
                    .filter(owner -> owner.key().equals(key()))
                    .map(owner -> "thread " + printed(owner.thread()))
                    .collect(Collectors.joining(" and "));
            return threads.isEmpty() ? "no thread of this manager" : threads;
        }

        private String name() {
            return Text.quote(key());
        }

        @Override
        public String toString() {
            return "LeaseLock[key=" + name() + ", held by " + owners() + "]";
        }
    }

    /** Virtual threads usually have no name. */
    private static String printed(Thread thread) {
        return thread.getName().isEmpty() ? String.valueOf(thread) : Text.quote(thread.getName());
    }

    private static boolean isValid(Lease lease) {
        lease.ensureValid();
        return true;
    }

    /** Repeats the step after an interrupt, and sets the thread's interrupt flag again at the end. */
    private static boolean uninterruptibly(BooleanSupplier step) {
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try {
                    return step.getAsBoolean();
                } catch (LeaseInterruptedException e) {
                    if (!Thread.interrupted()) {
                        throw e; // no interrupt of this thread caused the exception
                    }
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
