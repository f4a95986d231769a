package io.leasekit.pause;

import static io.leasekit.time.EngineTime.SECOND;

import io.leasekit.LeasePause;
import io.leasekit.LeaseStoreException;
import io.leasekit.records.RecordTable;
import io.leasekit.requests.BoundedClock;
import io.leasekit.requests.RequestLimiter;
import io.leasekit.requests.Requests;
import io.leasekit.requests.Requests.Reply;
import io.leasekit.store.Edits;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.PauseCommand;
import io.leasekit.store.StoreReply;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One change of the pauses (protocol 5.11). DynamoDB refuses a write if the text has changed since the read. This rule
 * also stops late copies of writes. If a reply is lost, the names of the last changes in the text show whether the
 * write was applied. The steps of a change run one at a time.
 */
final class PauseChange {

    private static final long MAX_BACKOFF = SECOND;

    private static final String UNKNOWN = "A request had no reply, and so many changes came after it that nothing shows"
            + " whether it was applied: list the pauses, and change them again if it was not";

    /** Returns the changed pauses; throws an {@link IllegalArgumentException} if the change is not allowed. */
    interface Change {
        List<LeasePause> of(List<LeasePause> pauses, Instant now);
    }

    /** {@code refusal}: the reason why the change is not allowed; {@code null} if the change was made. */
    record Result(List<LeasePause> before, @Nullable IllegalArgumentException refusal) {}

    private final PauseControl.Parts parts;
    private final Change change;
    private final boolean removesIgnored;
    private final long begun;
    // For the name of each write that may have been applied: the pauses that the write replaces.
    private final Map<String, List<LeasePause>> written = new ConcurrentHashMap<>();
    private final CompletableFuture<Result> result = new CompletableFuture<>();
    // The name of the newest change in the text that the last write was to replace.
    private String writtenAfter = "";
    private int failures;

    /** {@code removesIgnored}: whether to write even if the pauses do not change, to remove ignored lines. */
    PauseChange(PauseControl.Parts parts, Change change, boolean removesIgnored) {
        this.parts = parts;
        this.change = change;
        this.removesIgnored = removesIgnored;
        this.begun = parts.clock().now();
    }

    CompletableFuture<Result> start() {
        read();
        return result;
    }

    private void read() {
        send(request -> request.read(PauseBoard.KEY, this::onRead));
    }

    /** Sends nothing once the result is known, because a late change could undo newer changes by other operators. */
    private void send(Consumer<Requests.Outgoing> step) {
        parts.requests().atOnce(RequestLimiter.Kind.RELEASE, request -> {
            if (!result.isDone()) {
                step.accept(request);
            }
        });
    }

    private void onRead(Reply reply) {
        if (reply.outcome() instanceof StoreReply.Failed failed) {
            onFailed(failed);
        } else {
            decide(reply.outcome() instanceof StoreReply.Found found ? found.item() : null);
        }
    }

    private void decide(@Nullable LeaseItem item) {
        String text = PauseText.of(item);
        List<String> changes = PauseText.changes(text);
        List<LeasePause> before = changes.stream()
                .map(written::get)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
        BoundedClock.Reading now = parts.clock().readingSince(parts.clock().now());
        if (before != null) {
            result.complete(new Result(before, null)); // an earlier write of this change was applied
        } else if (!written.isEmpty() && !changes.contains(writtenAfter)) {
            result.completeExceptionally(parts.requests().error("Pauses", new IllegalStateException(UNKNOWN)));
        } else if (now == null) {
            tryLater(parts.requests().error("Pauses", new IllegalStateException("DynamoDB's time is not known")));
        } else {
            write(item, text, parts.board().current(PauseText.pauses(text)), now);
        }
    }

    private void write(
            @Nullable LeaseItem item, @Nullable String text, List<LeasePause> before, BoundedClock.Reading now) {
        try {
            List<LeasePause> after = change.of(before, Instant.ofEpochMilli(now.middleMillis()));
            if (after.equals(before) && !(removesIgnored && parts.board().ignores(text))) {
                result.complete(new Result(before, null));
                return;
            }
            String name = parts.names().get().toString();
            List<String> changes = PauseText.changes(text);
            String next = PauseText.of(name, changes, after);
            PauseRules.size(next, PauseText.of(name, changes, before));
            written.put(name, before);
            PauseCommand command = new PauseCommand(
                    PauseBoard.KEY,
                    Edits.builder()
                            .equal(RecordTable.PAUSES, PauseText.stored(item))
                            .set(RecordTable.PAUSES, next)
                            .build());
            writtenAfter = changes.get(0);
            Requests.Pending pending = new Requests.Pending(now, reply -> onWritten(next, before, now, reply));
            send(request -> request.write(List.of(command), pending));
        } catch (IllegalArgumentException e) {
            result.complete(new Result(before, e));
        }
    }

    private void onWritten(String text, List<LeasePause> before, BoundedClock.Reading reading, Reply reply) {
        if (reply.outcome().isSurelyNotWritten() && !reply.outcome().resent()) {
            written.remove(PauseText.changes(text).get(0));
        }
        if (reply.outcome() instanceof StoreReply.Failed failed) {
            onFailed(failed);
        } else if (reply.outcome() instanceof StoreReply.Refused) {
            onRefused();
        } else {
            parts.board().show(text, reply.sent(), reading.epoch());
            result.complete(new Result(before, null));
        }
    }

    private void onRefused() {
        if (parts.clock().now() - begun > parts.patienceNanos()) {
            result.completeExceptionally(
                    parts.requests().error("Pauses", new IllegalStateException("Others changed them all the time")));
        } else {
            read();
        }
    }

    private void onFailed(StoreReply.Failed failed) {
        LeaseStoreException error = parts.requests().error("Pauses", failed.cause());
        if (failed.kind() == StoreReply.FailureKind.REJECTED) {
            result.completeExceptionally(error);
        } else {
            tryLater(error);
        }
    }

    private void tryLater(LeaseStoreException error) {
        failures++;
        long delay = Requests.backoff(failures, MAX_BACKOFF, parts.random());
        if (parts.clock().now() - begun + delay > parts.patienceNanos()) {
            result.completeExceptionally(error);
        } else {
            parts.time().schedule(delay, this::read);
        }
    }
}
