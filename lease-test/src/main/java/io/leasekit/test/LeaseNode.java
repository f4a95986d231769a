package io.leasekit.test;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.OnceOrder;
import io.leasekit.engine.EngineBuilder;
import io.leasekit.test.NodeTime.State;
import io.leasekit.text.Text;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A simulated process that uses the same table as the process under test. {@link TestLeases#node} creates a node. A
 * {@code LeaseNode} renews its leases until it releases them, is paused or crashes. After the end of the test that
 * created the node, the node's methods throw an {@link IllegalStateException}. Use this class on the thread of the test
 * only.
 */
public final class LeaseNode {

    private final World world;
    private final String name;
    private final List<Lease> held = new ArrayList<>();
    private NodeTime clocks;
    private LeaseManager manager;
    private boolean used;

    LeaseNode(World world, String name) {
        this.world = world;
        this.name = name;
        this.clocks = new NodeTime(world.time);
        this.manager = start();
    }

    private LeaseManager start() {
        NodeTime process = clocks;
        String end = "Node " + Text.quote(name) + " has crashed";
        NodeStore store = new NodeStore(world.table, process, () -> process.state() == State.CRASHED ? end : null);
        EngineBuilder builder = new EngineBuilder(store).owner(name);
        world.host(builder, process);
        return builder.listener(event -> world.story.event(name, event)).build();
    }

    /** Returns false if the test has only created the node, for example by a mistyped name. */
    boolean isUsed() {
        return used;
    }

    private void expectThisTest() {
        if (world.time.hasEnded()) {
            throw new IllegalStateException("Node " + Text.quote(name)
                    + " belongs to a test that has ended, expected one that node() returned in this test");
        }
    }

    private void expectUsed(String action) {
        expectThisTest();
        if (!used) {
            throw new IllegalStateException("Node " + Text.quote(name) + " cannot " + action
                    + ", because it has acquired nothing in this test; nodes that have: " + world.usedNodes());
        }
    }

    /** Returns the name of the node, which is also the owner in the table. */
    public String name() {
        return name;
    }

    /**
     * Returns the manager of the node, for actions for which this class has no method.
     *
     * @throws IllegalStateException if the node is paused, has crashed, or was created by a test that has ended
     */
    public LeaseManager manager() {
        expectThisTest();
        if (clocks.state() != State.RUNNING) {
            throw new IllegalStateException(
                    "Node " + Text.quote(name) + " has been paused or has crashed, call comeBack()");
        }
        used = true;
        return manager;
    }

    /**
     * Acquires the lease of this key without waiting. The node renews the lease.
     *
     * @throws IllegalStateException if another node holds the lease, or this node is paused or has crashed
     */
    public Lease hold(String key) {
        return hold(LeaseRequest.of(key));
    }

    /**
     * Acquires the requested lease. While a request with a {@code waitFor} waits for another owner, the virtual time
     * moves.
     *
     * @throws IllegalStateException if the node does not get the lease, is paused, or has crashed
     */
    public Lease hold(LeaseRequest request) {
        Optional<Lease> acquired = manager().tryAcquire(request);
        Lease lease = acquired.orElseThrow(() -> new IllegalStateException("Node " + Text.quote(name) + " got no lease "
                + Text.quoteAll(request.keys()) + ", whose story is:\n" + world.story.of(request.key())));
        held.add(lease);
        return lease;
    }

    /**
     * Releases a lease that the node holds. If the node holds several permits of the key, it releases the permit that
     * it acquired last.
     *
     * @throws IllegalStateException if the node does not hold the lease, is paused, has crashed, or has not acquired a
     *     lease yet
     */
    public void release(String key) {
        expectUsed("release a lease");
        manager();
        Lease lease = held.stream()
                .filter(other -> other.keys().contains(key))
                .reduce((earlier, later) -> later)
                .orElseThrow(() -> new IllegalStateException("Node " + Text.quote(name) + " does not hold "
                        + Text.quote(key) + ", it holds "
                        + held.stream().flatMap(other -> other.keys().stream()).toList()));
        held.remove(lease);
        lease.close();
    }

    /**
     * Simulates that this node has executed the run; see {@link LeaseRequest#once(String)}. Acquires the lease of this
     * key for the run, records that the run has succeeded, and releases the lease. For a method with a cron expression,
     * {@code run} is the scheduled time, such as {@code 2027-01-15T09:00:00Z}.
     *
     * @throws IllegalStateException if another node holds the lease, if the run has already succeeded, or if this node
     *     is paused or has crashed
     */
    public void ran(String key, String run) {
        Lease lease = hold(LeaseRequest.of(key).once(run, OnceOrder.GROWING));
        lease.recordRun(LeaseRunOutcome.SUCCEEDED);
        release(key);
    }

    /**
     * Simulates a crash of this node. The node's leases are neither renewed nor released, so they expire. Requests of
     * code that still uses a lease of the crashed node are rejected.
     *
     * @throws IllegalStateException if the node has not acquired a lease yet
     */
    public void crash() {
        expectUsed("crash");
        world.story.action(name, null, "crashed");
        clocks.become(State.CRASHED);
        held.clear();
    }

    /**
     * Suspends this node, as a long garbage collection would. {@link #comeBack()} continues the node.
     *
     * @throws IllegalStateException if the node has not acquired a lease yet, is paused, or has crashed
     */
    public void pause() {
        expectUsed("pause");
        manager();
        world.story.action(name, null, "paused");
        clocks.become(State.PAUSED);
    }

    /**
     * Continues a paused node, or restarts a crashed node without leases. A paused node that continues notices which of
     * its leases ended during the pause. Does nothing if the node is running.
     *
     * @throws IllegalStateException if the node has not acquired a lease yet
     */
    public void comeBack() {
        expectUsed("come back");
        if (clocks.state() == State.CRASHED) {
            world.story.action(name, null, "started again");
            clocks = new NodeTime(world.time);
            manager = start();
        } else if (clocks.state() == State.PAUSED) {
            world.story.action(name, null, "went on");
            clocks.become(State.RUNNING);
        }
    }

    void end() {
        clocks.become(State.CRASHED);
    }
}
