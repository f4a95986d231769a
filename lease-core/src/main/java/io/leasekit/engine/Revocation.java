package io.leasekit.engine;

import io.leasekit.ForcedRelease;
import io.leasekit.kernel.EngineParts;
import io.leasekit.kernel.LeaseSpec;
import io.leasekit.limits.Checks;
import io.leasekit.requests.BoundedClock;
import io.leasekit.requests.RequestLimiter;
import io.leasekit.requests.Requests;
import io.leasekit.requests.Requests.Reply;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.RevokeCommand;
import io.leasekit.store.StoreReply;
import io.leasekit.tenure.Tenure;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A forced release of a lease (protocol 5.9). A retry is safe, because the token identifies the lease. */
final class Revocation {

    private final String key;
    private final long token;
    private final boolean immediately;
    private final EngineParts parts;
    private final LeaseNotifier notifier;
    private final OperatorWrite<ForcedRelease> tries;

    Revocation(String key, long token, boolean immediately, EngineParts parts, LeaseNotifier notifier) {
        Checks.key(key);
        Checks.token(token, key);
        this.key = key;
        this.token = token;
        this.immediately = immediately;
        this.parts = parts;
        this.notifier = notifier;
        this.tries = new OperatorWrite<>(parts, this::attempt);
    }

    CompletableFuture<ForcedRelease> start() {
        attempt();
        return tries.result;
    }

    private void attempt() {
        parts.requests.atOnce(RequestLimiter.Kind.RELEASE, this::send);
    }

    private void send(Requests.Outgoing request) {
        if (tries.result.isDone()) {
            return; // the caller has already received a failure, so no release may follow
        }
        BoundedClock.Reading reading = parts.rules.beforeSending(parts.clock);
        if (reading == null) {
            tries.synced(key);
        } else {
            RevokeCommand command = new RevokeCommand(key, token, form(reading));
            request.write(List.of(command), new Requests.Pending(reading, Requests.TIMEOUT, this::onReply));
        }
    }

    private RevokeCommand.Form form(BoundedClock.Reading reading) {
        if (!immediately) {
            return new RevokeCommand.Refuse(version(token));
        }
        // The item may record a run, which the table must not forget, so the longer retention applies.
        long retention = LeaseSpec.nanos(parts.settings.onceRetention());
        return new RevokeCommand.Free(parts.rules.expiry(reading.latest(), retention, token), reading.middleMillis());
    }

    static String version(long token) {
        return Tenure.version(Tenure.NOBODY, (int) token);
    }

    private void onReply(Reply reply) {
        StoreReply outcome = reply.outcome();
        tries.replied(outcome);
        if (outcome instanceof StoreReply.Applied) {
            done();
        } else if (outcome instanceof StoreReply.Refused refused) {
            onRefused(refused.item(), reply.at());
        } else if (outcome instanceof StoreReply.Failed failed) {
            tries.onFailed(key, failed);
        }
    }

    private void onRefused(@Nullable LeaseItem item, long now) {
        boolean free = item != null && item.version() == null && item.token() != null && item.token() == token;
        if (free && tries.isUnanswered()) {
            done(); // an earlier attempt of this call was applied
        } else {
            if (tries.isUnanswered()) {
                // An earlier attempt may have been applied, and another owner may have acquired the lease since.
                parts.live.renew(key, token);
            }
            tries.result.complete(new ForcedRelease.NotHeld(item == null ? null : parts.records.info(item, now)));
        }
    }

    private void done() {
        notifier.forceReleased(key, token, immediately);
        parts.live.renew(key, token);
        tries.result.complete(new ForcedRelease.Done(key, token));
    }
}
