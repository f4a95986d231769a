package io.leasekit.storm;

import io.leasekit.Lease;
import io.leasekit.LeaseAlreadyRanException;
import io.leasekit.LeaseException;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.OnceOrder;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A thread that asks for one lease after the other, in ways that it draws. Several threads of a process ask for few keys, so
 * leases are also handed over within the process.
 */
final class Caller implements Runnable {

    private static final long PAUSE_MILLIS = 150;

    /** A way to ask for a lease. */
    private enum Way {
        PLAIN,
        WAITING,
        ASYNCHRONOUS,
        SEVERAL_KEYS,
        LIMITED,
        PASSIVE,
        EXTENDED,
        ONCE,
        ONCE_GROWING,
        PERMITS
    }

    private static final List<Way> WAYS = List.of(Way.values());

    private final StormNode node;
    private final Random random;
    private final List<Way> ways;
    private final List<String> keys;

    Caller(StormNode node, long seed) {
        this(node, seed, WAYS, Scene.KEYS);
    }

    private Caller(StormNode node, long seed, List<Way> ways, List<String> keys) {
        this.node = node;
        this.random = new Random(seed);
        this.ways = ways;
        this.keys = keys;
    }

    /** Returns a caller that asks for the traced key alone. One that is to need renewals waits for it, and is renewed. */
    static Caller ofTraced(StormNode node, long seed) {
        List<Way> ways = node.holdsLong()
                ? List.of(Way.WAITING)
                : List.of(Way.PLAIN, Way.WAITING, Way.ASYNCHRONOUS, Way.LIMITED, Way.PASSIVE, Way.EXTENDED);
        return new Caller(node, seed, ways, List.of(Scene.TRACED));
    }

    @Override
    public void run() {
        while (!node.isEnding()) {
            try {
                call(ways.get(random.nextInt(ways.size())));
                node.pause(random.nextInt((int) PAUSE_MILLIS));
            } catch (InterruptedException e) {
                return;
            } catch (RuntimeException e) {
                node.record(Event.of("unexpected").with(Event.OUTCOME, e.toString()));
            }
        }
    }

    private void call(Way way) throws InterruptedException {
        LeaseRequest request = request(way);
        node.record(Event.of("attempt")
                .keys(way == Way.PERMITS ? Scene.permitItems() : request.keys())
                .with("way", way.name())
                .with(Event.FROM, System.nanoTime()));
        Duration limit = request.holdAtMost();
        Optional<Lease> lease = acquire(request, way);
        if (lease.isPresent()) {
            if (way == Way.EXTENDED) {
                extend(lease.get());
            }
            new Holding(node, lease.get(), random).run(limit == null ? length() : limit.plusMillis(500));
        }
    }

    /** Makes the lease valid for longer than the ttl. */
    private void extend(Lease lease) {
        try {
            lease.extend(Scene.TTL.plusMillis(random.nextInt(2_000)));
        } catch (LeaseException e) {
            // lost, or not confirmed: the samples show how long it is valid
        }
    }

    private Duration length() {
        if (node.holdsLong()) {
            return Scene.TTL.multipliedBy(3);
        }
        int draw = random.nextInt(10);
        if (draw == 0) {
            return Scene.TTL.plusMillis(random.nextInt(1_500)); // needs renewals
        }
        return Duration.ofMillis(20 + random.nextInt(draw < 3 ? 1_500 : 250));
    }

    private LeaseRequest request(Way way) {
        String key = keys.get(random.nextInt(keys.size()));
        LeaseRequest plain = LeaseRequest.of(key);
        return switch (way) {
            case PLAIN -> plain;
            case WAITING, ASYNCHRONOUS, EXTENDED -> plain.waitFor(wait(5_000));
            case SEVERAL_KEYS -> LeaseRequest.ofAll(key, another(key)).waitFor(wait(2_000));
            case LIMITED -> plain.waitFor(wait(2_000)).holdAtMost(Duration.ofMillis(600 + random.nextInt(1_500)));
            case PASSIVE -> plain.waitFor(wait(2_000)).passive();
            case ONCE -> LeaseRequest.of(Scene.JOB).waitFor(wait(1_000)).once(slot());
            case ONCE_GROWING ->
                LeaseRequest.of(Scene.GROWING_JOB).waitFor(wait(1_000)).once(slot(), OnceOrder.GROWING);
            case PERMITS -> LeaseRequest.of(Scene.EXPORT).permits(Scene.PERMITS).waitFor(wait(2_000));
        };
    }

    private Duration wait(int atMostMillis) {
        return Duration.ofMillis(random.nextInt(atMostMillis));
    }

    private String another(String key) {
        int index = Scene.KEYS.indexOf(key) + 1 + random.nextInt(Scene.KEYS.size() - 1);
        return Scene.KEYS.get(index % Scene.KEYS.size());
    }

    /** Returns a name that all processes agree on and that grows with time. */
    private static String slot() {
        return "%015d".formatted(System.nanoTime() / Scene.SLOT.toNanos());
    }

    private Optional<Lease> acquire(LeaseRequest request, Way way) throws InterruptedException {
        long from = System.nanoTime();
        String why = "held";
        try {
            Optional<Lease> lease = way == Way.ASYNCHRONOUS
                    ? acquireAsync(request)
                    : Optional.of(node.leases().acquire(request));
            if (lease.isPresent()) {
                node.record(granted(lease.get(), request, from));
                return lease;
            }
        } catch (LeaseUnavailableException e) {
            why = "held";
        } catch (LeaseAlreadyRanException e) {
            why = "already ran";
        } catch (LeaseException e) {
            why = "failed";
        }
        Event refused = Event.of("refused")
                .keys(request.keys())
                .with(Event.OUTCOME, why)
                .between(from, System.nanoTime());
        node.record(withRun(refused, request.once()));
        return Optional.empty();
    }

    private static Event granted(Lease lease, LeaseRequest request, long from) {
        Event granted = LeaseWork.granted(lease).between(from, System.nanoTime());
        Duration limit = request.holdAtMost();
        if (limit != null) {
            granted.with("limit", limit.toNanos());
        }
        return withRun(granted, request.once());
    }

    private static Event withRun(Event event, @Nullable String run) {
        return run == null ? event : event.with(Event.RUN, run);
    }

    /** Gives the acquire up after a while, which may come at the moment of the grant. */
    private Optional<Lease> acquireAsync(LeaseRequest request) throws InterruptedException {
        CompletableFuture<Optional<Lease>> lease = node.leases().acquireAsync(request);
        try {
            return lease.get(random.nextInt(3_000), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            return lease.cancel(false) ? Optional.empty() : completed(lease);
        } catch (ExecutionException e) {
            throw unwrapped(e.getCause(), e);
        }
    }

    private static Optional<Lease> completed(CompletableFuture<Optional<Lease>> lease) {
        try {
            return lease.join();
        } catch (CompletionException e) {
            throw unwrapped(e.getCause(), e);
        }
    }

    private static RuntimeException unwrapped(@Nullable Throwable cause, Exception error) {
        return cause instanceof RuntimeException expected ? expected : new IllegalStateException(error);
    }
}
