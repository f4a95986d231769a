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
 * Simulates the leases of a test: the process under test, other nodes that use the same table, and a virtual time for
 * renewals, expiry, waits and hold times. This class needs no database, and its nodes and timers need no threads and no
 * real time. Each run of a single-threaded test has exactly the same sequence of events.
 *
 * <p>The virtual time moves when the test calls {@link #advance} or {@link #advanceTo}, and while the thread of the
 * test waits in a call that needs a lease. While the thread of the test waits, the virtual time jumps from timer to
 * timer, so no wait blocks in real time. Ordinary code, such as the body of an annotated method, takes no virtual time.
 *
 * <p>The test moves the virtual time to end waits of other threads and of asynchronous acquires. If the test does not
 * move the time during such a wait, the time jumps to the end of the wait automatically. The jump begins after about 1
 * s of real time, or 5 s while the test's thread runs. The time does not jump while an asynchronous call waits for a
 * reply of the table, for example because of {@link #latency}.
 *
 * <p>With Spring, {@link AutoConfigureTestLeases} provides a {@code TestLeases} bean. Without Spring,
 * {@link TestLeasesExtension} passes a {@code TestLeases} to the test method. With the bean or the extension, each test
 * starts with free keys and at the same virtual time. A test without Spring and without the extension calls
 * {@link #create()}; the created object need not be closed. Use this class on the thread of the test only. The managers
 * of the leases are thread-safe.
 *
 * <p>{@code assertThat(leases)} and {@code assertThat(leases.calls())} start assertions.
 */
public final class TestLeases implements AssertProvider<TestLeasesAssert> {

    /** The name of the process under test, and the owner of the leases that this process holds. */
    public static final String OWN = "this-node";

    private final Processes processes = new Processes();
    private final Supplier<LeaseManager> main;
    private final Set<LeaseManager> hosted =
            Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));
    private volatile World world = new World(processes);

    /** Each Spring context of the test adds itself to {@link #processes()} as a process under test. */
    TestLeases(Supplier<LeaseManager> main) {
        this.main = main;
    }

    private TestLeases(Consumer<LeaseManagerBuilder> settings) {
        OneManager process = new OneManager(this, settings);
        processes.add(process);
        main = process::manager;
    }

    /** Creates the leases of a test, with a manager that has default settings. */
    public static TestLeases create() {
        return create(settings -> {});
    }

    /** Creates the leases of a test, with a manager that {@code settings} configures, for example with a short ttl. */
    public static TestLeases create(Consumer<LeaseManagerBuilder> settings) {
        return new TestLeases(settings);
    }

    // ---- the process under test

    /** Returns the manager of the process under test; with Spring, the manager bean. */
    public LeaseManager manager() {
        return main.get();
    }

    LeaseStore store() {
        return new NodeStore(() -> world.table);
    }

    void host(LeaseManagerBuilder builder) {
        Hosted here = new Hosted();
        ((EngineBuilder) builder).beforeOpening(here::open);
        builder.owner(OWN)
                .listener(event -> here.opened.story.event(OWN, event))
                .monitor(here);
    }

    /**
     * Records events and calls in the test that last opened the manager, because successive tests can share a manager.
     */
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

    boolean isHosted(LeaseManager manager) {
        return hosted.contains(manager);
    }

    Processes processes() {
        return processes;
    }

    void begin() {
        end();
        world = new World(processes);
        processes.restart();
    }

    void end() {
        world.end();
    }

    // ---- other nodes

    /**
     * Returns the node with this name, which uses the same table as the process under test. The first call with a name
     * creates the node. The methods {@code crash}, {@code pause} and {@code release} of a node require that the node
     * has acquired a lease.
     *
     * @throws IllegalArgumentException if the name is blank, or is the owner of the process under test
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

    /** Returns the current virtual time. A test starts at 2027-01-15T08:00:00Z. */
    public Instant now() {
        return world.time.now();
    }

    /**
     * Moves the virtual time forward by this duration. Each timer that becomes due runs at its due time.
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
     * Moves the virtual time forward to this instant.
     *
     * @throws IllegalArgumentException if the instant lies before {@link #now()}
     */
    public void advanceTo(Instant instant) {
        if (instant.isBefore(now())) {
            throw new IllegalArgumentException("Time cannot move back from " + now() + " to " + instant);
        }
        advance(Duration.between(now(), instant));
    }

    // ---- faults

    /**
     * Makes the process under test lose a lease that it holds, and moves the virtual time until the process notices the
     * loss. The reason determines how the lease is lost:
     *
     * <ul>
     *   <li>{@code EXPIRED}: renewals fail until the lease has expired.
     *   <li>{@code TAKEN}: the item is overwritten with a lease of another owner. A passive lease cannot be lost with
     *       {@code TAKEN}, because it sends no renewals and does not notice a new owner.
     *   <li>{@code REVOKED}: the lease is released by force.
     *   <li>{@code HOLD_LIMIT}: the virtual time moves until the lease's {@code holdAtMost} has passed.
     *   <li>{@code CLOSED}: the manager is closed, and stays closed until the next test.
     * </ul>
     *
     * <p>If the process under test holds several permits of the key, it loses one permit.
     *
     * @throws IllegalStateException if the process under test does not hold the lease, or does not lose the lease for
     *     this reason within a day of virtual time
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

    /** Includes losses of another permit with the same fencing token. */
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

    /** Ends the outage that {@link #storeFails()} started. */
    public void storeRecovers() {
        world.story.action("the table", null, "recovers");
        world.table.down = false;
    }

    /**
     * Loses the replies to the next {@code count} requests of the process under test. The table executes each request
     * whose reply is lost.
     *
     * @throws IllegalArgumentException if {@code count} is negative
     */
    public void loseReplies(int count) {
        if (count < 0) {
            throw new IllegalArgumentException("Number of lost replies is " + count + ", expected zero or more");
        }
        world.story.action("the table", null, "loses " + count + " replies");
        world.table.repliesToLose.set(count);
    }

    /**
     * Sets the virtual time between each request of any node and the reply. The table executes a request after half of
     * the latency.
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
     * Simulates a transaction of DynamoDB, and answers as DynamoDB does. Evaluates each condition check of a lease
     * ({@link io.leasekit.Lease#conditionCheck()}). Evaluates and executes each update that saves progress
     * ({@link io.leasekit.Progress#update}). Actions of the transaction that concern no lease count as successful, but
     * are not executed.
     *
     * @throws TransactionCanceledException if the transaction has a condition check or a progress update of a lease
     *     that has since been released or acquired by another owner
     */
    public TransactWriteItemsResponse transact(TransactWriteItemsRequest request) {
        world.table.transact(request.transactItems());
        return TransactWriteItemsResponse.builder().build();
    }

    /**
     * Calls a {@code @Scheduled} method at the current virtual time, as a scheduler would. If the method has a cron
     * expression, the call counts as the firing for the nearest time of the cron expression. If the method returns a
     * publisher, this method subscribes to the publisher and waits until it completes. This method needs Spring.
     *
     * @throws IllegalArgumentException if the class of the bean has no method with this name and without parameters, if
     *     the method has no {@code @Scheduled}, or if the method is a suspending function of Kotlin
     */
    public void fire(Object bean, String method) {
        new Firing(bean, method).start();
    }

    /**
     * Runs code under a new lease. Use this method to test code that calls {@code LeaseContext} or {@code LeaseAssert},
     * outside of an annotated method. This method needs the starter on the class path, but no Spring context.
     *
     * @throws Exception if the code throws it
     */
    public static <T> T withLease(String key, Callable<T> work) throws Exception {
        ContextOfLease context = ContextOfLease.enter(create().manager(), key);
        try {
            return work.call();
        } finally {
            context.exit();
        }
    }

    /** Runs code under a new lease, as {@link #withLease(String, Callable)} does. */
    public static void withLease(String key, Runnable work) {
        ContextOfLease context = ContextOfLease.enter(create().manager(), key);
        try {
            work.run();
        } finally {
            context.exit();
        }
    }

    // ---- what happened

    /** Returns the calls of the process under test that requested a lease. */
    public LeaseCalls calls() {
        world.time.settle();
        return world.calls;
    }

    /**
     * Returns the history of a key. Each event has one line with the time, the node, the event and the fencing token.
     */
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
