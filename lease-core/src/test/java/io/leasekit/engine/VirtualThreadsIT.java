package io.leasekit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.dynamodb.DynamoDbLeaseStore;
import io.leasekit.dynamodb.LeaseTable;
import io.leasekit.dynamodb.local.LocalDynamoDb;
import io.leasekit.time.EngineTime;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** Virtual threads that acquire, wait, renew and release pin no carrier. */
class VirtualThreadsIT {

    private static final String TABLE = "virtual";
    private static final String PINNED = "jdk.VirtualThreadPinned";
    private static final int THREADS = 200;
    private static final int KEYS = 20;

    @TempDir
    Path scratch;

    /** Returns no tests on a JDK without virtual threads, so none is reported as skipped there. */
    @TestFactory
    Stream<DynamicTest> virtualThreads() {
        return Runtime.version().feature() < 21
                ? Stream.of()
                : Stream.of(
                        dynamicTest("pin no carrier", this::pinNoCarrier),
                        dynamicTest("would be seen to pin one", this::wouldBeSeen));
    }

    /** Parks during its class initialization, which pins the carrier on every JDK. */
    private static final class Pinning {
        static {
            LockSupport.parkNanos(EngineTime.MILLI);
        }

        static void load() {}
    }

    private void wouldBeSeen() throws Exception {
        assertThat(pins(() -> virtualThreadPerTask().submit(Pinning::load).get()))
                .isNotEmpty();
    }

    private void pinNoCarrier() throws Exception {
        try (DynamoDbAsyncClient client = LocalDynamoDb.clientBuilder().build()) {
            LeaseTable.of(client, TABLE).createIfMissing();
            try (LeaseManager leases = LeaseManager.builder(DynamoDbLeaseStore.create(client, TABLE))
                    .ttl(Duration.ofSeconds(10))
                    .build()) {
                work(leases, 1); // loads the classes, because a thread that waits for class loading is pinned
                assertThat(pins(() -> work(leases, THREADS))).isEmpty();
            }
        }
    }

    private interface Work {
        void run() throws Exception;
    }

    private List<RecordedEvent> pins(Work work) throws Exception {
        Path file = scratch.resolve("pins.jfr");
        try (Recording recording = new Recording()) {
            recording.enable(PINNED).withThreshold(Duration.ZERO).withStackTrace();
            recording.start();
            work.run();
            recording.stop();
            recording.dump(file);
        }
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().equals(PINNED))
                .toList();
    }

    /** Lets the threads contend for {@value #KEYS} keys, so most of them wait. */
    private static void work(LeaseManager leases, int threads) throws Exception {
        String prefix = UUID.randomUUID().toString();
        ExecutorService executor = virtualThreadPerTask();
        try {
            List<Future<?>> done = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                String key = prefix + thread % KEYS;
                done.add(executor.submit(() -> enterAndLeave(leases, key)));
            }
            for (Future<?> each : done) {
                each.get(10, TimeUnit.MINUTES);
            }
        } finally {
            executor.shutdownNow();
        }
    }

    private static void enterAndLeave(LeaseManager leases, String key) {
        leases.run(LeaseRequest.of(key).waitFor(Duration.ofMinutes(10)), lease -> {
            lease.ensureValid();
            assertThat(lease.remaining()).isPositive();
        });
    }

    /** Uses reflection, because the tests are compiled for a JDK without virtual threads. */
    private static ExecutorService virtualThreadPerTask() throws ReflectiveOperationException {
        return (ExecutorService)
                Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    }
}
