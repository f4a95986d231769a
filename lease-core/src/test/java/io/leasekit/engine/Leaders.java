package io.leasekit.engine;

import io.leasekit.ElectionSettings;
import io.leasekit.LeaderElection;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** The threads of elections in a test: a started one waits until the test runs it, on the thread of the test. */
final class Leaders {

    private final Queue<Runnable> started = new ArrayDeque<>();
    private @Nullable AssertionError failed;

    /** Returns settings whose work runs when the test says so. */
    ElectionSettings settings() {
        return ElectionSettings.defaults().threads(task -> new Thread(task) {
            @Override
            public synchronized void start() {
                started.add(task);
            }
        });
    }

    LeaderElection elect(LeaseManager leases, String key, LeaderElection.Work work) {
        return leases.elect(LeaseRequest.of(key), settings(), lease -> {
            try {
                work.lead(lease);
            } catch (AssertionError e) {
                failed = e; // an election would only log it
            }
        });
    }

    /** Returns the number of works that have a thread and have not begun. */
    int ready() {
        return started.size();
    }

    /** Runs the work that was started first until it returns. */
    void runNext() {
        started.remove().run();
        if (failed != null) {
            throw failed;
        }
    }
}
