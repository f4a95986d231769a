package io.leasekit.engine;

import io.leasekit.internal.EngineTime;
import io.leasekit.store.CommandGroup;
import io.leasekit.store.LeaseCommand;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.LeaseScan;
import io.leasekit.store.LeaseStore;
import io.leasekit.store.ReleaseBatch;
import io.leasekit.store.ReleaseCommand;
import io.leasekit.store.RenewBatch;
import io.leasekit.store.RevokeCommand;
import io.leasekit.store.StoreReply;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;

/** The network between one process and the table, which loses, delays, duplicates and refuses requests. */
final class SimNet implements LeaseStore {

    private static final long MILLI = EngineTime.MILLI;
    private static final long SECOND = EngineTime.SECOND;

    /** A request at the table. Each of its copies is evaluated individually. */
    interface Request {
        StoreReply evaluate();
    }

    private final Simulation world;
    private final SimProcess process;
    private final SimFaults faults;
    private final RandomGenerator random;
    private final int incarnation;
    private final SimPause.Reader pauses;
    private final SimVariant variant;
    private int datesReceived;
    private boolean lastWasBad;

    SimNet(Simulation world, SimProcess process, SimFaults faults) {
        this.world = world;
        this.process = process;
        this.faults = faults;
        this.incarnation = process.incarnation();
        this.random = world.random();
        this.pauses = world.pauses().new Reader();
        this.variant = process.isPrevious() ? SimVariant.RIGHT : world.variant();
    }

    @Override
    public CompletionStage<StoreReply> write(LeaseCommand command, Duration timeout) {
        world.log(() -> process + " sends " + command);
        pauses.onSent(process, List.of(command));
        CompletionStage<StoreReply> sent = sendCommand(command, timeout);
        return variant.granted().test(command)
                ? CompletableFuture.completedFuture(new StoreReply.Applied(null, date(), false))
                : sent;
    }

    private CompletionStage<StoreReply> sendCommand(LeaseCommand command, Duration timeout) {
        return send(evaluation(command, timeout));
    }

    /** Returns the request that evaluates this command at the table. */
    Request evaluation(LeaseCommand command, Duration timeout) {
        return () -> {
            LeaseItem before = world.item(command.key());
            StoreReply reply = now(world.table().write(variant.store().apply(command), timeout));
            if (reply instanceof StoreReply.Applied && command instanceof RevokeCommand && before != null) {
                world.force().onApplied(before);
            }
            if (reply instanceof StoreReply.Applied && command instanceof ReleaseCommand release) {
                world.onReleaseApplied(release, before);
            }
            return reply;
        };
    }

    @Override
    public CompletionStage<StoreReply> writeAll(CommandGroup group, Duration timeout) {
        world.log(() -> process + " sends together " + group.commands());
        pauses.onSent(process, group.commands());
        return variant.together()
                ? send(transaction(group, timeout))
                        .thenApply(reply -> variant.answers().apply(group.commands(), reply))
                : SimOneByOne.write(group, command -> write(command, timeout));
    }

    /** A copy of an applied transaction is usually answered like the first one and writes nothing. */
    private Request transaction(CommandGroup group, Duration timeout) {
        boolean[] applied = {false};
        return () -> {
            if (applied[0] && random.nextInt(4) != 0) {
                return new StoreReply.Applied(null, null, false);
            }
            Map<String, LeaseItem> before = world.table().items();
            StoreReply reply = now(world.table().writeAll(asItArrives(group), timeout));
            applied[0] = reply instanceof StoreReply.Applied;
            group.commands().forEach(command -> {
                if (applied[0] && command instanceof ReleaseCommand release) {
                    world.onReleaseApplied(release, before.get(release.key()));
                }
            });
            return reply;
        };
    }

    private CommandGroup asItArrives(CommandGroup group) {
        return new CommandGroup(group.commands().stream().map(variant.store()).toList());
    }

    @Override
    public List<CompletionStage<StoreReply>> renewEach(RenewBatch batch, Duration timeout) {
        world.log(() -> process + " sends in one request " + batch.commands());
        return SimBatch.send(world, this, batch.commands(), variant.batch());
    }

