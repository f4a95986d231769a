package io.leasekit.test;

import io.leasekit.LeaseManagerBuilder;
import io.leasekit.engine.EngineBuilder;
import io.leasekit.text.Text;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** All that one test has for itself: its time, its table, its nodes and its story. Each test begins with a new one. */
final class World {

    private static final long SEED = 42; // the same for each test, so a test repeats its schedule

    final VirtualTime time;
    final TestTable table;
    final Story story;
    final LeaseCalls calls;
    final NodeTime ownTime;

    /** The nodes by name; used on the thread of the test only. */
    final Map<String, LeaseNode> nodes = new TreeMap<>();

    private final Random random = new Random(SEED);

    World(Processes processes) {
        time = new VirtualTime(processes::areWaiting);
        table = new TestTable(time);
        story = new Story(time::elapsed);
        calls = new LeaseCalls(story);
        ownTime = new NodeTime(time);
    }

    /** Lets an engine run in this time, on the threads that call it or move the time. */
    void host(LeaseManagerBuilder builder, NodeTime node) {
        ((EngineBuilder) builder)
                .time(node)
                .random(random)
                .sender(node)
                .losses(node)
                .callbackExecutor(node);
    }

    /** Returns the names of the nodes that have worked in this test, for messages. */
    String usedNodes() {
        List<String> used = nodes.values().stream()
                .filter(LeaseNode::isUsed)
                .map(LeaseNode::name)
                .toList();
        return used.isEmpty() ? "none" : Text.quoteAll(used);
    }

    /** Goes on after the test for a context that lives longer: without faults, and without moves of its own. */
    void rest() {
        table.recover();
        time.rest();
    }

    /** Ends this world: nothing of it runs any more. */
    void end() {
        nodes.values().forEach(LeaseNode::end);
        ownTime.become(NodeTime.State.CRASHED);
        time.end();
    }
}
