package io.leasekit.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import com.amazonaws.services.dynamodbv2.AcquireLockOptions;
import com.amazonaws.services.dynamodbv2.LockItem;
import com.amazonaws.services.dynamodbv2.model.LockCurrentlyUnavailableException;
import com.amazonaws.services.dynamodbv2.model.LockNotGrantedException;
import io.leasekit.ForcedRelease;
import io.leasekit.Lease;
import io.leasekit.LeaseInfo;
import io.leasekit.LeaseLostException;
import io.leasekit.LeaseStoreException;
import io.leasekit.LeaseUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The steps of docs/coming-from.md with the lock client itself: no two nodes work at once. */
@Timeout(600)
class FromAwsLockClientIT {

    private static final int ENOUGH = 20; // sections of a release
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger together = new AtomicInteger();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    @BeforeEach
    void createTables() {
        AwsLockClientNode.createTables();
    }

    /** The releases of the page, in their order. */
    private enum Release {
        BEFORE,
        BOTH,
        AFTER;

        private final AtomicInteger sections = new AtomicInteger();

        void run(FromAwsLockClientExamples examples, boolean waits) throws InterruptedException {
            switch (this) {
                case BEFORE -> {
                    if (waits) {
                        examples.importWhenFree();
                    } else {
                        examples.importIfFree();
                    }
                }
                case BOTH -> {
                    if (waits) {
                        examples.importWhenFreeByBoth();
                    } else {
                        examples.importIfFreeByBoth();
                    }
                }
                case AFTER -> {
                    if (waits) {
                        examples.importWhenFreeByLease();
                    } else {
                        examples.importIfFreeByLease();
                    }
                }
            }
        }
    }

    /** A node of one release, which works in a loop until it is stopped. */
    private final class Loop {

        private final Thread thread;
        private volatile boolean stopped;

        Loop(Release release, long seed) {
            thread = new Thread(() -> loop(release, new Random(seed)), release + "-" + seed);
            thread.start();
        }

        private void loop(Release release, Random random) {
            try (AwsLockClientNode node = AwsLockClientNode.robust(() -> section(release))) {
                while (!stopped) {
                    attempt(release, node, random.nextInt(5) == 0);
                    Thread.sleep(random.nextInt(20));
                }
            } catch (Throwable e) {
                failure.compareAndSet(null, e);
            }
        }

        private static void attempt(Release release, AwsLockClientNode node, boolean waits)
                throws InterruptedException {
            try {
                release.run(node.examples, waits);
            } catch (LockNotGrantedException | LeaseUnavailableException | LeaseLostException | LeaseStoreException e) {
                // another node was faster, or this one was starved
            }
        }

        void stop() throws InterruptedException {
            stopped = true;
            thread.join();
        }
    }

    private void section(Release release) {
        if (inside.incrementAndGet() > 1) {
            together.incrementAndGet();
        }
        release.sections.incrementAndGet();
        sleep(Duration.ofMillis(10));
        inside.decrementAndGet();
    }

    /** Waits until a release has worked often enough, however slow the machine is. */
    private void awaitSections(Release release) {
        await("work of release " + release)
                .atMost(PATIENCE)
                .until(() -> release.sections.get() > ENOUGH || failure.get() != null);
    }

