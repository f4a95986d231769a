package io.leasekit.benchmarks;

import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The measured libraries, each with its defaults and with its best reasonable settings. */
enum Contender {
    RAW_NETTY("raw writes, Netty", "two conditional writes"),
    RAW_APACHE("raw writes, Apache 5", "two conditional writes"),
    REPLAY_NETTY("Leasekit's writes, Netty", "sent without Leasekit"),
    REPLAY_APACHE("Leasekit's writes, Apache 5", "sent without Leasekit"),
    POLL_NETTY("Leasekit's writes, polled", "tries again after 100 ms, without Leasekit"),
    LEASEKIT("Leasekit", "default"),
    LEASEKIT_BACKGROUND("Leasekit", "release in background"),
    AWS("AWS lock client", "default"),
    AWS_BEST("AWS lock client", "looks every 20 ms"),
    SHEDLOCK("ShedLock", "called again every 100 ms"),
    SHEDLOCK_BEST("ShedLock", "called again every 20 ms"),
    SHEDLOCK_NETTY("ShedLock, Netty", "called again every 100 ms"),
    SPRING("Spring lock registry", "default"),
    SPRING_BEST("Spring lock registry", "tries every 20 ms"),
    LOOP_SINGLE("plain loop", "16 requests in flight, single writes"),
    LOOP_BATCHED("plain loop", "16 requests in flight, batches of 25");

    /** Contenders that can wait for a lock. */
    static final List<Contender> WAITING = List.of(
            LEASEKIT, LEASEKIT_BACKGROUND, AWS, AWS_BEST, SHEDLOCK, SHEDLOCK_BEST, SHEDLOCK_NETTY, SPRING, SPRING_BEST);
    /** Contenders with several permits of a key; ShedLock by as many names of locks. */
    static final List<Contender> WITH_PERMITS =
            List.of(LEASEKIT, LEASEKIT_BACKGROUND, POLL_NETTY, SHEDLOCK, SHEDLOCK_BEST, SHEDLOCK_NETTY);
    /** Contenders without contention, where the pause between two polls does not matter. */
    static final List<Contender> UNCONTENDED = List.of(
            RAW_NETTY, RAW_APACHE, REPLAY_NETTY, REPLAY_APACHE, LEASEKIT, LEASEKIT_BACKGROUND, AWS, SHEDLOCK, SPRING);

    private static final long BEST_PAUSE_MILLIS = 20;

    private final String title;
    private final String settings;

    Contender(String title, String settings) {
        this.title = title;
        this.settings = settings;
    }

    /** Opens locks that one caller holds at a time. */
    Locks open(URI endpoint) {
        return open(endpoint, 1);
    }

    /** Opens locks that so many callers may hold at a time. */
    Locks open(URI endpoint, int permits) {
        if (permits > 1 && !WITH_PERMITS.contains(this)) {
            throw new IllegalArgumentException(this + " has no permits");
        }
        return switch (this) {
            case RAW_NETTY -> RawLocks.netty(endpoint);
            case RAW_APACHE -> RawLocks.apache(endpoint);
            case REPLAY_NETTY -> ReplayedLocks.netty(endpoint);
            case REPLAY_APACHE -> ReplayedLocks.apache(endpoint);
            case POLL_NETTY -> new PolledLocks(endpoint, 5 * BEST_PAUSE_MILLIS, permits);
            case LEASEKIT -> new LeasekitLocks(endpoint, false, permits);
            case LEASEKIT_BACKGROUND -> new LeasekitLocks(endpoint, true, permits);
            case AWS -> new AwsLocks(endpoint, AwsLocks.DEFAULT_REFRESH_MILLIS);
            case AWS_BEST -> new AwsLocks(endpoint, BEST_PAUSE_MILLIS);
            case SHEDLOCK -> new ShedLockLocks(Clients.sync(endpoint), 5 * BEST_PAUSE_MILLIS, permits);
            case SHEDLOCK_BEST -> new ShedLockLocks(Clients.sync(endpoint), BEST_PAUSE_MILLIS, permits);
            case SHEDLOCK_NETTY -> new ShedLockLocks(Clients.overNetty(endpoint), 5 * BEST_PAUSE_MILLIS, permits);
            case SPRING -> new SpringLocks(endpoint, SpringLocks.DEFAULT_IDLE_MILLIS);
            case SPRING_BEST -> new SpringLocks(endpoint, BEST_PAUSE_MILLIS);
            case LOOP_SINGLE, LOOP_BATCHED -> throw new IllegalArgumentException(this + " only holds locks");
        };
    }

    String title() {
        return title;
    }

    String settings() {
        return settings;
    }

    /** Returns the raw writes with the same kind of HTTP client. */
    Contender yardstick() {
        return List.of(
                                RAW_NETTY,
                                REPLAY_NETTY,
                                POLL_NETTY,
                                LEASEKIT,
                                LEASEKIT_BACKGROUND,
                                SHEDLOCK_NETTY,
                                SPRING,
                                SPRING_BEST)
                        .contains(this)
                ? RAW_NETTY
                : RAW_APACHE;
    }

    /**
     * Returns the contenders whose names contain one of the words, or all if there are no words.
     *
     * @throws IllegalArgumentException if no contender has a word in its name
     */
    static List<Contender> chosen(List<Contender> among, List<String> words) {
        for (String word : words) {
            if (Arrays.stream(values()).noneMatch(contender -> contender.has(word))) {
                throw new IllegalArgumentException("No contender has the word '" + word
                        + "' in its name, expected words of " + Arrays.toString(values()));
            }
        }
        return among.stream()
                .filter(contender -> words.isEmpty() || words.stream().anyMatch(contender::has))
                .toList();
    }

    private boolean has(String word) {
        return Arrays.asList(name().split("_")).contains(word.toUpperCase(Locale.ROOT));
    }
}
