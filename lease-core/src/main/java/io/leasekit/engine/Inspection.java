package io.leasekit.engine;

import static io.leasekit.time.EngineTime.SECOND;

import io.leasekit.LeaseInfo;
import io.leasekit.LeasePage;
import io.leasekit.LeaseQuery;
import io.leasekit.internal.Quietly;
import io.leasekit.kernel.EngineParts;
import io.leasekit.limits.Checks;
import io.leasekit.requests.RequestLimiter;
import io.leasekit.requests.Requests;
import io.leasekit.requests.Requests.Reply;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreRequest;
import io.leasekit.text.Text;
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

    /** The nanoseconds that all requests for one page may take. */
    static final long LONGEST_LIST = Listing.MAX_LOOKS * Requests.TIMEOUT;

    private static final int MOST_WARNED = 20;
    private static final Logger log = LoggerFactory.getLogger(Inspection.class);

    private final EngineParts parts;
    private final Requests requests;
    private final Set<String> warned = ConcurrentHashMap.newKeySet();

    Inspection(EngineParts parts) {
        this.parts = parts;
        this.requests = parts.requests;
    }

    CompletableFuture<Optional<LeaseInfo>> find(String key) {
        Checks.key(key);
        CompletableFuture<Optional<LeaseInfo>> found = new CompletableFuture<>();
        read(key, found, failed -> found.completeExceptionally(requests.error(List.of(key), failed.cause())));
        return found;
    }

    /**
     * Retries the read while the store fails, until the store rejects a read or {@code ensureOpen} throws an exception.
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
                    parts.time.schedule(SECOND, () -> await(key, ensureOpen, found));
                }
            });
        } catch (Throwable e) {
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
                                .filter(shown -> !key.startsWith(Checks.PAUSES_ITEM))
                                .map(shown -> parts.records.info(shown, reply.at())));
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

    /**
     * One page of a list of leases. If most items match, a small first request suffices; if few items match, larger
     * later requests limit the number of requests. One page needs at most ten requests, so one call never reads a large
     * table as a whole.
     */
    private final class Listing {

        private static final int MAX_LOOKS = 10;
        private static final int MAX_EXAMINED = 1_000;
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
            // The call of inTurn must come last, because the reply may be processed before inTurn returns.
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
                    .filter(item -> !Checks.isRunItem(item.key()))
                    .forEach(item -> found.add(parts.records.info(item, at)));
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
                return;
            }
            Quietly.run(() -> log.warn(
                    "Item {} in table {} is not a lease and is omitted from the list; 'find' with its key tells why",
                    Text.quote(key),
                    parts.path.store().info().name()));
        }
    }
}
