package io.leasekit;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One page of a list, one look at the table after the other. Each examines more items than the one before, so that neither a
 * table of leases nor one in which few keys match costs many times what it must; and there are so many at most, so that one
 * call does not read a large table. Its steps come one after the other.
 */
final class Listing {

    private static final Logger log = LoggerFactory.getLogger(Listing.class);
    private static final int MAX_LOOKS = 10;
    private static final int MAX_EXAMINED = 1_000;
    private static final int GROWTH = 4;

    private final LeaseEngine engine;
    private final LeaseQuery query;
    private final List<LeaseInfo> found = new ArrayList<>();
    private final CompletableFuture<LeasePage> page = new CompletableFuture<>();
    private int looks;
    private int examined;

    Listing(LeaseEngine engine, LeaseQuery query) {
        this.engine = engine;
        this.query = query;
        this.examined = query.limit();
    }

    CompletableFuture<LeasePage> start() {
        look(query.after());
        return page;
    }

    private void look(@Nullable String after) {
        LeaseScan scan = new LeaseScan(query.prefix(), examined, after);
        looks++;
        examined = Math.min(MAX_EXAMINED, examined * GROWTH);
        engine.requests.list(scan, this::onReply); // last: the reply may be there at once
    }

    private void onReply(Reply reply) {
        if (reply.outcome() instanceof StoreReply.Listed listed) {
            listed.malformed().forEach(this::warn);
            onListed(listed, reply.at());
        } else {
            Throwable cause = reply.outcome() instanceof StoreReply.Failed failed
                    ? failed.cause()
                    : new IllegalStateException("The store answered a list with " + reply.outcome());
            page.completeExceptionally(engine.requests.error(cause));
        }
    }

    private void onListed(StoreReply.Listed listed, long at) {
        listed.items().stream()
                .filter(item -> !Checks.isRunItem(item.key())) // it is part of a lease that is listed
                .forEach(item -> found.add(engine.inspection.info(item, at)));
        if (found.size() > query.limit()) {
            List<LeaseInfo> kept = found.subList(0, query.limit());
            page.complete(new LeasePage(kept, kept.get(kept.size() - 1).key()));
        } else if (listed.next() == null || found.size() == query.limit() || looks == MAX_LOOKS) {
            page.complete(new LeasePage(found, listed.next()));
        } else {
            look(listed.next());
        }
    }

    private void warn(String key) {
        log.warn(
                "Item {} in table {} is no lease and is left out of the list; a find of its key says why",
                Text.quote(key),
                engine.store.name());
    }
}
