package io.leasekit.test;

import io.leasekit.LeaseManagerBuilder;
import io.leasekit.engine.EngineBuilder;
import io.leasekit.text.Text;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** Everything that belongs to one test: time, table, nodes and history. Each test starts with a new world. */
final class World {

    private static final long SEED = 42; // each test has the same seed, so each run of a test has the same schedule

    final VirtualTime time;
    final TestTable table;
    final Story story;
    final LeaseCalls calls;
    final NodeTime ownTime;

    /** The nodes by name. Only the thread of the test may use this map. */
    final Map<String, LeaseNode> nodes = new TreeMap<>();

    private final Random random = new Random(SEED);

    World(Processes processes) {
        time = new VirtualTime(processes::areWaiting);
        table = new TestTable(time);
        story = new Story(time::elapsed);
        calls = new LeaseCalls(story);
        ownTime = new NodeTime(time);
    }

    /** Sets up an engine that runs in the time of this test, on the threads that call the engine or move the time. */
    void host(LeaseManagerBuilder builder, NodeTime node) {
        ((EngineBuilder) builder)
                .time(node)
                .random(random)
                .sender(node)
                .losses(node)
                .callbackExecutor(node);
    }

    /** Returns the names of the nodes that have acquired something in this test, for messages. */
    String usedNodes() {
        List<String> used = nodes.values().stream()
                .filter(LeaseNode::isUsed)
                .map(LeaseNode::name)
                .toList();
        return used.isEmpty() ? "none" : Text.quoteAll(used);
    }

    /**
     * Called after the test, if its Spring context stays open. Ends the simulated faults. After this call, the virtual
     * time no longer moves on its own.
     */
    void rest() {
        table.recover();
        time.rest();
    }

    /** Ends this world. After this call, no node and no timer runs. */
    void end() {
        nodes.values().forEach(LeaseNode::end);
        ownTime.become(NodeTime.State.CRASHED);
        time.end();
    }
}
