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

    private static final long SEED = 42; // the same for each test, so a test repeats its schedule

    final VirtualTime time;
    final TestTable table;
    final Story story;
    final LeaseCalls calls;
    final NodeTime ownTime;

    /** The nodes by name. For the thread of the test only. */
    final Map<String, LeaseNode> nodes = new TreeMap<>();

    private final Random random = new Random(SEED);

    World(Processes processes) {
        time = new VirtualTime(processes::areWaiting);
        table = new TestTable(time);
        story = new Story(time::elapsed);
        calls = new LeaseCalls(story);
        ownTime = new NodeTime(time);
    }

    /** Lets an engine run in the time of this test, on the threads that call the engine or move the time. */
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
     * Continues after the test, for a context that outlives it. Turns off the faults; the time no longer moves on its
     * own.
     */
    void rest() {
        table.recover();
        time.rest();
    }

    /** Ends this world: no node or timer runs any more. */
    void end() {
        nodes.values().forEach(LeaseNode::end);
        ownTime.become(NodeTime.State.CRASHED);
        time.end();
    }
}
