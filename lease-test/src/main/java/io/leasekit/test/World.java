package io.leasekit.test;

import io.leasekit.LeaseManagerBuilder;
import io.leasekit.engine.EngineBuilder;
import io.leasekit.text.Text;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** Everything that belongs to one test: time, table, nodes and history. */
final class World {

    private static final long SEED = 42;

    final VirtualTime time;
    final TestTable table;
    final Story story;
    final LeaseCalls calls;
    final NodeTime ownTime;

    /** Only the thread of the test may use this map. */
    final Map<String, LeaseNode> nodes = new TreeMap<>();

    private final Random random = new Random(SEED);

    World(Processes processes) {
        time = new VirtualTime(processes::areWaiting);
        table = new TestTable(time);
        story = new Story(time::elapsed);
        calls = new LeaseCalls(story);
        ownTime = new NodeTime(time);
    }

    /** The manager's tasks run on the threads that call the manager or move the virtual time. */
    void host(LeaseManagerBuilder builder, NodeTime node) {
        ((EngineBuilder) builder)
                .time(node)
                .random(random)
                .sender(node)
                .losses(node)
                .callbackExecutor(node);
    }

    String usedNodes() {
        List<String> used = nodes.values().stream()
                .filter(LeaseNode::isUsed)
                .map(LeaseNode::name)
                .toList();
        return used.isEmpty() ? "none" : Text.quoteAll(used);
    }

    void rest() {
        table.recover();
        time.rest();
    }

    void end() {
        nodes.values().forEach(LeaseNode::end);
        ownTime.become(NodeTime.State.CRASHED);
        time.end();
    }
}
