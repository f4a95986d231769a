package io.leasekit.engine;

import io.leasekit.engine.ProtocolMutantsTest.Mutant;
import io.leasekit.store.ReleaseCommand;
import io.leasekit.store.StoreReply;
import io.leasekit.store.VersionRange;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** Variants of batched renewals and releases that look simpler and are wrong. */
final class BatchMutants {

    private BatchMutants() {}

    static Stream<Mutant> all() {
        return Stream.of(
                new Mutant(
                        "replies of a batch assigned to the wrong leases",
                        SimVariant.RIGHT.batched(BatchMutants::rotated)),
                new Mutant(
                        "one applied renewal counts for its whole batch",
                        SimVariant.RIGHT.batched(BatchMutants::allAsTheBest)),
                new Mutant(
                        "failed renewals of a batch count as applied",
                        SimVariant.RIGHT.batched(BatchMutants::noneFailed)),
                new Mutant(
                        "one refused renewal counts for its whole batch",
                        SimVariant.RIGHT.batched(BatchMutants::allAsTheRefused)),
                new Mutant(
                        "batched release without its condition",
                        SimVariant.RIGHT.releasing(BatchMutants::anything, UnaryOperator.identity())),
                new Mutant(
                        "batched release forgets the tenure that was to be taken over",
                        SimVariant.RIGHT.releasing(BatchMutants::withoutPredecessor, UnaryOperator.identity())),
                new Mutant(
                        "replies of batched releases assigned to the wrong leases",
                        SimVariant.RIGHT.releasing(UnaryOperator.identity(), BatchMutants::rotated)),
                new Mutant(
                        "one applied release counts for its whole batch",
                        SimVariant.RIGHT.releasing(UnaryOperator.identity(), BatchMutants::allAsTheBest)),
                new Mutant(
                        "failed releases of a batch count as applied",
                        SimVariant.RIGHT.releasing(UnaryOperator.identity(), BatchMutants::noneFailed)));
    }

    private static ReleaseCommand anything(ReleaseCommand release) {
        VersionRange all = new VersionRange("", "\uffff");
        return new ReleaseCommand(release.key(), all, release.predecessor(), release.form(), release.edits());
    }

    private static ReleaseCommand withoutPredecessor(ReleaseCommand release) {
        return new ReleaseCommand(release.key(), release.own(), null, release.form(), release.edits());
    }

    private static List<StoreReply> rotated(List<StoreReply> replies) {
        List<StoreReply> rotated = new ArrayList<>(replies);
        Collections.rotate(rotated, 1);
        return rotated;
    }

    private static List<StoreReply> allAsTheBest(List<StoreReply> replies) {
        return replies.stream()
                .filter(StoreReply.Applied.class::isInstance)
                .findFirst()
                .map(applied -> Collections.nCopies(replies.size(), applied))
                .orElse(replies);
    }

    private static List<StoreReply> allAsTheRefused(List<StoreReply> replies) {
        return replies.stream()
                .filter(StoreReply.Refused.class::isInstance)
                .findFirst()
                .map(refused -> Collections.nCopies(replies.size(), refused))
                .orElse(replies);
    }

    private static List<StoreReply> noneFailed(List<StoreReply> replies) {
        return replies.stream()
                .map(reply -> reply instanceof StoreReply.Failed ? new StoreReply.Applied(null, null, false) : reply)
                .toList();
    }
}
