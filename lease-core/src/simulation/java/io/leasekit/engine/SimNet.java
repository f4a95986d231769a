package io.leasekit.engine;

import io.leasekit.store.LeaseCommand;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.LeaseStore;
import io.leasekit.store.ReleaseCommand;
import io.leasekit.store.RenewCommand;
import io.leasekit.store.RevokeCommand;
import io.leasekit.store.StoreInfo;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreRequest;
import io.leasekit.time.EngineTime;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

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
    private RandomGenerator random; // of the present request
    private final int incarnation;
    private final SimPause.Reader pauses;
    private final SimVariant variant;
    private final Map<String, Integer> sent = new HashMap<>();
    private int datesReceived;
    private boolean lastWasBad;

    SimNet(Simulation world, SimProcess process, SimFaults faults) {
        this.world = world;
        this.process = process;
        this.faults = faults;
        this.incarnation = process.incarnation();
        this.random = world.random("way", 0);
        this.pauses = world.pauses().new Reader();
        this.variant = world.variant();
    }

    @Override
    public CompletionStage<StoreReply> send(StoreRequest request, Duration timeout) {
        begin(SimRequests.kind(request) + " " + request.keys());
        if (request instanceof StoreRequest.Write write) {
            return write(write.command(), timeout);
        }
        if (request instanceof StoreRequest.Transaction transaction) {
            return transact(transaction, timeout);
        }
        if (request instanceof StoreRequest.Batch batch) {
            return sendBatch(batch.commands());
        }
        CompletionStage<StoreReply> reply = send(() -> atTable(request, timeout));
        if (request instanceof StoreRequest.Read read) {
            pauses.onRead(read.key(), reply);
        }
        return reply;
    }

    private void begin(String what) {
        world.record(() -> process + " sends " + what);
        random = world.random(process + " " + incarnation + " " + what, sent.merge(what, 1, Integer::sum));
    }

    private StoreReply atTable(StoreRequest request, Duration timeout) {
        StoreReply reply =
                world.table().send(request, timeout).toCompletableFuture().join();
        world.record(() -> SimRequests.kind(request) + " " + request.keys() + " "
                + reply.getClass().getSimpleName());
        return reply;
    }

    private CompletionStage<StoreReply> write(LeaseCommand command, Duration timeout) {
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
            StoreReply reply = atTable(new StoreRequest.Write(variant.store().apply(command)), timeout);
            if (reply instanceof StoreReply.Applied && command instanceof RevokeCommand && before != null) {
                world.force().onApplied(before);
            }
            if (reply instanceof StoreReply.Applied && command instanceof ReleaseCommand release) {
                world.onReleaseApplied(release, before);
            }
            return reply;
        };
    }

    private CompletionStage<StoreReply> transact(StoreRequest.Transaction group, Duration timeout) {
        world.log(() -> process + " sends together " + group.commands());
        pauses.onSent(process, group.commands());
        return variant.together()
                ? send(transaction(group, timeout))
                        .thenApply(reply -> variant.answers().apply(group.commands(), reply))
                : SimOneByOne.write(group, command -> write(command, timeout));
    }

    /** A copy of an applied transaction is usually answered like the first one and writes nothing. */
    private Request transaction(StoreRequest.Transaction group, Duration timeout) {
        boolean[] applied = {false};
        return () -> {
            if (applied[0] && random.nextInt(4) != 0) {
                return new StoreReply.Applied(null, null, false);
            }
            Map<String, LeaseItem> before = world.table().items();
            StoreReply reply = atTable(asItArrives(group), timeout);
            applied[0] = reply instanceof StoreReply.Applied;
            group.commands().forEach(command -> {
                if (applied[0] && command instanceof ReleaseCommand release) {
                    world.onReleaseApplied(release, before.get(release.key()));
                }
            });
            return reply;
        };
    }

    private StoreRequest.Transaction asItArrives(StoreRequest.Transaction group) {
        return new StoreRequest.Transaction(
                group.commands().stream().map(variant.store()).toList());
    }

    private CompletionStage<StoreReply> sendBatch(List<LeaseCommand> commands) {
        world.log(() -> process + " sends in one request " + commands);
        if (commands.get(0) instanceof RenewCommand) {
            return SimBatch.send(world, this, commands, variant.batch());
        }
        List<LeaseCommand> sent = commands.stream()
                .<LeaseCommand>map(command -> variant.bulk().apply((ReleaseCommand) command))
                .toList();
        return SimBatch.send(world, this, sent, variant.releases());
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
        return world.trip() + random.nextLong(random.nextInt(20) == 0 ? 400 * MILLI : 20 * MILLI);
    }

    long someTime() {
        return switch (random.nextInt(3)) {
            case 0 -> random.nextLong(Math.min(3 * SECOND, faults.longestDelay()));
            case 1 -> random.nextLong(Math.min(15 * SECOND, faults.longestDelay()));
            default -> random.nextLong(faults.longestDelay());
        };
    }

    RandomGenerator random() {
        return random;
    }

    /** Runs a step of the present request later, with the random numbers of this request. */
    void later(long delay, Runnable step) {
        RandomGenerator own = random;
        world.at(world.now() + delay, () -> {
            random = own;
            step.run();
        });
    }

    private void copy(Request request, long delay) {
        later(delay, () -> request.evaluate());
    }

    private void deliver(Request request, CompletableFuture<StoreReply> reply, long delay, boolean resent) {
        later(delay, () -> {
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
        Instant right = world.date(0, random);
        Instant date = datesReceived > 3 && !lastWasBad ? world.date(faults.badBy(), random) : right;
        lastWasBad = !date.equals(right);
        return date;
    }

    @Override
    public StoreInfo info() {
        return new StoreInfo("simulated");
    }
}
