package io.leasekit.memory;

import io.leasekit.store.AcquireCommand;
import io.leasekit.store.CommandGroup;
import io.leasekit.store.ItemRun;
import io.leasekit.store.LeaseCommand;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.LeaseScan;
import io.leasekit.store.LeaseStore;
import io.leasekit.store.MarkCommand;
import io.leasekit.store.ReleaseCommand;
import io.leasekit.store.RenewCommand;
import io.leasekit.store.RevokeCommand;
import io.leasekit.store.StoreReply;
import io.leasekit.store.VersionRange;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;

/**
 * Keeps leases in the memory of this process: a store for tests, with the same conditions as DynamoDB's.
 *
 * <p>Managers that share an instance exclude each other as processes that share a table do. It excludes no other process, and
 * forgets all with its instance. Its stages are complete when they are returned, no request fails, and nothing removes items
 * after their expiry: {@link #remove} does what item TTL would. There are no transactions, so
 * {@link #conditionCheck} is not supported.
 *
 * <p>Nothing to close. Thread-safe.
 */
public final class InMemoryLeaseStore implements LeaseStore {

    private final Clock clock;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, LeaseItem> items = new HashMap<>(); // guarded by lock

    /** Creates an empty store whose replies carry the system's time. */
    public InMemoryLeaseStore() {
        this(Clock.systemUTC());
    }

    /** Creates an empty store whose replies carry this clock's time, cut to the second: it stands for DynamoDB's clock. */
    public InMemoryLeaseStore(Clock clock) {
        this.clock = clock;
    }

    @Override
    public CompletionStage<StoreReply> write(LeaseCommand command, Duration timeout) {
        lock.lock();
        try {
            LeaseItem item = items.get(command.key());
            if (!isAllowed(item, command)) {
                return CompletableFuture.completedFuture(new StoreReply.Refused(item, date(), false));
            }
            apply(item, command);
            return CompletableFuture.completedFuture(applied(item, command));
        } finally {
            lock.unlock();
        }
    }

    private StoreReply applied(@Nullable LeaseItem before, LeaseCommand command) {
        boolean isAcquire = command instanceof AcquireCommand;
        boolean isRelease =
                command instanceof ReleaseCommand release && !(release.form() instanceof ReleaseCommand.Delete);
        Long waitingSince = before != null && (isAcquire || isRelease) ? before.waitingSinceMillis() : null;
        boolean hasRun = before != null && isAcquire && hasRun(before);
        return new StoreReply.Applied(waitingSince, hasRun, date(), false, null);
    }

    @Override
    public CompletionStage<StoreReply> writeAll(CommandGroup group, Duration timeout) {
        lock.lock();
        try {
            return CompletableFuture.completedFuture(writeAll(group.commands()));
        } finally {
            lock.unlock();
        }
    }

    private StoreReply writeAll(List<LeaseCommand> commands) {
        List<StoreReply.Refusal> refusals = commands.stream()
                .filter(command -> !isAllowed(items.get(command.key()), command))
                .map(command -> new StoreReply.Refusal(command.key(), items.get(command.key())))
                .toList();
        if (!refusals.isEmpty()) {
            return new StoreReply.GroupRefused(refusals, date(), false);
        }
        commands.forEach(command -> apply(items.get(command.key()), command));
        return new StoreReply.Applied(null, date(), false);
    }

    private void apply(@Nullable LeaseItem item, LeaseCommand command) {
        LeaseItem written = written(item, command);
        if (written == null) {
            items.remove(command.key());
        } else {
            items.put(command.key(), written);
        }
    }

    private static boolean hasRun(LeaseItem item) {
        return item.lastRun() != null && item.lastRun().name() != null;
    }

    private static boolean isAllowed(@Nullable LeaseItem item, LeaseCommand command) {
        if (command instanceof AcquireCommand acquire) {
            return isFree(item, acquire);
        }
        if (command instanceof RenewCommand renew) {
            return isIn(item, renew.own());
        }
        if (command instanceof ReleaseCommand release) {
            return isIn(item, release.own()) || isIn(item, release.predecessor());
        }
        if (item == null || item.version() == null) {
            return false;
        }
        return command instanceof RevokeCommand revoke
                ? Objects.equals(item.token(), revoke.token())
                : item.waitingSinceMillis() == null;
    }

    private static @Nullable LeaseItem written(@Nullable LeaseItem item, LeaseCommand command) {
        if (command instanceof AcquireCommand acquire) {
            return acquired(item, acquire);
        }
        if (item == null) {
            return null; // no other command is allowed without an item
        }
        if (command instanceof RenewCommand renew) {
            return renewed(item, renew);
        }
        if (command instanceof RevokeCommand revoke) {
            return revoked(item, revoke.form());
        }
        return command instanceof ReleaseCommand release
                ? released(item, release)
                : marked(item, (MarkCommand) command);
    }

    private static boolean isFree(@Nullable LeaseItem item, AcquireCommand command) {
        if (item == null) {
            return true;
        }
        boolean free = item.version() == null
                || isBelow(item.expiry(), command.freeBelow())
                || item.version().equals(command.deadVersion())
                || isIn(item, command.own())
                || isIn(item, command.predecessor());
        boolean open = command.once() == null || !item.isDone(command.once());
        return free && open && (item.token() == null || item.token() < command.token());
    }

    private static boolean isBelow(@Nullable Long value, @Nullable Long bound) {
        return value != null && bound != null && value < bound;
    }

    private static boolean isIn(@Nullable LeaseItem item, @Nullable VersionRange range) {
        return item != null && item.version() != null && range != null && range.contains(item.version());
    }

