package io.leasekit.spring.schedule;

import io.leasekit.LeaseException;
import io.leasekit.LeaseStoreException;
import io.leasekit.internal.Internal;
import io.leasekit.internal.Quietly;
import io.leasekit.text.Text;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fires a method after startup if no node has executed the run of the newest slot (time of the cron expression).
 * Thread-safe.
 *
 * @param within the maximum age of a slot for which the method is fired
 */
@Internal
public record CatchUp(String method, Duration within, Supplier<CompletableFuture<LastRun>> lastRun) {

    private static final Logger log = LoggerFactory.getLogger(CatchUp.class);

    /**
     * Maximum random delay of the read. If nodes start together, the first usually has the lease before the second
     * reads.
     */
    private static final Duration JITTER = Duration.ofSeconds(10);

    /**
     * The last finished run of a key in the table.
     *
     * @param now DynamoDB's time at the read
     * @param name {@code null} if the table shows no finished run
     */
    public record LastRun(Instant now, @Nullable String name) {}

    private record Missed(FiringTask task, Instant slot) {}

    void begin(List<FiringTask> tasks) {
        List<FiringTask> withSlots =
                tasks.stream().filter(task -> task.slots() != null).toList();
        if (!withSlots.isEmpty()) {
            Duration jitter = Duration.ofMillis(ThreadLocalRandom.current().nextLong(JITTER.toMillis()));
            attempt(() -> withSlots.get(0).start(jitter, () -> attempt(() -> read(withSlots))));
        }
    }

    private void read(List<FiringTask> tasks) {
        if (hasFired(tasks)) {
            return;
        }
        var unused = lastRun.get().whenComplete((last, failure) -> {
            if (failure == null) {
                attempt(() -> fire(tasks, last));
            } else {
                failed(
                        failure instanceof CompletionException && failure.getCause() != null
                                ? failure.getCause()
                                : failure);
            }
        });
    }

    /** A method that has fired is not fired for missed slots, because one firing covers all earlier slots. */
    private static boolean hasFired(List<FiringTask> tasks) {
        return tasks.stream().anyMatch(task -> !task.firings().isEmpty());
    }

    private void fire(List<FiringTask> tasks, LastRun last) {
        Missed newest = tasks.stream()
                .map(task -> missed(task, last.now()))
                .filter(Objects::nonNull)
                .max(Comparator.comparing(Missed::slot))
                .orElse(null);
        if (newest == null || newest.slot.isBefore(last.now().minus(within))) {
            log.debug("No slot of '{}' is caught up: there was none in the last {}", method, Text.exact(within));
        } else if (last.name() == null) {
            log.debug("Slot {} of '{}' is not caught up: the key has never run", newest.slot, method);
        } else if (Text.compareAsDynamoDb(last.name(), newest.slot.toString()) >= 0) {
            log.debug("Slot {} of '{}' is not caught up: it is done", newest.slot, method);
        } else if (!hasFired(tasks)) {
            log.info(
                    "Firing '{}' {} late for {}: the table shows no run for that time that is done",
                    method,
                    Text.duration(Duration.between(newest.slot, last.now())),
                    newest.slot);
            newest.task.catchUp(newest.slot);
        }
    }

    private static @Nullable Missed missed(FiringTask task, Instant now) {
        CronSlots slots = task.slots();
        Instant slot = slots == null ? null : slots.lastUntil(now);
        return slot == null ? null : new Missed(task, slot);
    }

    private void attempt(Runnable step) {
        try {
            step.run();
        } catch (Throwable e) { // schedulers of the application may throw anything
            failed(e);
        }
    }

    /** Logs at DEBUG if the manager was closed, because a close is no failure. */
    private void failed(Throwable failure) {
        if (failure instanceof LeaseException && !(failure instanceof LeaseStoreException)) {
            Quietly.run(() -> log.debug("No slot of '{}' is caught up: {}", method, Text.why(failure)));
        } else {
            Quietly.run(() -> log.warn("No slot of '{}' is caught up: {}", method, Text.why(failure)));
        }
    }
}
