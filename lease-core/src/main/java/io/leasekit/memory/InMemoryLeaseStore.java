package io.leasekit.memory;

import io.leasekit.records.RecordTable;
import io.leasekit.store.CommandEffect;
import io.leasekit.store.LeaseCommand;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.LeaseStore;
import io.leasekit.store.StoreInfo;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreRequest;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A store for tests that keeps leases in the memory of this process. This store applies or refuses writes under the
 * same conditions as the DynamoDB store.
 *
 * <p>Managers that share one instance exclude each other, like processes that share a table. Leases of this store exist
 * only in memory, and do not exclude other processes. {@link #send} answers each request before it returns, and no
 * request fails. Expired items stay in the store until a call of {@link #remove} simulates item TTL. The store does not
 * support condition checks, because a condition check is a part of a DynamoDB transaction.
 *
 * <p>An in-memory store need not be closed. Thread-safe.
 */
public final class InMemoryLeaseStore implements LeaseStore {

    private static final StoreInfo INFO = new StoreInfo("'in memory'").withConditionChecks((key, token, tenure) -> {
        throw new UnsupportedOperationException("Leases in memory have no condition check: there are no transactions");
    });

    private final Clock clock;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, LeaseItem> items = new HashMap<>();

    /** Creates an empty store whose replies carry the time of the system clock. */
    public InMemoryLeaseStore() {
        this(Clock.systemUTC());
    }

    /**
     * Creates an empty store whose replies carry the time of this clock, truncated to seconds. The clock simulates
     * DynamoDB's clock.
     */
    public InMemoryLeaseStore(Clock clock) {
        this.clock = clock;
    }

    @Override
    public CompletionStage<StoreReply> send(StoreRequest request, Duration timeout) {
        return CompletableFuture.completedFuture(locked(() -> reply(request)));
    }

    private StoreReply reply(StoreRequest request) {
        if (request instanceof StoreRequest.Write write) {
            return written(write.command());
        }
        if (request instanceof StoreRequest.Transaction transaction) {
            return writtenAll(transaction.commands());
        }
        if (request instanceof StoreRequest.Batch batch) {
            return new StoreReply.Each(
                    batch.commands().stream().map(this::written).toList());
        }
        if (request instanceof StoreRequest.Read read) {
            return new StoreReply.Found(items.get(read.key()), date());
        }
        return request instanceof StoreRequest.ReadEach reads
                ? foundEach(reads.keys())
                : listed((StoreRequest.Scan) request);
    }

    private StoreReply written(LeaseCommand command) {
        CommandEffect effect = effect(command);
        if (!effect.isApplied()) {
            return new StoreReply.Refused(items.get(command.key()), date(), false);
        }
        apply(command.key(), effect);
        return effect.reply();
    }

    private CommandEffect effect(LeaseCommand command) {
        return CommandEffect.of(command, items.get(command.key()), date());
    }

    private void apply(String key, CommandEffect effect) {
        LeaseItem after = effect.after();
        if (after == null) {
            items.remove(key);
        } else {
            items.put(key, after);
        }
    }

    private StoreReply writtenAll(List<LeaseCommand> commands) {
        List<StoreReply.Refusal> refusals = commands.stream()
                .filter(command -> !effect(command).isApplied())
                .map(command -> new StoreReply.Refusal(command.key(), items.get(command.key())))
                .toList();
        if (!refusals.isEmpty()) {
            return new StoreReply.GroupRefused(refusals, date(), false);
        }
        commands.forEach(this::written);
        return new StoreReply.Applied(null, date(), false);
    }

    private StoreReply foundEach(List<String> keys) {
        List<LeaseItem> found =
                keys.stream().map(items::get).filter(Objects::nonNull).toList();
        return new StoreReply.FoundEach(found, List.of(), List.of(), date(), null);
    }

    /** The start key {@code scan.after()} need not exist in this store. */
    private StoreReply listed(StoreRequest.Scan scan) {
        List<LeaseItem> examined = items.values().stream()
                .filter(item -> scan.after() == null || item.key().compareTo(scan.after()) > 0)
                .sorted(Comparator.comparing(LeaseItem::key))
                .limit(scan.limit())
                .toList();
        String next = examined.size() < scan.limit()
                ? null
                : examined.get(examined.size() - 1).key();
        Set<String> listed = RecordTable.listed();
        List<LeaseItem> held = examined.stream()
                .filter(item -> item.version() != null && item.key().startsWith(scan.prefix()))
                .map(item -> item.with(item.records().only(listed)))
                .toList();
        return new StoreReply.Listed(held, List.of(), next, date(), null);
    }

    private Instant date() {
        return clock.instant().truncatedTo(ChronoUnit.SECONDS);
    }

    /**
     * Returns the properties of this store, whose name is {@code 'in memory'}. Condition checks of this store throw an
     * {@link UnsupportedOperationException}, because the store cannot take part in transactions of the application.
     */
    @Override
    public StoreInfo info() {
        return INFO;
    }

    /** Returns a copy of all items, by key. */
    public Map<String, LeaseItem> items() {
        return locked(() -> Map.copyOf(items));
    }

    /** Returns the item with this key; empty if no item has the key. */
    public Optional<LeaseItem> item(String key) {
        return locked(() -> Optional.ofNullable(items.get(key)));
    }

    /**
     * Stores an item unconditionally, and replaces any item with the same key. Use this method in the set-up of a test.
     */
    public void put(LeaseItem item) {
        locked(() -> items.put(item.key(), item));
    }

    /**
     * Removes the item with this key unconditionally, as item TTL does some time after the item's expiry. Does nothing
     * if no item has the key.
     */
    public void remove(String key) {
        locked(() -> items.remove(key));
    }

    private <T extends @Nullable Object> T locked(Supplier<T> action) {
        lock.lock();
        try {
            return action.get();
        } finally {
            lock.unlock();
        }
    }
}
