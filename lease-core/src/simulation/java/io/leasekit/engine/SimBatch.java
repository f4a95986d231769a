package io.leasekit.engine;

import io.leasekit.store.LeaseCommand;
import io.leasekit.store.StoreReply;
import io.leasekit.time.EngineTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;

/**
 * A batch of renewals or of releases in flight. It is lost, delayed and duplicated as one request. Its writes are
 * evaluated in sequence, with writes of other processes between them, and sometimes fail individually.
 */
final class SimBatch {

    private static final long LONGEST_STEP = 20 * EngineTime.MILLI;
    private static final Duration TIMEOUT = Duration.ofSeconds(2); // the table ignores it

    private final Simulation world;
    private final SimNet net;
    private final SimFaults faults;
    private final RandomGenerator random;
    private final List<LeaseCommand> batch;
    private final UnaryOperator<List<StoreReply>> taken;
    private final CompletableFuture<StoreReply> reply = new CompletableFuture<>();

    private SimBatch(Simulation world, SimNet net, List<LeaseCommand> batch, UnaryOperator<List<StoreReply>> taken) {
        this.world = world;
        this.net = net;
        this.faults = world.faults();
        this.random = net.random();
        this.batch = batch;
        this.taken = taken;
    }

    /** Sends the batch; {@code taken} changes its replies on their way to the process. */
    static CompletionStage<StoreReply> send(
            Simulation world, SimNet net, List<LeaseCommand> batch, UnaryOperator<List<StoreReply>> taken) {
        SimBatch sent = new SimBatch(world, net, batch, taken);
        sent.send();
        return sent.reply;
    }

    private void send() {
        if (world.isDenyingBatches()) {
            answerAll(StoreReply.FailureKind.BATCH_REJECTED, net.date());
        } else if (net.chance(faults.refusedBefore())) {
            answerAll(StoreReply.FailureKind.NOT_APPLIED, null);
        } else if (!world.isOut() && !net.chance(faults.lost())) {
            arrive();
        }
    }

    private void arrive() {
        if (net.chance(faults.duplicated())) {
            evaluate(net.someTime(), 0, new ArrayList<>(), () -> {});
        }
        boolean resent = net.chance(faults.resent());
        if (resent) {
            evaluate(net.trip(), 0, new ArrayList<>(), () -> {});
        }
        boolean broken = net.chance(faults.serverError());
        List<StoreReply> outcomes = new ArrayList<>();
        long delay = net.chance(faults.delayed()) ? net.someTime() : resent ? 2 * net.trip() : net.trip();
        evaluate(delay, broken ? random.nextInt(batch.size() + 1) : 0, outcomes, () -> {
            if (broken) {
                answerAll(StoreReply.FailureKind.UNKNOWN, null);
            } else if (!net.chance(faults.replyLost())) {
                answer(outcomes, net.date(), resent);
            }
        });
    }

    /** Evaluates the statements from this number on, with some time between two of them. */
    private void evaluate(long delay, int number, List<StoreReply> outcomes, Runnable atEnd) {
        net.later(delay, () -> {
            if (number == batch.size()) {
                atEnd.run();
            } else {
                outcomes.add(evaluate(batch.get(number)));
                evaluate(random.nextLong(LONGEST_STEP), number + 1, outcomes, atEnd);
            }
        });
    }

    private StoreReply evaluate(LeaseCommand command) {
        if (net.chance(faults.refusedBefore() / 2)) {
            return failed(StoreReply.FailureKind.NOT_APPLIED);
        }
        if (net.chance(faults.serverError() / 2)) {
            if (random.nextBoolean()) {
                net.evaluation(command, TIMEOUT).evaluate();
            }
            return failed(StoreReply.FailureKind.UNKNOWN);
        }
        return net.evaluation(command, TIMEOUT).evaluate();
    }

    private static StoreReply failed(StoreReply.FailureKind kind) {
        return new StoreReply.Failed(kind, SimNet.refused(), null, false);
    }

    private void answerAll(StoreReply.FailureKind kind, Instant date) {
        answer(batch.stream().map(command -> failed(kind)).toList(), date, false);
    }

    /** Answers all writes with one date. */
    private void answer(List<StoreReply> outcomes, Instant date, boolean resent) {
        List<StoreReply> shown = taken.apply(outcomes);
        StoreReply dated = new StoreReply.Each(
                shown.stream().map(each -> Dated.reply(each, date, resent)).toList());
        net.receive(net.chance(faults.delayed()) ? net.someTime() : net.trip(), date, () -> reply.complete(dated));
    }
}
