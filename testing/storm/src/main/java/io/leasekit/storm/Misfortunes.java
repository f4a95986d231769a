package io.leasekit.storm;

import io.leasekit.dynamodb.local.Faketime;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** The misfortunes of the processes of a storm: all kinds in turn, in an order that is drawn. Not thread-safe. */
final class Misfortunes {

    enum Kind {
        /** SIGKILL, and a new process. */
        KILL,
        /** SIGSTOP for longer than the ttl, then SIGCONT. */
        STOP,
        /** Jump of a wall clock by up to two hours. */
        JUMP
    }

    private static final Duration JUMP = Duration.ofHours(1);

    private final List<NodeProcess> nodes;
    private final Path folder;
    private final Random random;
    private final Map<Kind, Integer> counts = new EnumMap<>(Kind.class);
    private final List<Kind> next = new ArrayList<>();
    private boolean ahead;

    /** Begins. Clocks that jump read their offset in this folder. */
    Misfortunes(List<NodeProcess> nodes, Path folder, Random random) {
        this.nodes = nodes;
        this.folder = folder;
        this.random = random;
    }

    /** Lets the next misfortune happen. A process that was stopped goes on before this returns. */
    void strike() throws IOException, InterruptedException {
        Kind kind = draw();
        NodeProcess victim = nodes.get(random.nextInt(nodes.size()));
        switch (kind) {
            case KILL -> victim.killAndRestart();
            case STOP -> {
                victim.stop();
                Thread.sleep(Scene.TTL.toMillis() + random.nextInt((int) Scene.TTL.toMillis()));
                victim.goOn();
            }
            case JUMP -> {
                ahead = !ahead;
                Faketime.set(folder, ahead ? JUMP : JUMP.negated());
            }
        }
        counts.merge(kind, 1, Integer::sum);
    }

    private Kind draw() {
        if (next.isEmpty()) {
            next.addAll(List.of(Kind.values()));
            Collections.shuffle(next, random);
        }
        return next.remove(next.size() - 1);
    }

    Map<Kind, Integer> counts() {
        return counts;
    }
}
