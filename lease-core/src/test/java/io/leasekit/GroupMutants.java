package io.leasekit;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The forms of a lease of several keys that look simpler and are wrong. */
final class GroupMutants {

    private GroupMutants() {}

    static Stream<ProtocolMutantsTest.Mutant> all() {
        return Stream.of(
                mutant("several keys written one by one", SimVariant.RIGHT.oneByOne()),
                mutant("one key lost is no loss of the others", SimVariant.of(time -> new OneLostIsNone())),
                mutant(
                        "one key that refuses the release ends it for all",
                        SimVariant.of(time -> new RefusedIsReleased())));
    }

    private static ProtocolMutantsTest.Mutant mutant(String name, SimVariant variant) {
        return new ProtocolMutantsTest.Mutant(name, variant);
    }

    /** Takes a renewal for applied to the keys that did not refuse it. */
    private static final class OneLostIsNone extends LeaseRules {
        @Override
        StoreReply.@Nullable Refusal lostBy(Tenure tenure, List<String> keys, List<StoreReply.Refusal> refusals) {
            return refusals.size() < keys.size() ? null : super.lostBy(tenure, keys, refusals);
        }

        @Override
        int newestShown(Tenure tenure, List<String> keys, List<StoreReply.Refusal> refusals) {
            boolean renewal = tenure.attempt(tenure.last()) != null
                    && tenure.attempt(tenure.last()).token() == 0;
            return renewal && refusals.size() < keys.size() ? tenure.last() : super.newestShown(tenure, keys, refusals);
        }
    }

    /** Gives up what is left of a release that one key has refused. */
    private static final class RefusedIsReleased extends LeaseRules {
        @Override
        boolean releasesOthers() {
            return false;
        }
    }
}
