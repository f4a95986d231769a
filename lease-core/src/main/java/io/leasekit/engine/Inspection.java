package io.leasekit.engine;

import static io.leasekit.time.EngineTime.SECOND;

import io.leasekit.LeaseInfo;
import io.leasekit.LeasePage;
import io.leasekit.LeaseQuery;
import io.leasekit.internal.Quietly;
import io.leasekit.limits.Checks;
import io.leasekit.observe.Observer;
import io.leasekit.requests.BoundedClock;
import io.leasekit.requests.RequestLimiter;
import io.leasekit.requests.Requests;
import io.leasekit.requests.Requests.Reply;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreRequest;
import io.leasekit.tenure.Tenure;
import io.leasekit.text.Text;
import io.leasekit.time.EngineTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads leases from the table for display: a single lease or a list. Thread-safe. */
final class Inspection {

    /** The maximum duration of one list, for all its requests together. */
    static final long LONGEST_LIST = Listing.MAX_LOOKS * Requests.TIMEOUT;

    private static final int MOST_WARNED = 20;
    private static final Logger log = LoggerFactory.getLogger(Inspection.class);

    private final String table;
    private final BoundedClock clock;
    private final Requests requests;
    private final Observer observer;
    private final Releases releases;
    private final EngineTime time;
    private final Set<String> warned = ConcurrentHashMap.newKeySet();

    Inspection(
            String table,
            BoundedClock clock,
            Requests requests,
            Observer observer,
            Releases releases,
            EngineTime time) {
        this.table = table;
        this.clock = clock;
        this.requests = requests;
        this.observer = observer;
        this.releases = releases;
        this.time = time;
    }

    CompletableFuture<Optional<LeaseInfo>> find(String key) {
        Checks.key(key);
        CompletableFuture<Optional<LeaseInfo>> found = new CompletableFuture<>();
        read(key, found, failed -> found.completeExceptionally(requests.error(List.of(key), failed.cause())));
        return found;
    }

    /**
     * Reads one item, and repeats the read as long as the store fails. The future fails if the store rejects the read,
     * or if {@code ensureOpen} throws an exception before a repetition.
     */
    CompletableFuture<Optional<LeaseInfo>> await(String key, Runnable ensureOpen) {
        CompletableFuture<Optional<LeaseInfo>> found = new CompletableFuture<>();
        await(key, ensureOpen, found);
        return found;
    }

    private void await(String key, Runnable ensureOpen, CompletableFuture<Optional<LeaseInfo>> found) {
        try {
            ensureOpen.run();
            read(key, found, failed -> {
                if (failed.kind() == StoreReply.FailureKind.REJECTED) {
                    found.completeExceptionally(requests.error(List.of(key), failed.cause()));
                } else {
                    time.schedule(SECOND, () -> await(key, ensureOpen, found));
                }
            });
        } catch (Throwable e) { // the manager is closed
            found.completeExceptionally(e);
        }
    }

    private void read(String key, CompletableFuture<Optional<LeaseInfo>> found, Consumer<StoreReply.Failed> onFailure) {
        requests.inTurn(
                RequestLimiter.Kind.LOOK,
                Runnable::run,
                null,
                request -> request.read(key, reply -> {
                    if (reply.outcome() instanceof StoreReply.Found read) {
                        found.complete(Optional.ofNullable(read.item())
                                .filter(shown -> !key.startsWith(Checks.PAUSES_ITEM)) // the pauses item is not a lease
                                .map(shown -> info(shown, reply.at())));
                    } else {
                        onFailure.accept(reply.failure());
                    }
                }));
    }

    CompletableFuture<LeasePage> list(LeaseQuery query) {
        Listing listing = new Listing(query);
        listing.look(query.after());
        return listing.page;
    }

    // ---- from an item to a lease

    /**
     * Returns the lease that an item shows. The shown end is the expiry of the lease, or the time at which this process
     * would consider the holder dead, whichever is earlier. If {@code holdAtLeast} or {@code cooldown} delays the
     * release of a lease of this process, the result already shows the lease as released; other processes still see the
     * lease as held.
     */
    LeaseInfo info(LeaseItem item, long now) {
        boolean held = item.version() != null;
        Release.Delay delay = item.version() == null ? null : releases.delayOf(Tenure.tenureOf(item.version()));
        Instant end = held ? earlier(instant(delay == null ? null : delay.endsAtMillis()), end(item, now)) : null;
        return LeaseRecords.shown(item, end, delay == null ? releasedAt(item) : instant(delay.begunAtMillis()));
    }