    @Override
    public List<CompletionStage<StoreReply>> releaseEach(ReleaseBatch batch, Duration timeout) {
        world.log(() -> process + " sends in one request " + batch.commands());
        List<ReleaseCommand> sent =
                batch.commands().stream().map(variant.bulk()).toList();
        return SimBatch.send(world, this, sent, variant.releases());
    }

    @Override
    public CompletionStage<StoreReply> read(String key, Duration timeout) {
        CompletionStage<StoreReply> reply = send(() -> now(world.table().read(key, timeout)));
        pauses.onRead(key, reply);
        return reply;
    }

    @Override
    public CompletionStage<StoreReply> readEach(List<String> keys, Duration timeout) {
        return send(() -> now(world.table().readEach(keys, timeout)));
    }

    @Override
    public CompletionStage<StoreReply> list(LeaseScan scan, Duration timeout) {
        return send(() -> now(world.table().list(scan, timeout)));
    }

    private static StoreReply now(CompletionStage<StoreReply> stage) {
        return stage.toCompletableFuture().join();
    }

    private CompletionStage<StoreReply> send(Request request) {
        CompletableFuture<StoreReply> reply = new CompletableFuture<>();
        if (chance(faults.refusedBefore())) {
            answer(reply, trip(), new StoreReply.Failed(StoreReply.FailureKind.NOT_APPLIED, refused(), null, false));
            return reply;
        }
        if (world.isOut() || chance(faults.lost())) {
            return reply;
        }
        if (chance(faults.duplicated())) {
            copy(request, someTime());
        }
        if (chance(faults.resent())) {
            copy(request, trip());
            deliver(request, reply, 2 * trip(), true);
        } else {
            deliver(request, reply, chance(faults.delayed()) ? someTime() : trip(), false);
        }
        return reply;
    }

    static IllegalStateException refused() {
        return new IllegalStateException("refused before it was evaluated");
    }

    boolean chance(double share) {
        return !world.isHealing() && random.nextDouble() < share;
    }

    long trip() {
        long least = world.isSlow() ? SECOND / 4 : MILLI;
        return least + random.nextLong(random.nextInt(20) == 0 ? 400 * MILLI : 20 * MILLI);
    }

    long someTime() {
        return switch (random.nextInt(3)) {
            case 0 -> random.nextLong(Math.min(3 * SECOND, faults.longestDelay()));
            case 1 -> random.nextLong(Math.min(15 * SECOND, faults.longestDelay()));
            default -> random.nextLong(faults.longestDelay());
        };
    }

    private void copy(Request request, long delay) {
        world.at(world.now() + delay, () -> request.evaluate());
    }

    private void deliver(Request request, CompletableFuture<StoreReply> reply, long delay, boolean resent) {
        world.at(world.now() + delay, () -> {
            if (chance(faults.serverError())) {
                if (random.nextBoolean()) {
                    request.evaluate();
                }
                answer(reply, trip(), new StoreReply.Failed(StoreReply.FailureKind.UNKNOWN, refused(), null, resent));
                return;
            }
            StoreReply outcome = Dated.reply(request.evaluate(), date(), resent);
            if (!chance(faults.replyLost())) {
                answer(reply, chance(faults.delayed()) ? someTime() : trip(), outcome);
            }
        });
    }

    private void answer(CompletableFuture<StoreReply> reply, long delay, StoreReply outcome) {
        receive(delay, outcome.date(), () -> reply.complete(outcome));
    }

    /** Runs a reply at the process after this delay. */
    void receive(long delay, @Nullable Instant date, Runnable reply) {
        world.at(
                world.now() + delay,
                () -> process.runOrDefer(incarnation, () -> {
                    datesReceived += date == null ? 0 : 1; // a failure without a date tells no time
                    reply.run();
                }));
    }

    /** Returns the date of a reply. A server with a wrong clock never answers a process first or twice in a row. */
    Instant date() {
        Instant right = world.date(0);
        Instant date = datesReceived > 3 && !lastWasBad ? world.date(faults.badBy()) : right;
        lastWasBad = !date.equals(right);
        return date;
    }

    @Override
    public ConditionCheck conditionCheck(String key, long token, String tenure) {
        throw new UnsupportedOperationException();
    }

    @Override
    public String name() {
        return "simulated";
    }
}