    private static LeaseItem acquired(@Nullable LeaseItem item, AcquireCommand command) {
        return new LeaseItem(
                command.key(),
                command.version(),
                command.expiry(),
                command.durationMillis(),
                command.token(),
                command.owner(),
                command.acquiredAtMillis(),
                null,
                item == null || command.predecessor() == null ? null : item.waitingSinceMillis(),
                item == null ? null : item.lastRun());
    }

    private static LeaseItem renewed(LeaseItem item, RenewCommand command) {
        return changed(
                item,
                command.version(),
                command.expiry(),
                command.durationMillis(),
                item.releasedAtMillis(),
                item.waitingSinceMillis(),
                item.lastRun());
    }

    private static @Nullable LeaseItem released(LeaseItem item, ReleaseCommand command) {
        ItemRun run = lastRun(item.lastRun(), command.run());
        if (command.form() instanceof ReleaseCommand.Retain retain) {
            return changed(item, null, retain.expiry(), null, retain.releasedAtMillis(), null, run);
        }
        if (command.form() instanceof ReleaseCommand.Hold hold) {
            return changed(
                    item, hold.version(), hold.expiry(), hold.durationMillis(), hold.releasedAtMillis(), null, run);
        }
        return null;
    }

    /** A run without a name leaves the name of the one before. */
    private static @Nullable ItemRun lastRun(@Nullable ItemRun before, @Nullable ItemRun run) {
        if (before == null || run == null || run.name() != null) {
            return run == null ? before : run;
        }
        return new ItemRun(before.name(), run.owner(), run.begunAt(), run.outcome(), run.duration());
    }

    private static LeaseItem revoked(LeaseItem item, RevokeCommand.Form form) {
        if (form instanceof RevokeCommand.Free free) {
            return changed(item, null, free.expiry(), null, free.releasedAtMillis(), null, item.lastRun());
        }
        return changed(
                item,
                ((RevokeCommand.Refuse) form).version(),
                item.expiry(),
                item.durationMillis(),
                item.releasedAtMillis(),
                item.waitingSinceMillis(),
                item.lastRun());
    }

    private static LeaseItem marked(LeaseItem item, MarkCommand command) {
        return changed(
                item,
                item.version(),
                item.expiry(),
                item.durationMillis(),
                item.releasedAtMillis(),
                command.waitingSinceMillis(),
                item.lastRun());
    }

    /** Every write but an acquire leaves the key, the token, the owner and when it was acquired. */
    private static LeaseItem changed(
            LeaseItem item,
            @Nullable String version,
            @Nullable Long expiry,
            @Nullable Long durationMillis,
            @Nullable Long releasedAtMillis,
            @Nullable Long waitingSinceMillis,
            @Nullable ItemRun run) {
        return new LeaseItem(
                item.key(),
                version,
                expiry,
                durationMillis,
                item.token(),
                item.owner(),
                item.acquiredAtMillis(),
                releasedAtMillis,
                waitingSinceMillis,
                run);
    }

    @Override
    public CompletionStage<StoreReply> read(String key, Duration timeout) {
        lock.lock();
        try {
            return CompletableFuture.completedFuture(new StoreReply.Found(items.get(key), date()));
        } finally {
            lock.unlock();
        }
    }

    /** Keys come in their own order; any key can be one to go on after. */
    @Override
    public CompletionStage<StoreReply> list(LeaseScan scan, Duration timeout) {
        lock.lock();
        try {
            List<LeaseItem> examined = items.values().stream()
                    .filter(item -> scan.after() == null || item.key().compareTo(scan.after()) > 0)
                    .sorted(Comparator.comparing(LeaseItem::key))
                    .limit(scan.limit())
                    .toList();
            String next = examined.size() < scan.limit()
                    ? null
                    : examined.get(examined.size() - 1).key();
            List<LeaseItem> found = examined.stream()
                    .filter(item -> item.version() != null && item.key().startsWith(scan.prefix()))
                    .toList();
            return CompletableFuture.completedFuture(new StoreReply.Listed(found, List.of(), next, date(), null));
        } finally {
            lock.unlock();
        }
    }

    private Instant date() {
        return clock.instant().truncatedTo(ChronoUnit.SECONDS);
    }

    /**
     * Not supported: there are no transactions to put it in.
     *
     * @throws UnsupportedOperationException always
     */
    @Override
    public ConditionCheck conditionCheck(String key, long token, String tenure) {
        throw new UnsupportedOperationException(
                "Leases in memory have no condition check: there is no transaction to put it in");
    }

    @Override
    public String name() {
        return "'in memory'";
    }

    /** Returns a copy of what is stored, by key. */
    public Map<String, LeaseItem> items() {
        lock.lock();
        try {
            return Map.copyOf(items);
        } finally {
            lock.unlock();
        }
    }

    /** Returns what is stored of this key, empty if there is no item. */
    public Optional<LeaseItem> item(String key) {
        lock.lock();
        try {
            return Optional.ofNullable(items.get(key));
        } finally {
            lock.unlock();
        }
    }

    /** Stores an item without any condition, in place of the one with the same key: for a test to begin with. */
    public void put(LeaseItem item) {
        lock.lock();
        try {
            items.put(item.key(), item);
        } finally {
            lock.unlock();
        }
    }

    /** Removes an item without any condition, as item TTL does some time after its expiry; nothing if there is none. */
    public void remove(String key) {
        lock.lock();
        try {
            items.remove(key);
        } finally {
            lock.unlock();
        }
    }
}