    private static void sleep(Duration time) {
        try {
            Thread.sleep(time.toMillis());
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void threeNodesAreRolledFromReleaseToReleaseAndBackAndNeverWorkTogether() throws Exception {
        List<Loop> nodes = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            nodes.add(new Loop(Release.BEFORE, i));
        }
        awaitSections(Release.BEFORE);
        for (Release next : List.of(Release.BOTH, Release.AFTER, Release.BOTH, Release.BEFORE)) {
            for (int i = 0; i < 3; i++) {
                sleep(Duration.ofMillis(800));
                nodes.remove(0).stop();
                nodes.add(new Loop(next, 10 * next.ordinal() + i));
            }
            awaitSections(next);
        }
        sleep(Duration.ofMillis(800));
        for (Loop node : nodes) {
            node.stop();
        }

        assertThat(failure.get()).isNull();
        assertThat(Release.values())
                .allSatisfy(release -> assertThat(release.sections.get())
                        .as("sections of release %s", release)
                        .isGreaterThan(ENOUGH));
        assertThat(together).as("sections in which two nodes worked").hasValue(0);
    }

    @Test
    void withoutTheReleaseWithBothTwoNodesWorkAtOnce() throws Exception {
        List<String> working = new ArrayList<>();
        try (AwsLockClientNode after = AwsLockClientNode.alive(() -> working.add("after"));
                AwsLockClientNode before = AwsLockClientNode.alive(() -> {
                    working.add("before");
                    after.examples.importIfFreeByLease();
                })) {
            before.examples.importIfFree();
        }

        assertThat(working).containsExactly("before", "after"); // the second one while the first one works
    }

    @Test
    void aNodeWithBothWaitsForTheLockOfADeadNodeOfTheReleaseBefore() throws Exception {
        AtomicReference<LockItem> dead = new AtomicReference<>();
        try (AwsLockClientNode crashed = AwsLockClientNode.withoutHeartbeats(() -> {});
                AwsLockClientNode both = AwsLockClientNode.alive(
                        () -> assertThat(dead.get().isExpired()).isTrue())) {
            dead.set(lock(crashed));

            both.examples.importIfFreeByBoth(); // does not work, as the assertion in its work shows
            both.examples.importWhenFreeByBoth();
        }
    }

    @Test
    void aNodeOfTheReleaseBeforeWaitsForTheLockOfADeadNodeWithBoth() throws Exception {
        AtomicReference<LockItem> dead = new AtomicReference<>();
        try (AwsLockClientNode crashed = AwsLockClientNode.withoutHeartbeats(() -> {});
                AwsLockClientNode before = AwsLockClientNode.alive(
                        () -> assertThat(dead.get().isExpired()).isTrue())) {
            Lease lease = crashed.leases.acquire("import");
            dead.set(lock(crashed));
            crashed.leases.close(); // does not release the lease, as its work may still run

            before.examples.importWhenFree();

            assertThat(lease.isValid()).isFalse();
        }
    }

    @Test
    void aNodeOfTheReleaseAfterWaitsForTheLeaseOfADeadNodeWithBoth() throws Exception {
        AtomicReference<Long> crash = new AtomicReference<>();
        try (AwsLockClientNode crashed = AwsLockClientNode.withoutHeartbeats(() -> {});
                AwsLockClientNode after =
                        AwsLockClientNode.alive(() -> assertThat(Duration.ofNanos(System.nanoTime() - crash.get()))
                                .isGreaterThanOrEqualTo(AwsLockClientNode.DURATION.minusMillis(100)))) {
            crash.set(System.nanoTime());
            crashed.leases.acquire("import");
            lock(crashed);
            crashed.leases.close();

            after.examples.importIfFreeByLease(); // does not work, as the assertion in its work shows
            after.examples.importWhenFreeByLease();
        }
    }

    @Test
    void aNodeWithBothThatLosesItsLeaseWhileItWaitsForTheLockDoesNotWork() throws Exception {
        AtomicInteger worked = new AtomicInteger();
        try (AwsLockClientNode before = AwsLockClientNode.robust(() -> {});
                AwsLockClientNode both = AwsLockClientNode.robust(worked::incrementAndGet)) {
            LockItem lock = lock(before);
            CompletableFuture<Throwable> end =
                    CompletableFuture.supplyAsync(() -> catchThrowable(both.examples::importWhenFreeByBoth));
            await().atMost(PATIENCE).until(() -> !both.leases.held().isEmpty());
            LeaseInfo lease = await().ignoreExceptionsInstanceOf(LeaseStoreException.class)
                    .atMost(PATIENCE)
                    .until(() -> before.leases.find("import"), Optional::isPresent)
                    .orElseThrow();
            before.leases.forceRelease("import", lease.fencingToken(), ForcedRelease.TwoMayRun.IMMEDIATELY);
            await().atMost(PATIENCE).until(() -> both.leases.held().isEmpty());
            lock.close();

            assertThat(end.get()).isInstanceOf(LeaseLostException.class);
        }
        assertThat(worked).hasValue(0);
    }

    @Test
    void theLockClientSkipsADeadLockAtTheFirstAttempt() throws Exception {
        AtomicInteger worked = new AtomicInteger();
        try (AwsLockClientNode crashed = AwsLockClientNode.withoutHeartbeats(() -> {});
                AwsLockClientNode before = AwsLockClientNode.alive(worked::incrementAndGet)) {
            LockItem dead = lock(crashed);
            sleep(AwsLockClientNode.DURATION.plusMillis(200));
            assertThat(dead.isExpired()).isTrue();

            AcquireLockOptions options = AcquireLockOptions.builder("import")
                    .withShouldSkipBlockingWait(true)
                    .build();
            assertThatThrownBy(() -> before.locks.tryAcquireLock(options))
                    .isInstanceOf(LockCurrentlyUnavailableException.class); // not empty
            sleep(AwsLockClientNode.DURATION.plusMillis(200));
            before.examples.importIfFree();
        }
        assertThat(worked).hasValue(1);
    }

    private static LockItem lock(AwsLockClientNode node) throws InterruptedException {
        return node.locks.acquireLock(AcquireLockOptions.builder("import").build());
    }
}
