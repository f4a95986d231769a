package io.leasekit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.LeaseEvent;
import io.leasekit.LeaseListener;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseManagerBuilder;
import io.leasekit.LeaseRequest;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.StoreReply;
import io.leasekit.threads.Losses;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** A table in virtual time and the processes of a test that use it. */
final class Bench {

    static final Duration TTL = Duration.ofSeconds(10);

    final VirtualTime time = new VirtualTime();
    final InMemoryLeaseStore table = new InMemoryLeaseStore(time.clock());
    private int started;

    /** A process with its own clocks, store and manager. User code runs at once, on the test's thread. */
    final class Node {
        final VirtualMachine machine = new VirtualMachine(time);
        final ScriptedStore store = new ScriptedStore(table);
        final List<LeaseEvent> events = new ArrayList<>();
        final LeaseManager leases;

        private Node(String owner, Consumer<LeaseManagerBuilder> settings, Consumer<VirtualMachine> clocks) {
            clocks.accept(machine);
            SplittableRandom random = new SplittableRandom(++started);
            EngineBuilder builder = new EngineBuilder(store)
                    .owner(owner)
                    .ttl(TTL)
                    .callbackExecutor(Runnable::run)
                    .sender(Runnable::run)
                    .losses(Runnable::run)
                    .listener(events::add)
                    .time(machine)
                    .random(random);
            settings.accept(builder);
            leases = builder.build();
        }

        Lease acquire(String key) {
            return acquire(LeaseRequest.of(key));
        }

        /** Acquires a lease that must be granted without a wait. */
        Lease acquire(LeaseRequest request) {
            return tryAcquire(request).orElseThrow();
        }

        Optional<Lease> tryAcquire(String key) {
            return tryAcquire(LeaseRequest.of(key));
        }

        Optional<Lease> tryAcquire(LeaseRequest request) {
            CompletableFuture<Optional<Lease>> acquiring = leases.acquireAsync(request);
            assertThat(acquiring).isDone();
            return acquiring.join();
        }

        CompletableFuture<Optional<Lease>> acquiring(String key) {
            return leases.acquireAsync(LeaseRequest.of(key));
        }

        CompletableFuture<Optional<Lease>> waiting(String key) {
            return leases.acquireAsync(LeaseRequest.of(key).waitFor(Duration.ofHours(1)));
        }

        /** Takes this many clock samples, by reads of a key that no test uses. */
        void sample(int replies) {
            for (int i = 0; i < replies; i++) {
                leases.find("sampled");
            }
            store.verbs();
        }

        /** Uses up the retries of the budget by an acquire that fails for minutes; no later request finds one. */
        void spendRetries() {
            store.always("spent", ScriptedStore.refused("ProvisionedThroughputExceededException"));
            CompletableFuture<?> failing = waiting("spent");
            advance(Duration.ofMinutes(2));
            failing.cancel(true);
            store.heal();
            sample(1); // the table answers again
        }
    }

    /** Returns the events of listeners that are called by this executor, also at a loss. */
    static Events events(List<LeaseListener> listeners, Executor executor) {
        return new Events(listeners, executor, new Losses(executor, new VirtualTime()));
    }

    Node start(String owner) {
        return start(owner, builder -> {});
    }

    Node start(String owner, Consumer<LeaseManagerBuilder> settings) {
        return start(owner, settings, machine -> {});
    }

    Node start(String owner, Consumer<LeaseManagerBuilder> settings, Consumer<VirtualMachine> clocks) {
        return new Node(owner, settings, clocks);
    }

    void advance(Duration duration) {
        time.advance(duration);
    }

    LeaseItem item(String key) {
        return table.item(key).orElseThrow();
    }

    StoreReply refusedBy(String... keys) {
        return new StoreReply.GroupRefused(
                Stream.of(keys)
                        .map(key -> new StoreReply.Refusal(key, item(key)))
                        .toList(),
                time.now(),
                false);
    }

    boolean isHeld(String key) {
        return table.item(key).map(LeaseItem::version).isPresent();
    }

    /** Asserts that the table shows each key as this holder's, with an expiry not before the end of its validity. */
    void assertCovered(Lease lease) {
        for (String key : lease.keys()) {
            LeaseItem item = item(key);
            assertThat(item.version()).startsWith(((HeldLease) lease).tenure().toString());
            assertThat(item.token()).isEqualTo(lease.fencingToken());
            assertThat(Instant.ofEpochSecond(item.expiry()))
                    .isAfterOrEqualTo(time.now().plus(lease.remaining()));
        }
    }

    /** Asserts, at each second of this duration, that the lease is valid and covered by the table. */
    void assertHeldFor(Duration duration, Lease lease) {
        for (long second = 0; second < duration.toSeconds(); second++) {
            assertThat(lease.isValid()).as("after %d s", second).isTrue();
            assertCovered(lease);
            advance(Duration.ofSeconds(1));
        }
        assertThat(lease.lost().toCompletableFuture()).isNotDone();
    }
}
