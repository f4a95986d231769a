package io.leasekit;

import static io.leasekit.LeaseRules.SECOND;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** What people ask of a manager without wanting a lease: who has which, and that one be taken from its holder. */
final class Inspection {

    private static final Comparator<LeaseStatus> BY_KEY =
            Comparator.comparing(LeaseStatus::key).thenComparingLong(LeaseStatus::fencingToken);

    private final LeaseEngine engine;

    Inspection(LeaseEngine engine) {
        this.engine = engine;
    }

    Optional<LeaseInfo> find(String key) {
        CompletableFuture<Reply> answered = new CompletableFuture<>();
        engine.requests.read(key, answered::complete);
        Reply reply = engine.await(answered, "the read of lease " + Text.quote(key));
        if (reply.outcome() instanceof StoreReply.Failed failed) {
            throw engine.requests.error(key, failed.cause());
        }
        return reply.outcome() instanceof StoreReply.Found found
                ? Optional.ofNullable(found.item()).map(item -> info(item, reply.at()))
                : Optional.empty();
    }

    LeasePage list(LeaseQuery query) {
        return engine.await(new Listing(engine, query).start(), "a list of leases");
    }

    ForcedRelease forceRelease(String key, long token, boolean immediately) {
        if (engine.isClosing()) {
            throw engine.closed();
        }
        return engine.await(
                new Revocation(engine, key, token, immediately).start(),
                "the forced release of lease " + Text.quote(key));
    }

    List<LeaseStatus> held() {
        return engine.held.stream().flatMap(HeldLease::statuses).sorted(BY_KEY).toList();
    }

    /** What an item shows, and until when at the latest it is held: by its expiry or by observation, as others decide it. */
    LeaseInfo info(LeaseItem item, long now) {
        BoundedClock.Interval interval = engine.clock.at(now);
        if (interval == null) {
            return LeaseInfo.of(item, null);
        }
        long dead = interval.latest() + Math.max(0, engine.observations.nanosUntilDead(item, now));
        return LeaseInfo.of(item, Instant.ofEpochSecond(-Math.floorDiv(-dead, SECOND)));
    }
}
