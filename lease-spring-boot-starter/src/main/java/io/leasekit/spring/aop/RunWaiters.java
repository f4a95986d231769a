package io.leasekit.spring.aop;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.task.TaskRejectedException;
import org.springframework.scheduling.TaskScheduler;

/**
 * Waits, without a thread, for runs that other nodes have begun, and runs here what they do not end: one for each method, the
 * newest run's. Thread-safe.
 */
final class RunWaiters {

    private static final Logger log = LoggerFactory.getLogger(RunWaiters.class);

    private final JobSchedulers schedulers;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Waiter> waiters = new HashMap<>(); // guarded by lock
    private boolean closed; // guarded by lock

    RunWaiters(JobSchedulers schedulers) {
        this.schedulers = schedulers;
    }

    /**
     * Waits for the end of this request's run elsewhere. If it is not done then, the body is called under the lease, on the
     * scheduler of the method's firings; it is the body's to close.
     */
    void await(LeaseOnce once, LeaseManager manager, LeaseRequest request, Consumer<Lease> body) {
        Waiter waiter = new Waiter(once, request, body);
        if (replace(waiter)) {
            waiter.begin(manager);
        }
    }

    /** Takes the place of an older run's waiter; returns whether it did. */
    private boolean replace(Waiter waiter) {
        Waiter older;
        lock.lock();
        try {
            older = waiters.get(waiter.id());
            if (closed || (older != null && older.run.equals(waiter.run))) {
                return false;
            }
            waiters.put(waiter.id(), waiter);
        } finally {
            lock.unlock();
        }
        if (older != null) {
            older.stop();
        }
        return true;
    }

    /** Returns the names of the runs that are waited for. */
    List<String> runs() {
        lock.lock();
        try {
            return waiters.values().stream().map(Waiter::run).toList();
        } finally {
            lock.unlock();
        }
    }

    private void remove(Waiter waiter) {
        lock.lock();
        try {
            waiters.remove(waiter.id(), waiter);
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the application ends. */
    boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    /** Ends all waiting; what waits for a thread gives its lease back. Bodies that have begun go on. */
    void close() {
        Map<String, Waiter> all;
        lock.lock();
        try {
            closed = true;
            all = Map.copyOf(waiters);
            waiters.clear();
        } finally {
            lock.unlock();
        }
        all.values().forEach(Waiter::stop);
        schedulers.close();
    }

    private enum Phase {
        WAITING,
        GRANTED,
        DONE
    }

    private final class Waiter {

        private final LeaseOnce once;
        private final LeaseRequest request;
        private final String run;
        private final Consumer<Lease> body;
        private final ReentrantLock state = new ReentrantLock();
        private Phase phase = Phase.WAITING; // guarded by state
        private @Nullable Lease lease; // guarded by state
        private @Nullable CompletableFuture<Optional<Lease>> acquiring; // guarded by state

        Waiter(LeaseOnce once, LeaseRequest request, Consumer<Lease> body) {
            this.once = once;
            this.request = request.waitFor(LeaseRequest.UNLIMITED);
            this.run = String.valueOf(request.once());
            this.body = body;
        }

        String id() {
            return once.method() + " " + request.key();
        }

        String run() {
            return run;
        }

        void begin(LeaseManager manager) {
            log.debug("Run '{}' of '{}' has begun elsewhere; waiting for its end", run, once.method());
            CompletableFuture<Optional<Lease>> future = manager.acquireAsync(request);
            state.lock();
            try {
                acquiring = future;
            } finally {
                state.unlock();
            }
            var unused = future.whenComplete((answer, error) -> {
                if (error == null) {
                    onAnswer(answer);
                } else {
                    onError(error);
                }
            });
            if (isDone()) {
                future.cancel(true); // it was stopped meanwhile
            }
        }

        private boolean isDone() {
            state.lock();
            try {
                return phase == Phase.DONE;
            } finally {
                state.unlock();
            }
        }

        private void onAnswer(Optional<Lease> answer) {
            if (answer.isPresent()) {
                onGranted(answer.get());
            } else {
                finish(); // it is done elsewhere
            }
        }

        private void onError(Throwable error) {
            if (finish()) {
                log.warn("Waiting for run '{}' of '{}' failed: {}", run, once.method(), error.toString());
            }
        }

        private void onGranted(Lease granted) {
            boolean wanted;
            state.lock();
            try {
                wanted = phase == Phase.WAITING;
                if (wanted) {
                    phase = Phase.GRANTED;
                    lease = granted;
                }
            } finally {
                state.unlock();
            }
            if (wanted) {
                schedule();
            } else {
                granted.releaseAsync();
            }
        }

        private void schedule() {
            try {
                TaskScheduler scheduler = schedulers.get(once.schedule().scheduler());
                scheduler.schedule(this::start, scheduler.getClock().instant());
            } catch (TaskRejectedException e) {
                stop(); // the application ends
            }
        }

        private void start() {
            Lease begun = take();
            if (begun != null) {
                remove(this);
                log.info("Run '{}' of '{}' was not ended where it had begun, and starts here", run, once.method());
                body.accept(begun);
            }
        }

        /** Ends the waiting; a lease whose body has not begun is released. */
        void stop() {
            CompletableFuture<Optional<Lease>> future;
            Lease unused = take();
            state.lock();
            try {
                phase = Phase.DONE;
                future = acquiring;
            } finally {
                state.unlock();
            }
            if (unused != null) {
                unused.releaseAsync();
            } else if (future != null) {
                future.cancel(true);
            }
            remove(this);
        }

        /** Returns the lease, once, to whoever comes first. */
        private @Nullable Lease take() {
            state.lock();
            try {
                Lease taken = lease;
                lease = null;
                phase = taken == null ? phase : Phase.DONE;
                return taken;
            } finally {
                state.unlock();
            }
        }

        private boolean finish() {
            boolean waited;
            state.lock();
            try {
                waited = phase == Phase.WAITING;
                phase = Phase.DONE;
            } finally {
                state.unlock();
            }
            remove(this);
            return waited;
        }
    }
}
