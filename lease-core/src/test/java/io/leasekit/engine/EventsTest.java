package io.leasekit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import io.leasekit.Lease;
import io.leasekit.LeaseEvent;
import io.leasekit.LeaseLossReason;
import io.leasekit.threads.Losses;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Listeners get the events of a key in order. A listener delays no other listener, key or heartbeat. */
class EventsTest {

    @RegisterExtension
    private final LogLines logged = new LogLines(Events.class.getName());

    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final List<LeaseEvent> told = new CopyOnWriteArrayList<>();

    private static LeaseEvent event(String key, long number) {
        return new LeaseEvent.Acquired(key, "here", number);
    }

    private Events telling(Executor executor) {
        return Bench.events(List.of(told::add), executor);
    }

    private void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    @Test
    void eventsOfAKeyAreToldInTheirOrderByOneTask() {
        Events events = telling(tasks::add);

        events.publish(event("a", 1));
        events.publish(event("b", 2));
        events.publish(event("a", 3));
        assertThat(tasks).hasSize(2);
        tasks.remove().run();

        assertThat(told).containsExactly(event("a", 1), event("a", 3));
        runTasks();
        assertThat(told).containsExactly(event("a", 1), event("a", 3), event("b", 2));
    }

    @Test
    void aCallThatTakesLongDelaysItsOwnKeyOnly() {
        List<Events> self = new ArrayList<>();
        Events events = Bench.events(
                List.of(event -> {
                    if (event.equals(event("slow", 1))) {
                        self.get(0).publish(event("slow", 2));
                        self.get(0).publish(event("fast", 3));
                        runTasks(); // as other threads would do meanwhile
                    }
                    told.add(event);
                }),
                tasks::add);
        self.add(events);
        events.publish(event("slow", 1));

        runTasks();

        assertThat(told).containsExactly(event("fast", 3), event("slow", 1), event("slow", 2));
    }

    @Test
    void anEventOfAListenersOwnComesAfterTheOneThatItIsToldOf() {
        List<Events> self = new ArrayList<>();
        Events events = Bench.events(
                List.of(
                        event -> {
                            if (event.equals(event("key", 1))) {
                                self.get(0).publish(event("key", 2));
                            }
                        },
                        told::add),
                Runnable::run);
        self.add(events);

        events.publish(event("key", 1));

        assertThat(told).containsExactly(event("key", 1), event("key", 2));
    }

    @Test
    void nothingIsKeptOfAKeyOnceItsEventsAreTold() {
        Events events = telling(tasks::add);
        LongStream.range(0, 100).forEach(i -> events.publish(event("key-" + i, i)));
        assertThat(events.keys()).isEqualTo(100);

        runTasks();

        assertThat(events.keys()).isZero();
        events.publish(event("key-1", 1));
        assertThat(tasks).as("the next event is delivered like the first").hasSize(1);
    }

    @Test
    void nothingIsKeptWhereNobodyListens() {
        Events events = Bench.events(List.of(), tasks::add);

        events.publish(event("key", 1));

        assertThat(tasks).isEmpty();
        assertThat(events.keys()).isZero();
    }

    @Test
    void aListenerThatThrowsIsLoggedAndKeepsNothingFromTheOthers() {
        Events events = Bench.events(
                List.of(
                        event -> {
                            throw new IllegalStateException("by design");
                        },
                        event -> {
                            throw new AssertionError("by design");
                        },
                        told::add),
                tasks::add);
        events.publish(event("key", 1));
        events.publish(event("key", 2));

        runTasks();

        assertThat(told).containsExactly(event("key", 1), event("key", 2));
        assertThat(logged.list)
                .hasSize(4)
                .allSatisfy(line -> assertThat(line.getFormattedMessage())
                        .startsWith("Lease listener ")
                        .contains(" failed on Acquired[key='key'"));
        assertThat(events.keys()).isZero();
    }

