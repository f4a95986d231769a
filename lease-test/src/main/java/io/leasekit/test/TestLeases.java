package io.leasekit.test;

import io.leasekit.LeaseEvent;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseManagerBuilder;
import io.leasekit.LeaseMeasurement;
import io.leasekit.LeaseMonitor;
import io.leasekit.LeaseStatus;
import io.leasekit.engine.EngineBuilder;
import io.leasekit.store.LeaseStore;
import io.leasekit.text.Text;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.assertj.core.api.AssertProvider;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItemsRequest;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItemsResponse;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;

/**
 * The leases of a test: those of the process under test, other nodes on the same table, and a virtual time that moves
 * heartbeats, ends of leases, waits and holds. Needs no database, no thread and no real time, so a test of one thread
 * repeats its schedule exactly.
 *
 * <p>Time moves only by {@link #advance} and {@link #advanceTo}, and while the thread of the test waits in a call that
 * needs a lease: then it moves to the next timer, so no wait blocks. The work of methods takes no time. A wait on
 * another thread, or for an asynchronous result, ends when the test moves the time. If the thread of the test itself waits
 * for about a second of real time, with or without a limit, the time moves to the end of that wait. For a wait on another
 * thread, it also moves if the test has not moved it for five seconds. It does not move by itself for an asynchronous call
 * that waits for the table, because of {@link #latency}, for example.
 *
 * <p>With Spring, {@link AutoConfigureTestLeases} makes it a bean, and {@link TestLeasesExtension} does the same for
 * plain tests; both begin each test with free keys and the same time. {@link #create()} serves other cases. Nothing to
 * close. Use it on the thread of the test; the managers are thread-safe.
 *
 * <p>{@code assertThat(leases)} and {@code assertThat(leases.calls())} begin assertions.
 */
public final class TestLeases implements AssertProvider<TestLeasesAssert> {

    /** The owner's name of the process under test. */
    public static final String OWN = "this-node";

