package io.leasekit.storm;

import io.leasekit.store.CommandGroup;
import io.leasekit.store.LeaseCommand;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.LeaseScan;
import io.leasekit.store.LeaseStore;
import io.leasekit.store.MarkCommand;
import io.leasekit.store.ReleaseBatch;
import io.leasekit.store.RenewBatch;
import io.leasekit.store.StoreReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;

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
    public CompletionStage<StoreReply> write(LeaseCommand command, Duration timeout) {
        if (command instanceof MarkCommand) {
            return recordedRead(List.of(command.key()), () -> store.write(command, timeout));
        }
        long request = sent(command);
        CompletionStage<StoreReply> reply = store.write(command, timeout);
        return request == 0 ? reply : reply.whenComplete((r, error) -> answered(request, r, true));
    }

    @Override
    public List<CompletionStage<StoreReply>> renewEach(RenewBatch batch, Duration timeout) {
        List<Long> sent = batch.commands().stream().map(this::sent).toList();
        return answered(sent, store.renewEach(batch, timeout));
    }

    @Override
    public List<CompletionStage<StoreReply>> releaseEach(ReleaseBatch batch, Duration timeout) {
        List<Long> sent = batch.commands().stream().map(this::sent).toList();
        return answered(sent, store.releaseEach(batch, timeout));
    }

    @Override
    public CompletionStage<StoreReply> read(String name, Duration timeout) {
        return recordedRead(List.of(name), () -> store.read(name, timeout));
    }

    @Override
    public CompletionStage<StoreReply> readEach(List<String> keys, Duration timeout) {
        return recordedRead(keys, () -> store.readEach(keys, timeout));
    }

    private CompletionStage<StoreReply> recordedRead(List<String> keys, Supplier<CompletionStage<StoreReply>> read) {
        if (!keys.contains(key)) {
            return read.get();
        }
        long request = add(Event.of("sent").with("verb", "read"));
        return read.get().whenComplete((r, error) -> answered(request, readBy(r), true));
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

    private List<CompletionStage<StoreReply>> answered(List<Long> sent, List<CompletionStage<StoreReply>> replies) {
        List<CompletionStage<StoreReply>> recorded = new ArrayList<>();
        for (int i = 0; i < sent.size(); i++) {
            long request = sent.get(i);
            CompletionStage<StoreReply> reply = replies.get(i);
            // the refusals of a batch may show no item although there is one
            recorded.add(request == 0 ? reply : reply.whenComplete((r, error) -> answered(request, r, false)));
        }
        return recorded;
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
    public CompletionStage<StoreReply> writeAll(CommandGroup group, Duration timeout) {
        return store.writeAll(group, timeout);
    }

    @Override
    public CompletionStage<StoreReply> list(LeaseScan scan, Duration timeout) {
        return store.list(scan, timeout);
    }

    @Override
    public ConditionCheck conditionCheck(String name, long token, String tenure) {
        return store.conditionCheck(name, token, tenure);
    }

    @Override
    public boolean hasTransactions() {
        return store.hasTransactions();
    }

    @Override
    public @Nullable String problem() {
        return store.problem();
    }

    @Override
    public String name() {
        return store.name();
    }
}