    @Test
    void anExecutorThatRefusesLosesWhatItRefusesAndNothingAfter() {
        List<RuntimeException> refusals =
                new ArrayList<>(List.of(new RejectedExecutionException(), new IllegalStateException("by design")));
        Events events = telling(task -> {
            if (!refusals.isEmpty()) {
                throw refusals.remove(0);
            }
            task.run();
        });

        events.publish(event("key", 1));
        events.publish(event("key", 2));
        assertThat(events.keys()).isZero();
        events.publish(event("key", 3));

        assertThat(told).containsExactly(event("key", 3));
        assertThat(logged.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .singleElement()
                .satisfies(line ->
                        assertThat(line).startsWith("Callback executor ").endsWith(" failed; one callback is dropped"));
    }

    @Test
    void aLossIsToldAlthoughAnExecutorRejectsAnEarlierEventOfItsKey() {
        LeaseEvent lost = new LeaseEvent.Lost("key", "here", 1, LeaseLossReason.EXPIRED, Duration.ofSeconds(1));
        List<Events> self = new ArrayList<>();
        Executor full = task -> {
            self.get(0).publish(lost); // as the timer does meanwhile
            throw new RejectedExecutionException("by design");
        };
        Events events = new Events(List.of(told::add), full, new Losses(tasks::add, new VirtualTime()));
        self.add(events);
        events.publish(event("key", 1));

        runTasks();

        assertThat(told).contains(lost);
        assertThat(events.keys()).isZero();
    }

    @Test
    void aListenerThatNeverReturnsFillsNoMemory() {
        Events events = telling(tasks::add);
        LongStream.range(0, Events.MAX_WAITING + 5).forEach(i -> events.publish(event("key", i)));
        events.publish(event("other", 1));

        runTasks();

        assertThat(told).hasSize(Events.MAX_WAITING + 1).contains(event("other", 1));
        assertThat(told.subList(0, Events.MAX_WAITING))
                .isEqualTo(LongStream.range(0, Events.MAX_WAITING)
                        .mapToObj(i -> event("key", i))
                        .toList());
        assertThat(logged.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly("Lease listeners are too slow: 1000 events of lease 'key' are waiting, further ones"
                        + " are dropped");
        events.publish(event("key", 0));
        assertThat(tasks).hasSize(1);
    }

    @Test
    void aWarningSaysThatALossIsDropped() {
        Events events = telling(tasks::add);
        LongStream.range(0, Events.MAX_WAITING).forEach(i -> events.publish(event("key", i)));

        events.publish(new LeaseEvent.Lost("key", "here", 1, LeaseLossReason.EXPIRED, Duration.ofSeconds(1)));

        assertThat(logged.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly("Lease listeners are too slow: 1000 events of lease 'key' are waiting, further ones"
                        + " are dropped");
    }

    // ---- with a manager

    @Test
    void aListenerThatThrowsOrNeverReturnsStopsNoHeartbeat() {
        Bench bench = new Bench();
        Bench.Node throwing = bench.start(
                "throwing",
                builder -> builder.listener(event -> {
                    throw new AssertionError("by design");
                }));
        Bench.Node stuck = bench.start("stuck", builder -> builder.callbackExecutor(tasks::add));
        Lease first = throwing.acquire("first");
        Lease second = stuckAcquire(stuck);

        bench.assertHeldFor(Bench.TTL.multipliedBy(2), first);
        assertThat(second.isValid()).isTrue();
        bench.assertCovered(second);
    }

    /** Acquires 'second' on a node whose further callbacks wait until the test runs them. */
    private Lease stuckAcquire(Bench.Node stuck) {
        var acquiring = stuck.acquiring("second");
        List.copyOf(tasks).forEach(Runnable::run);
        tasks.clear();
        return acquiring.join().orElseThrow();
    }

    @Test
    void theEventsOfAKeyTellItsStory() {
        Bench bench = new Bench();
        Bench.Node here = bench.start("here");
        Bench.Node other = bench.start("other");
        Lease first = here.acquire("key");
        other.tryAcquire("key");
        first.close();
        Lease second = other.acquire("key");
        other.store.always(ScriptedStore.LOST);
        bench.advance(Bench.TTL);

        assertThat(here.events)
                .containsExactly(
                        new LeaseEvent.Acquired("key", "here", first.fencingToken()),
                        new LeaseEvent.Released("key", "here", first.fencingToken(), Duration.ZERO));
        assertThat(other.events)
                .extracting(LeaseEvent::getClass)
                .extracting(Object.class::cast)
                .containsExactly(
                        LeaseEvent.Unavailable.class,
                        LeaseEvent.Acquired.class,
                        LeaseEvent.AtRisk.class,
                        LeaseEvent.Lost.class);
        assertThat(other.events).contains(new LeaseEvent.Acquired("key", "other", second.fencingToken()));
    }

    @Test
    void byManyThreadsEachKeyKeepsItsOrder() throws InterruptedException {
        Map<String, List<Long>> byKey = new ConcurrentHashMap<>();
        List<Thread> threads = new CopyOnWriteArrayList<>();
        Events events = Bench.events(
                List.of(event -> byKey.computeIfAbsent(event.key(), key -> new ArrayList<>()) // one thread at a time
                        .add(((LeaseEvent.Acquired) event).fencingToken())),
                task -> {
                    Thread thread = new Thread(task);
                    threads.add(thread);
                    thread.start();
                });
        List<Thread> publishers = LongStream.range(0, 4)
                .mapToObj(p ->
                        new Thread(() -> LongStream.range(0, 500).forEach(i -> events.publish(event("key-" + p, i)))))
                .toList();
        publishers.forEach(Thread::start);
        for (Thread publisher : publishers) {
            publisher.join();
        }
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(byKey)
                .hasSize(4)
                .allSatisfy((key, numbers) -> assertThat(numbers)
                        .isEqualTo(LongStream.range(0, 500).boxed().toList()));
        assertThat(events.keys()).isZero();
    }
}