    /**
     * Returns the time of the release. If the stored time of the release is before the time of the acquire, returns the
     * time of the acquire, because the two clocks differed. Returns {@code null} for a lease of a client that is not
     * Leasekit: such a client does not remove the time of the last release when it acquires a lease, so its held lease
     * would look released.
     */
    private static @Nullable Instant releasedAt(LeaseItem item) {
        if (SharedKeys.isOfAnotherKind(item)) {
            return null;
        }
        Long released = item.releasedAtMillis();
        Long acquired = item.acquiredAtMillis();
        return instant(released == null || acquired == null ? released : Long.valueOf(Math.max(released, acquired)));
    }

    private @Nullable Instant end(LeaseItem item, long now) {
        Instant expiry = expiry(item.expiry());
        Instant observed = observedEnd(item, now);
        return earlier(expiry, observed);
    }

    private @Nullable Instant observedEnd(LeaseItem item, long now) {
        BoundedClock.Interval interval = clock.at(now);
        if (interval == null) {
            return null;
        }
        long dead = interval.latest() + Math.max(0, observer.untilDead(item, now));
        return Instant.ofEpochSecond(-Math.floorDiv(-dead, SECOND));
    }

    private static @Nullable Instant expiry(@Nullable Long seconds) {
        if (seconds == null || seconds < Instant.MIN.getEpochSecond() || seconds > Instant.MAX.getEpochSecond()) {
            return null;
        }
        return Instant.ofEpochSecond(seconds);
    }

    private static @Nullable Instant earlier(@Nullable Instant a, @Nullable Instant b) {
        if (a == null || b == null) {
            return a == null ? b : a;
        }
        return a.isBefore(b) ? a : b;
    }

    static @Nullable Instant instant(@Nullable Long millis) {
        return millis == null ? null : Instant.ofEpochMilli(millis);
    }

    /**
     * One page of a list of leases. Each request for the page examines more items than the previous request, up to
     * 1,000 items. If most items match the query, the small first requests read little more than the page needs. If few
     * items match, the page needs few requests, because later requests examine more items. The number of requests is
     * limited, so one call never reads a large table as a whole.
     */
    private final class Listing {

        private static final int MAX_LOOKS = 10;
        private static final int MAX_EXAMINED = 1_000;
        // With this growth, a page of a rare prefix needs few requests, and still no page reads a large table.
        private static final int GROWTH = 4;

        private final LeaseQuery query;
        private final List<LeaseInfo> found = new ArrayList<>();
        private final CompletableFuture<LeasePage> page = new CompletableFuture<>();
        private int looks;
        private int examined;

        Listing(LeaseQuery query) {
            this.query = query;
            this.examined = query.limit();
        }

        void look(@Nullable String after) {
            StoreRequest.Scan scan = new StoreRequest.Scan(query.prefix(), examined, after);
            looks++;
            examined = Math.min(MAX_EXAMINED, examined * GROWTH);
            // The last statement, because the reply may be processed before inTurn returns.
            requests.inTurn(
                    RequestLimiter.Kind.LOOK, Runnable::run, null, request -> request.list(scan, this::onReply));
        }

        private void onReply(Reply reply) {
            if (reply.outcome() instanceof StoreReply.Listed listed) {
                listed.malformed().forEach(this::warn);
                onListed(listed, reply.at());
            } else {
                page.completeExceptionally(requests.error(reply.failure().cause()));
            }
        }

        private void onListed(StoreReply.Listed listed, long at) {
            listed.items().stream()
                    .filter(item -> !Checks.isRunItem(item.key())) // the list shows the item of the lease instead
                    .forEach(item -> found.add(info(item, at)));
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
            if (warned.size() >= MOST_WARNED || !warned.add(key)) {
                return; // every page of every list would log the item again
            }
            Quietly.run(() -> log.warn(
                    "Item {} in table {} is not a lease and is omitted from the list; 'find' with its key tells why",
                    Text.quote(key),
                    table));
        }
    }
}
