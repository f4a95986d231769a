package io.leasekit.engine;

import io.leasekit.LeaseInfo;
import io.leasekit.observe.Observer.Observation;
import io.leasekit.requests.BoundedClock;
import io.leasekit.requests.RequestLimiter;
import io.leasekit.requests.Requests;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.StoreReply;
import io.leasekit.tenure.Tenure;
import io.leasekit.watch.Looks;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The looks of watchers, who want no lease (9). This class is shared by all watched keys; {@link KeyLooks} is the part
 * of one key. Thread-safe.
 */
final class ItemReader implements Looks {

    private final EngineParts parts;

    ItemReader(EngineParts parts) {
        this.parts = parts;
    }

    @Override
    public Series of(String key) {
        return new KeyLooks(key);
    }

    /** The looks at one key. One look follows the other, so the fields need no guard but visibility. */
    private final class KeyLooks implements Series {

        private final String key;
        private volatile @Nullable Observation last;
        private volatile @Nullable UUID shown; // the tenure in the last reply
        private volatile boolean wasOver;
        private volatile long since; // since when it was shown

        KeyLooks(String key) {
            this.key = key;
            this.since = parts.clock.now();
        }

        @Override
        public CompletableFuture<Seen> look() {
            CompletableFuture<Seen> found = new CompletableFuture<>();
            parts.requests.inTurn(RequestLimiter.Kind.LOOK, Runnable::run, null, request -> {
                BoundedClock.Reading before = parts.rules.beforeSending(parts.clock);
                request.read(key, reply -> onReply(before, reply, found));
            });
            return found;
        }

        private void onReply(
                BoundedClock.@Nullable Reading before, Requests.Reply reply, CompletableFuture<Seen> found) {
            try {
                if (reply.outcome() instanceof StoreReply.Found shown) {
                    found.complete(saw(shown.item(), before, reply));
                } else {
                    found.completeExceptionally(
                            parts.requests.error(List.of(key), reply.failure().cause()));
                }
            } catch (Throwable e) {
                found.completeExceptionally(e);
            }
        }

        private Seen saw(@Nullable LeaseItem item, BoundedClock.@Nullable Reading before, Requests.Reply reply) {
            Observation now = observe(item, reply);
            boolean isOver = parts.observer.isOver(now, before);
            note(item, isOver, reply.at());
            LeaseInfo info = item == null ? null : parts.inspection.info(item, reply.at());
            return new Seen(info, isOver, delay(isOver ? null : now, reply.at()));
        }

        private long delay(@Nullable Observation held, long now) {
            return parts.polling.delay(now - since, parts.observer.untilEnd(held, now));
        }

        /** Returns the observation of a held item; {@code null}: the item is not held. */
        private @Nullable Observation observe(@Nullable LeaseItem item, Requests.Reply reply) {
            Observation now = item == null || item.version() == null ? null : parts.observer.observe(last, item, reply);
            last = now;
            return now;
        }

        private void note(@Nullable LeaseItem item, boolean isOver, long now) {
            UUID tenure = Tenure.shownBy(item);
            if (!Objects.equals(tenure, shown) || isOver != wasOver) {
                since = now;
            }
            shown = tenure;
            wasOver = isOver;
        }
    }
}