    private final Processes processes = new Processes();
    private final Supplier<LeaseManager> main;
    private final Set<LeaseManager> hosted =
            Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));
    private volatile World world = new World(processes);

    /** Creates the leases of Spring contexts, which enter their {@link #processes()}. */
    TestLeases(Supplier<LeaseManager> main) {
        this.main = main;
    }

    private TestLeases(Consumer<LeaseManagerBuilder> settings) {
        OneManager process = new OneManager(this, settings);
        processes.add(process);
        main = process::manager;
    }

    /** Creates the leases of a test with the default settings of the manager. */
    public static TestLeases create() {
        return create(settings -> {});
    }

    /** Creates the leases of a test with other settings of the manager, such as its ttl. */
    public static TestLeases create(Consumer<LeaseManagerBuilder> settings) {
        return new TestLeases(settings);
    }

    // ---- the process under test

    /** Returns the manager of the process under test; with Spring, its bean. */
    public LeaseManager manager() {
        return main.get();
    }

    /** Returns the connection of the process under test to the table. */
    LeaseStore store() {
        return new NodeStore(() -> world.table);
    }

    /** Changes a builder so that it builds a manager of the process under test, for this test. */
    void host(LeaseManagerBuilder builder) {
        Hosted here = new Hosted();
        ((EngineBuilder) builder).beforeOpening(here::open);
        builder.owner(OWN)
                .listener(event -> here.opened.story.event(OWN, event))
                .monitor(here);
    }

    /** Parts that a manager shares with the test in which it was last opened, as it outlives a test. */
    private final class Hosted implements LeaseMonitor {

        private volatile World opened = world;

        void open(EngineBuilder engine) {
            World now = world;
            opened = now;
            now.host(engine, now.ownTime);
        }

        @Override
        public void started(LeaseManager manager) {
            hosted.add(manager);
        }

        @Override
        public void measured(LeaseMeasurement measurement) {
            opened.calls.add(measurement);
        }
    }

    /** Returns whether this manager runs in the time of the test. */
    boolean isHosted(LeaseManager manager) {
        return hosted.contains(manager);
    }

    Processes processes() {
        return processes;
    }

    /** Begins a test: free keys, no nodes, no faults, an empty story, and the time at which each test begins. */
    void begin() {
        end();
        world = new World(processes);
        processes.restart();
    }

    /** Ends the test. Threads that still wait for a lease are released with an error. */
    void end() {
        world.end();
    }

    // ---- other nodes

    /**
     * Returns another node on the same table; creates it at the first call with its name. It takes part in the test
     * once it has acquired something.
     *
     * @throws IllegalArgumentException if the name is blank, or that of the process under test
     */
    public LeaseNode node(String name) {
        if (name.isBlank() || name.equals(OWN)) {
            throw new IllegalArgumentException(
                    "Name of a node is " + Text.quote(name) + ", expected a text other than " + Text.quote(OWN));
        }
        World now = world;
        return now.nodes.computeIfAbsent(name, fresh -> new LeaseNode(now, fresh));
    }

    // ---- time

    /** Returns the time of the test, which is 2027-01-15T08:00:00Z when it begins. */
    public Instant now() {
        return world.time.now();
    }

    /**
     * Moves the time; everything that becomes due happens at its own time.
     *
     * @throws IllegalArgumentException if the duration is negative
     */
    public void advance(Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException("Time cannot move back, but duration is " + Text.exact(duration));
        }
        world.time.advance(duration);
    }

    /**
     * Moves the time to this instant.
     *
     * @throws IllegalArgumentException if it lies before {@link #now()}
     */
    public void advanceTo(Instant instant) {
        if (instant.isBefore(now())) {
            throw new IllegalArgumentException("Time cannot move back from " + now() + " to " + instant);
        }
        advance(Duration.between(now(), instant));
    }

    // ---- faults

    /**
     * Makes the process under test lose a lease that it holds, and moves the time until it notices the loss. {@code
     * EXPIRED}: its renewals fail until the lease has ended. {@code TAKEN}: another owner has written the item. {@code
     * REVOKED}: it was released by force. {@code HOLD_LIMIT}: the time moves to the limit. {@code CLOSED}: its manager
     * is closed, until the next test. If the process holds several permits of the key, it loses one. A passive lease sends
     * nothing that could notice another owner, so it cannot be lost by {@code TAKEN}.
     *
     * @throws IllegalStateException if this process does not hold the lease, or does not lose it for this reason within a
     *     day
     */
    public void lose(String key, LeaseLossReason reason) {
        LeaseManager holder = processes
                .holder(key)
                .orElseThrow(() -> new IllegalStateException("Lease " + Text.quote(key)
                        + " is not held by this process, so it cannot be lost; it holds " + processes.heldKeys()
                        + "; the story of the lease is:\n" + story(key)));
        LeaseStatus lease = processes.held(key).orElseThrow();
        String item = TestTable.item(lease);
        long earlier = losses(lease).count();
        world.story.action("the test", key, "makes it lost, " + reason);
        switch (reason) {
            case EXPIRED -> world.table.unreachable.add(item);
            case TAKEN -> world.table.overwrite(item, lease.remaining().plusSeconds(1));
            case REVOKED -> holder.forceRelease(item, lease.fencingToken());
            case CLOSED -> holder.closeAsync();
            case HOLD_LIMIT -> {}
        }
        boolean ended = world.time.move(VirtualTime.LONGEST_WAIT, () -> !processes.areHolding(lease));
        world.table.unreachable.remove(item);
        List<LeaseLossReason> losses = losses(lease).skip(earlier).toList();
        if (!losses.contains(reason)) {
            String instead = ended
                    ? "ended with the losses " + losses
                    : "was not lost within " + Text.exact(VirtualTime.LONGEST_WAIT);
            throw new IllegalStateException("Lease " + Text.quote(key) + " " + instead + ", expected " + reason
                    + "; its story is:\n" + story(key));
        }
    }

    /** Returns the losses of this lease, or of another permit with its token. */
    private Stream<LeaseLossReason> losses(LeaseStatus lease) {
        return world.story.events(OWN, lease.key(), LeaseEvent.Lost.class).stream()
                .filter(lost -> lost.fencingToken() == lease.fencingToken())
                .map(LeaseEvent.Lost::reason);
    }

    /** Makes every request of every node fail, until {@link #storeRecovers()}. */
    public void storeFails() {
        world.story.action("the table", null, "fails");
        world.table.down = true;
    }

    /** Ends {@link #storeFails()}. */
    public void storeRecovers() {
        world.story.action("the table", null, "recovers");
        world.table.down = false;
    }

    /**
     * Loses the replies to the next requests of the process under test. The requests take effect.
     *
     * @throws IllegalArgumentException if the number is negative
     */
    public void loseReplies(int count) {
        if (count < 0) {
            throw new IllegalArgumentException("Number of lost replies is " + count + ", expected zero or more");
        }
        world.story.action("the table", null, "loses " + count + " replies");
        world.table.repliesToLose.set(count);
    }

    /**
     * Makes each request of every node take this time. A request takes effect after half of this time.
     *
     * @throws IllegalArgumentException if the latency is negative
     */
    public void latency(Duration latency) {
        if (latency.isNegative()) {
            throw new IllegalArgumentException("Latency is " + Text.exact(latency) + ", expected zero or more");
        }
        world.table.latency = latency;
    }

    // ---- what the code under test sees

    /**
     * Evaluates the checks of leases in a transaction, and answers as DynamoDB does. It evaluates {@code
     * ConditionCheck} parts ({@link io.leasekit.Lease#conditionCheck()}), evaluates and writes those of progress ({@link
     * io.leasekit.Progress#update}), counts other parts as fulfilled, and does not write them.
     *
     * @throws TransactionCanceledException if a lease was released, or another owner has had it since
     */
    public TransactWriteItemsResponse transact(TransactWriteItemsRequest request) {
        world.table.transact(request.transactItems());
        return TransactWriteItemsResponse.builder().build();
    }

    /**
     * Calls a method annotated with {@code @Scheduled} as its scheduler does, at the present time. With a cron
     * expression, it is the firing for the nearest of its times. Subscribes to a publisher and waits for its end. Needs
     * Spring.
     *
     * @throws IllegalArgumentException if the class of the bean has no method of this name without parameters, it has no
     *     {@code @Scheduled}, or it is a suspending function of Kotlin, which cannot be fired
     */
    public void fire(Object bean, String method) {
        new Firing(bean, method).start();
    }

    /**
     * Runs work under its own lease, for work that needs the context of an annotated method, such as {@code
     * LeaseContext} or {@code LeaseAssert}. Needs the starter, but no Spring context.
     *
     * @throws Exception if the work throws it
     */
    public static <T> T withLease(String key, Callable<T> work) throws Exception {
        ContextOfLease context = ContextOfLease.enter(create().manager(), key);
        try {
            return work.call();
        } finally {
            context.exit();
        }
    }

    /** Runs work as {@link #withLease(String, Callable)} does. */
    public static void withLease(String key, Runnable work) {
        ContextOfLease context = ContextOfLease.enter(create().manager(), key);
        try {
            work.run();
        } finally {
            context.exit();
        }
    }

    // ---- what happened

    /** Returns the calls of the process under test that wanted a lease. */
    public LeaseCalls calls() {
        world.time.settle();
        return world.calls;
    }

    /** Returns what happened to a key, one line for each event: who held it, when, and with which token. */
    public String story(String key) {
        world.time.settle();
        return world.story.of(key);
    }

    World world() {
        return world;
    }

    @Override
    public TestLeasesAssert assertThat() {
        return new TestLeasesAssert(this);
    }

    @Override
    public String toString() {
        return "TestLeases at " + now() + ":\n" + world.story.of(null);
    }
}
