package io.leasekit.engine;

import io.leasekit.LeaseStoreException;
import io.leasekit.LeaseWatch.Free;
import io.leasekit.LeaseWatch.Held;
import io.leasekit.LeaseWatch.Kept;
import io.leasekit.LeaseWatch.State;
import io.leasekit.LeaseWatch.Unknown;
import io.leasekit.kernel.EngineParts;
import io.leasekit.kernel.LeaseSpec;
import io.leasekit.observe.Observer.Observation;
import io.leasekit.requests.BoundedClock;
import io.leasekit.requests.RequestLimiter;
import io.leasekit.requests.Requests;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.StoreReply;
import io.leasekit.tenure.Tenure;
import io.leasekit.text.Text;
import io.leasekit.threads.Mailbox;
import io.leasekit.time.Backoff;
import io.leasekit.time.EngineTime;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Reads the item of one key for all watches of the key, and decides which state the watches report (protocol 9). At
 * most one read is in flight. Thread-safe.
 */
final class KeyPoller {

    private static final long FIRST_BACKOFF = 50 * EngineTime.MILLI;
    private static final long LAST_BACKOFF = EngineTime.SECOND;

    private final String key;
    private final EngineParts parts;
    private final FeatureRules rules;
    private final List<ListeningWatch> watches = new CopyOnWriteArrayList<>();
    private final Mailbox steps = new Mailbox(error -> {});
    private volatile @Nullable Throwable failure;
    // Only steps in the mailbox use the fields below.
    private boolean looking;
    private boolean again; // whether a watch was added during a read
    private int failures;
    private long seenAt; // time of the last successful read, or of the first watch
    private boolean blind;
    private @Nullable State last; // the last reported state that was not Unknown
    private @Nullable Observation held;
    private @Nullable UUID tenure;
    private boolean over;
    private long since; // the monotonic time at which 'tenure' or 'over' last changed
    private EngineTime.Timer nextLook = () -> {};
    private EngineTime.Timer blindness = () -> {};

    KeyPoller(String key, EngineParts parts, FeatureRules rules) {
        this.key = key;
        this.parts = parts;
        this.rules = rules;
        this.since = parts.clock.now();
        steps.execute(this::onSight);
    }

    List<ListeningWatch> watches() {
        return watches;
    }

    void lookFor(ListeningWatch watch) {
        steps.execute(() -> {
            if (blind) {
                watch.onState(new Unknown(key));
            }
            look();
        });
    }

    LeaseStoreException unread(Duration within) {
        Throwable cause = failure;
        String text = cause == null
                ? "Lease " + Text.quote(key) + " could not be read"
                : Text.why(cause) + "; no read succeeded";
        return new LeaseStoreException(text + " within " + Text.exact(within), cause);
    }

    void end() {
        steps.execute(() -> {
            nextLook.cancel();
            blindness.cancel();
        });
    }

    // ---- reads

    private void look() {
        again = looking;
        if (looking || watches.isEmpty()) {
            return;
        }
        nextLook.cancel();
        looking = true;
        List<ListeningWatch> asking = List.copyOf(watches);
        parts.requests.inTurn(RequestLimiter.Kind.LOOK, Runnable::run, null, request -> {
            BoundedClock.Reading before = parts.rules.beforeSending(parts.clock);
            request.read(key, reply -> steps.execute(() -> onReply(asking, before, reply)));
        });
    }

    private void onReply(List<ListeningWatch> asking, BoundedClock.@Nullable Reading before, Requests.Reply reply) {
        looking = false;
        if (watches.isEmpty()) {
            return;
        }
        try {
            if (reply.outcome() instanceof StoreReply.Found found) {
                onItem(asking, found.item(), before, reply);
            } else {
                onFailure(parts.requests.error(List.of(key), reply.failure().cause()));
            }
        } catch (Throwable e) { // an unexpected item must not end the reads
            onFailure(e);
        }
    }

    private void onFailure(Throwable cause) {
        failure = cause;
        lookAfter(Backoff.nanos(++failures, FIRST_BACKOFF, LAST_BACKOFF, parts.random));
    }

    private void onItem(
            List<ListeningWatch> asking,
            @Nullable LeaseItem item,
            BoundedClock.@Nullable Reading before,
            Requests.Reply reply) {
        failures = 0;
        failure = null;
        held = item == null || item.version() == null ? null : parts.observer.observe(held, item, reply);
        boolean wasOver = over;
        UUID known = tenure;
        over = parts.observer.isOver(held, before);
        tenure = Tenure.shownBy(item);
        if (over != wasOver || !Objects.equals(tenure, known)) {
            since = reply.at();
        }
        lookAfter(parts.polling.delay(reply.at() - since, parts.observer.untilEnd(over ? null : held, reply.at())));
        onSight();
        State state = shown(state(item, reply.at()));
        asking.forEach(watch -> {
            watch.onState(state);
            watch.read.complete(null);
        });
    }

    private void lookAfter(long delay) {
        nextLook.cancel();
        nextLook = parts.time.schedule(again ? 0 : delay, () -> steps.execute(this::look));
        again = false;
    }

    private void onSight() {
        seenAt = parts.time.nanos();
        blind = false;
        blindness.cancel();
        blindness = parts.time.schedule(ttl(), () -> steps.execute(this::onBlindness));
    }

    private void onBlindness() {
        if (parts.time.nanos() - seenAt - ttl() >= 0) {
            blind = true;
            watches.forEach(watch -> watch.onState(new Unknown(key)));
        }
    }

    private long ttl() {
        return LeaseSpec.nanos(parts.settings.ttl);
    }

    // ---- states

    /** Replaces a state that is older than the last reported state, because watches never go back to an older state. */
    private State shown(State state) {
        State before = last;
        if (before == null || rules.mayFollow(before, state)) {
            last = state;
            return state;
        }
        // After a short holdAtLeast has ended, the item shows a held lease until the release is applied.
        boolean staysKept = before instanceof Kept && FeatureRules.token(before) == FeatureRules.token(state);
        return staysKept ? before : new Unknown(key);
    }

    private State state(@Nullable LeaseItem item, long now) {
        long known = last == null ? 0 : FeatureRules.token(last);
        long token = item == null || item.token() == null || item.token() == 0 ? known : item.token();
        if (item == null || held == null || over) {
            return new Free(key, token);
        }
        boolean kept = parts.records.info(item, now).isKept();
        return kept ? new Kept(key, item.owner(), token) : new Held(key, item.owner(), token);
    }
}
