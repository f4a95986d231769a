package io.leasekit.engine;

import io.leasekit.records.RecordTable;
import io.leasekit.store.AcquireCommand;
import io.leasekit.store.LeaseCommand;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreRequest;
import io.leasekit.time.EngineTime;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Pauses in one of four schedules, by which seed, so the others stay as they are. An operator pauses a key or all of them,
 * and lifts some pauses early. From 5 s after a pause was written until its end, no process sends an acquire of the key,
 * unless it could not read the pauses; and none does so once it has read the pause.
 */
final class SimPause {

    private static final long SECOND = EngineTime.SECOND;
    private static final int ONE_OF = 4;
    private static final String ITEM = "#pauses";
    private static final Duration TIMEOUT = Duration.ofSeconds(1);
    private static final long EFFECT = 5 * SECOND + SECOND / 50; // and the drift of the process's clock
    private static final long ANSWERED = 2 * SECOND - SECOND / 50; // a later reply may come after the timeout

    /** A pause of a key, or of all; {@code null}: all. */
    private record Pause(@Nullable String key, long written, long until) {

        boolean covers(String item) {
            return key == null || item.equals(key) || item.startsWith(key + "#");
        }
    }

    private final Simulation world;
    private final RandomGenerator random;
    private final boolean any;
    private final Map<String, Pause> byText = new HashMap<>();
    private @Nullable Pause current;
    private int changes;

    SimPause(Simulation world, long seed) {
        this.world = world;
        this.random = new SplittableRandom(~seed);
        this.any = Math.floorMod(seed, ONE_OF) == 1;
    }

    /** Whether the processes of this schedule take part in pauses. */
    boolean any() {
        return any;
    }

    void begin() {
        if (any) {
            world.at(world.now() + random.nextLong(20 * SECOND), this::change);
        }
    }

    private void change() {
        if (world.isHealing()) {
            return;
        }
        boolean lifts = current != null && random.nextInt(3) == 0;
        write(lifts ? null : drawn());
        world.at(world.now() + SECOND + random.nextLong(40 * SECOND), this::change);
    }

    private Pause drawn() {
        String key = random.nextInt(3) == 0 ? null : world.permits() > 0 ? "a" : world.randomKey(random);
        long until = (world.now() + SECOND + random.nextLong(40 * SECOND)) / EngineTime.MILLI * EngineTime.MILLI;
        return new Pause(key, world.now(), until);
    }

    private void write(@Nullable Pause pause) {
        changes++;
        String text = "change-" + changes;
        if (pause != null) {
            text += "\n" + pause.until / EngineTime.MILLI + " sim why " + (pause.key == null ? "*" : pause.key);
            byText.put(text, pause);
        }
        LeaseItem before = world.item(ITEM);
        world.table()
                .send(
                        new StoreRequest.Write(PauseCommands.replace(
                                before == null ? null : before.records().text(RecordTable.PAUSES), text)),
                        TIMEOUT);
        current = pause;
        world.log(() -> "paused: " + pause);
    }

    /** Lifts the last pause, so that each waiter gets its lease. */
    void onHealed() {
        if (any) {
            write(null);
        }
    }

    /** The knowledge of one incarnation of a process. */
    final class Reader {
        private long lastSent = Long.MIN_VALUE;
        private @Nullable Pause known;

        /** Notes a read of an item. */
        void onRead(String key, CompletionStage<StoreReply> reply) {
            if (!key.equals(ITEM)) {
                return;
            }
            long sent = world.stepBegan(); // the process may have paused after it had read its clock
            lastSent = world.now();
            var unused = reply.thenAccept(outcome -> {
                if (outcome instanceof StoreReply.Found found && world.now() - sent < ANSWERED) {
                    known = found.item() == null
                            ? null
                            : byText.get(Objects.requireNonNull(
                                    found.item().records().text(RecordTable.PAUSES)));
                }
            });
        }

        /** Checks the acquires of a request that is sent. */
        void onSent(SimProcess process, List<? extends LeaseCommand> commands) {
            Pause pause = current;
            if (pause == null || world.now() >= pause.until || world.faults().badDates()) {
                return;
            }
            boolean isPaused = commands.stream()
                    .anyMatch(command -> command instanceof AcquireCommand && pause.covers(command.key()));
            if (!isPaused) {
                return;
            }
            if (pause.equals(known)) {
                world.fail(process + " asks for a key although it has read its " + pause);
            }
            boolean read = lastSent != Long.MIN_VALUE && world.now() - lastSent <= EFFECT;
            if (!read && world.now() - pause.written > EFFECT && !world.faults().pauses()) {
                world.fail(process + " asks for a key without having read its " + pause);
            }
        }
    }
}
