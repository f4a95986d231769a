package io.leasekit.requests;

import io.leasekit.internal.Internal;
import io.leasekit.requests.Requests.Pending;
import io.leasekit.requests.Requests.Reply;
import io.leasekit.store.LeaseCommand;
import io.leasekit.store.ReleaseCommand;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreReply.FailureKind;
import io.leasekit.store.StoreRequest;
import io.leasekit.threads.Sender;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The queue of releases that wait for their turn to send, in the order of arrival (protocol 5.10, 8). Waiting releases
 * are sent together in batches, or individually during a {@link BatchBackoff}. The queue accepts only releases that do
 * not delete the item: in a batch, a deletion needs the permission {@code dynamodb:PartiQLDelete}, which the documented
 * policy does not grant. Thread-safe.
 */
@Internal
public final class ReleaseBatches implements RequestLimiter.Turn {

    private final Requests requests;
    private final RequestLimiter limiter;
    private final Sender sender;
    private final BatchBackoff backoff;

    private final ReentrantLock lock = new ReentrantLock(); // guards the rest
    private final Deque<Waiting> waiting = new ArrayDeque<>();
    private boolean asked; // whether this queue waits for permission to send

    /** The release of one item that waits in the queue. */
    public interface Waiting {

        String key();

        /** Creates the release for a request that is sent now; {@code null}: the release cannot be sent yet. */
        @Nullable
        Draft onTurn();

        /** Sends the release later, as a separate request. */
        void sendAlone();
    }

    public record Draft(ReleaseCommand command, Pending pending) {}

    public ReleaseBatches(Requests requests, RequestLimiter limiter, Sender sender, BatchBackoff backoff) {
        this.requests = requests;
        this.limiter = limiter;
        this.sender = sender;
        this.backoff = backoff;
    }

    // ---- permission to send

    public void add(Waiting release) {
        boolean asks;
        lock.lock();
        try {
            waiting.add(release);
            asks = !asked;
            asked = true;
        } finally {
            lock.unlock();
        }
        if (asks) {
            limiter.ask(RequestLimiter.Kind.RELEASE, this);
        }
    }

    /** Takes releases from the queue and sends them in one request. */
    @Override
    public boolean onTurn(RequestLimiter.Place place) {
        int most = backoff.mostTogether();
        List<Waiting> next = new ArrayList<>();
        boolean more;
        lock.lock();
        try {
            while (!waiting.isEmpty() && next.size() < most) {
                next.add(waiting.remove());
            }
            more = !waiting.isEmpty();
            asked = more;
        } finally {
            lock.unlock();
        }
        sender.later(sending -> send(next, place));
        return more;
    }

    // ---- sending

    private void send(List<Waiting> next, RequestLimiter.Place place) {
        try {
            Map<Waiting, Draft> drafts = drafts(next);
            List<Draft> made = List.copyOf(drafts.values());
            if (made.size() == 1) {
                requests.write(place, List.of(made.get(0).command), alone(made.get(0).pending));
            } else if (!made.isEmpty()) {
                StoreRequest.Batch batch = new StoreRequest.Batch(
                        made.stream().<LeaseCommand>map(Draft::command).toList());
                requests.writeEach(place, batch, Requests.TIMEOUT, pending(drafts));
            }
        } finally {
            place.endUnlessUsed();
        }
    }

    private static Map<Waiting, Draft> drafts(List<Waiting> releases) {
        Map<String, Waiting> chosen = new LinkedHashMap<>();
        for (Waiting release : releases) {
            if (chosen.putIfAbsent(release.key(), release) != null) {
                release.sendAlone(); // one of two tenures of this key was lost or given up
            }
        }
        Map<Waiting, Draft> drafts = new LinkedHashMap<>();
        for (Waiting release : chosen.values()) {
            Draft draft = release.onTurn();
            if (draft != null) {
                drafts.put(release, draft);
            }
        }
        return drafts;
    }

    private Pending alone(Pending pending) {
        return new Pending(
                pending.reading(),
                pending.timeoutNanos(),
                reply -> {
                    backoff.judgeSingle(reply.outcome());
                    pending.onReply().accept(reply);
                },
                pending.onLateReply());
    }

    private List<Pending> pending(Map<Waiting, Draft> drafts) {
        BatchBackoff.Verdict verdict = backoff.new Verdict();
        List<Pending> pending = new ArrayList<>();
        drafts.forEach((release, draft) ->
                pending.add(new Pending(draft.pending.reading(), draft.pending.timeoutNanos(), reply -> {
                    verdict.judge(reply.outcome());
                    receive(release, draft, reply);
                })));
        return pending;
    }

    private static void receive(Waiting release, Draft draft, Reply reply) {
        if (asksForSingle(reply.outcome())) {
            release.sendAlone();
        } else {
            draft.pending.onReply().accept(reply);
        }
    }

    /**
     * Returns whether the release must be repeated as a single request, because the server denies batches or does not
     * return the item whose condition refused the release.
     */
    private static boolean asksForSingle(StoreReply outcome) {
        if (outcome instanceof StoreReply.Failed failed) {
            return failed.kind() == FailureKind.BATCH_REJECTED || failed.kind() == FailureKind.REJECTED;
        }
        return outcome instanceof StoreReply.Refused refused && refused.item() == null;
    }
}
