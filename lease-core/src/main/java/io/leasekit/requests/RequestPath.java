package io.leasekit.requests;

import io.leasekit.LeaseManagerStatus;
import io.leasekit.internal.Internal;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.LeaseStore;
import io.leasekit.store.StoreInfo;
import io.leasekit.text.Text;
import io.leasekit.threads.Sender;
import io.leasekit.time.EngineTime;
import java.time.Duration;
import java.util.function.BiConsumer;
import java.util.random.RandomGenerator;

/** The objects of one manager that send requests to the table and process the replies. */
@Internal
public record RequestPath(
        MeasuredStore store,
        BoundedClock clock,
        RequestLimiter limiter,
        Requests requests,
        ClockSync sync,
        TableState state) {

    /** {@code onJump} runs on any thread, after the clock has noticed a jump. */
    public static RequestPath of(
            LeaseStore table,
            RequestRules rules,
            EngineTime time,
            Sender sender,
            RandomGenerator random,
            MeasuredStore.Meter meter,
            Runnable onJump,
            BiConsumer<LeaseItem, Requests.Reply> seen,
            TableState state) {
        MeasuredStore store = new MeasuredStore(table, time, meter);
        BoundedClock clock = new BoundedClock(time, rules, onJump);
        BatchBackoff backoff = new BatchBackoff(time, store.info());
        String name = store.info().name();
        Replies replies = new Replies(name, time, clock, seen, state);
        Requests requests = new Requests(store, replies, clock, rules, time, sender, backoff, random);
        ClockSync sync = new ClockSync(requests, rules, clock, time, random, name);
        return new RequestPath(store, clock, requests.limiter(), requests, sync, state);
    }

    public LeaseManagerStatus status(String owner, Duration ttl, int held, int waiting, int overdue, int passive) {
        long now = clock.now();
        MeasuredStore.Traffic traffic = store.traffic();
        StoreInfo info = store.info();
        BoundedClock.Interval interval = clock.at(now);
        return new LeaseManagerStatus(
                owner,
                ttl,
                held,
                waiting,
                overdue,
                passive,
                MeasuredStore.since(traffic.success(), now),
                MeasuredStore.since(traffic.failure(), now),
                MeasuredStore.since(traffic.failing(), now),
                interval == null ? null : Duration.ofMillis(clock.wallMillisAhead(interval)),
                interval == null ? null : Duration.ofNanos((interval.latest() - interval.earliest()) / 2),
                info.hasTransactions(),
                info.problem(),
                traffic.error() == null ? null : Text.brief(traffic.error()));
    }
}
