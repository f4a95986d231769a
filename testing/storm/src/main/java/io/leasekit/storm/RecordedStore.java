package io.leasekit.storm;

import io.leasekit.store.LeaseCommand;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.LeaseStore;
import io.leasekit.store.MarkCommand;
import io.leasekit.store.StoreInfo;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A store that records the requests for one key: each command before its sending, and each reply when it arrives. Groups of
 * several keys and lists are passed on unrecorded. A mark of a waiter changes nothing that the protocol's model has, but its
 * refusal shows the item, so it is recorded as a read. Replies are passed on unchanged. Thread-safe.
 */
final class RecordedStore implements LeaseStore {

    private final LeaseStore store;
    private final String key;
    private final History trace;
    private final AtomicLong requests = new AtomicLong();

    RecordedStore(LeaseStore store, String key, History trace) {
        this.store = store;
        this.key = key;
        this.trace = trace;
    }

    @Override
    public CompletionStage<StoreReply> send(StoreRequest request, Duration timeout) {
        if (request instanceof StoreRequest.Write write && !(write.command() instanceof MarkCommand)) {
            long sent = sent(write.command());
            CompletionStage<StoreReply> reply = store.send(request, timeout);
            return sent == 0 ? reply : reply.whenComplete((r, error) -> answered(sent, r, true));
        }
        if (request instanceof StoreRequest.Batch batch) {
            List<Long> sent = batch.commands().stream().map(this::sent).toList();
            return store.send(request, timeout).whenComplete((r, error) -> answered(sent, r));
        }
        boolean recorded = request instanceof StoreRequest.Write
                || request instanceof StoreRequest.Read
                || request instanceof StoreRequest.ReadEach;
        return recorded && request.keys().contains(key) ? recordedRead(request, timeout) : store.send(request, timeout);
    }

    private CompletionStage<StoreReply> recordedRead(StoreRequest request, Duration timeout) {
        long sent = add(Event.of("sent").with("verb", "read"));
        return store.send(request, timeout).whenComplete((r, error) -> answered(sent, readBy(r), true));
    }

    /** Returns what a reply tells as that of a read: the refusal of a mark shows the item, an applied one does not. */
    private static @Nullable StoreReply readBy(@Nullable StoreReply reply) {
        if (reply instanceof StoreReply.Refused refused && refused.item() != null) {
            return new StoreReply.Found(refused.item(), null, null);
        }
        return reply instanceof StoreReply.Refused || reply instanceof StoreReply.Applied ? null : reply;
    }

    /** Records a command; returns the number of the request, or 0 if it is not recorded. */
    private long sent(LeaseCommand command) {
        return command.key().equals(key) ? add(Sent.of(command)) : 0;
    }

    private long add(Event event) {
        long request = requests.incrementAndGet();
        trace.add(event.with("request", request).with(Event.FROM, System.nanoTime()));
        return request;
    }

    /** Records the replies to a batch. Its refusals may show no item although there is one. */
    private void answered(List<Long> sent, @Nullable StoreReply reply) {
        for (int i = 0; i < sent.size(); i++) {
            if (sent.get(i) != 0) {
                answered(
                        sent.get(i),
                        reply instanceof StoreReply.Each each ? each.replies().get(i) : reply,
                        false);
            }
        }
    }

    private void answered(long request, @Nullable StoreReply reply, boolean showsNoItem) {
        Event event = Event.of("answered").with("request", request).with(Event.TO, System.nanoTime());
        if (reply instanceof StoreReply.Applied) {
            event.with(Event.OUTCOME, "applied");
        } else if (reply instanceof StoreReply.Refused refused) {
            shown(event.with(Event.OUTCOME, "refused"), refused.item(), showsNoItem);
        } else if (reply instanceof StoreReply.Found found) {
            shown(event.with(Event.OUTCOME, "found"), found.item(), true);
        } else if (reply instanceof StoreReply.FoundEach each && each.shows(key)) {
            LeaseItem item = each.items().stream()
                    .filter(i -> i.key().equals(key))
                    .findFirst()
                    .orElse(null);
            shown(event.with(Event.OUTCOME, "found"), item, true);
        } else {
            event.with(Event.OUTCOME, "failed");
        }
        trace.add(event);
    }

    /** Adds the item of a reply. Without an item, {@code showsNoItem} tells whether that means that there is none. */
    private static void shown(Event event, @Nullable LeaseItem item, boolean showsNoItem) {
        if (item == null) {
            event.with("item", showsNoItem ? "none" : "unknown");
            return;
        }
        event.with("item", "shown");
        put(event, Sent.VERSION, item.version());
        put(event, Event.TOKEN, item.token());
        put(event, Sent.EXPIRY, item.expiry());
        put(event, Sent.DURATION, item.durationMillis());
    }

    private static void put(Event event, String name, @Nullable String text) {
        if (text != null) {
            event.with(name, text);
        }
    }

    private static void put(Event event, String name, @Nullable Long number) {
        if (number != null) {
            event.with(name, number);
        }
    }

    @Override
    public StoreInfo info() {
        return store.info();
    }
}
