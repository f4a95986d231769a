package io.leasekit.memory;

import io.leasekit.AcquireCommand;
import io.leasekit.LeaseItem;
import io.leasekit.LeaseStore;
import io.leasekit.ReleaseCommand;
import io.leasekit.RenewCommand;
import io.leasekit.StoreReply;
import io.leasekit.VersionRange;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;

public final class InMemoryLeaseStore implements LeaseStore {

    private final Map<String, LeaseItem> items = new ConcurrentHashMap<>();
    private final Clock clock;

    public InMemoryLeaseStore() {
        this(Clock.systemUTC());
    }

    public InMemoryLeaseStore(Clock clock) {
        this.clock = clock;
    }

    @Override
    public CompletionStage<StoreReply> acquire(AcquireCommand c, Duration timeout) {
        return write(
                c.key(),
                item -> isFree(item, c) && (item == null || item.token() == null || item.token() < c.token()),
                item -> new LeaseItem(
                        c.key(),
                        c.version(),
                        c.expiry(),
                        c.durationMillis(),
                        c.token(),
                        c.owner(),
                        c.acquiredAtMillis(),
                        null));
    }

    private static boolean isFree(@Nullable LeaseItem item, AcquireCommand c) {
        if (item == null || item.version() == null) {
            return true;
        }
        return (c.freeBelow() != null && item.expiry() != null && item.expiry() < c.freeBelow())
                || item.version().equals(c.deadVersion())
                || (c.own() != null && c.own().contains(item.version()));
    }

    @Override
    public CompletionStage<StoreReply> renew(RenewCommand c, Duration timeout) {
        return write(
                c.key(),
                item -> isIn(item, c.own()),
                item -> new LeaseItem(
                        item.key(),
                        c.version(),
                        c.expiry(),
                        c.durationMillis(),
                        item.token(),
                        item.owner(),
                        item.acquiredAtMillis(),
                        item.releasedAtMillis()));
    }

    @Override
    public CompletionStage<StoreReply> release(ReleaseCommand c, Duration timeout) {
        return write(c.key(), item -> isIn(item, c.own()), item -> {
            if (c.form() instanceof ReleaseCommand.Retain retain) {
                return new LeaseItem(
                        item.key(),
                        null,
                        retain.expiry(),
                        null,
                        item.token(),
                        item.owner(),
                        item.acquiredAtMillis(),
                        retain.releasedAtMillis());
            }
            if (c.form() instanceof ReleaseCommand.Hold hold) {
                return new LeaseItem(
                        item.key(),
                        hold.version(),
                        hold.expiry(),
                        hold.durationMillis(),
                        item.token(),
                        item.owner(),
                        item.acquiredAtMillis(),
                        hold.releasedAtMillis());
            }
            return null;
        });
    }

    private static boolean isIn(@Nullable LeaseItem item, VersionRange own) {
        return item != null && item.version() != null && own.contains(item.version());
    }

    private CompletionStage<StoreReply> write(
            String key, Predicate<@Nullable LeaseItem> condition, UnaryOperator<LeaseItem> change) {
        StoreReply[] reply = new StoreReply[1];
        items.compute(key, (k, item) -> {
            if (!condition.test(item)) {
                reply[0] = new StoreReply.Refused(item, date(), false);
                return item;
            }
            reply[0] = new StoreReply.Applied(date(), false);
            return change.apply(item);
        });
        return CompletableFuture.completedFuture(reply[0]);
    }

    private Instant date() {
        return clock.instant().truncatedTo(ChronoUnit.SECONDS);
    }

    @Override
    public CompletionStage<StoreReply> read(String key, Duration timeout) {
        return CompletableFuture.completedFuture(new StoreReply.Found(items.get(key), date()));
    }

    public Optional<LeaseItem> item(String key) {
        return Optional.ofNullable(items.get(key));
    }

    public void put(LeaseItem item) {
        items.put(item.key(), item);
    }

    public void remove(String key) {
        items.remove(key);
    }

    @Override
    public ConditionCheck conditionCheck(String key, long token, String tenure) {
        throw new UnsupportedOperationException("An in-memory lease store takes part in no transaction");
    }

    @Override
    public String name() {
        return "in-memory";
    }
}
