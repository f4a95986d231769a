package io.leasekit.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseWatch;
import io.leasekit.LeaseWatch.Free;
import io.leasekit.LeaseWatch.Held;
import io.leasekit.LeaseWatch.State;
import io.leasekit.dynamodb.local.LocalDynamoDb;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** Watches of another process's leases on DynamoDB Local. */
@Tag("full")
class WatchIT {

    private final Wire wire = new Wire();
    private final DynamoDbAsyncClient client = LocalDynamoDb.clientBuilder()
            .overrideConfiguration(LocalTable.withoutRetries(wire))
            .build();
    private final LeaseManager leases = LocalTable.leases(client).owner("here").build();
    private final LeaseManager others = LocalTable.leases(client).owner("other").build();
    private final String key = UUID.randomUUID().toString();

    @AfterEach
    void close() {
        leases.close();
        others.close();
        client.close();
    }

    @Test
    void anotherProcessIsShownFromItsAcquireToItsRelease() throws Exception {
        List<State> states = new CopyOnWriteArrayList<>();
        leases.watch(key, states::add);
        Awaitility.await().atMost(Duration.ofMinutes(10)).until(() -> states.size() == 1);
        Lease theirs = others.acquire(key);
        Awaitility.await().atMost(Duration.ofMinutes(10)).until(() -> states.size() == 2);
        CompletableFuture<Boolean> free =
                CompletableFuture.supplyAsync(() -> leases.awaitFree(key, Duration.ofMinutes(10)));
        assertThat(leases.awaitFree(key, Duration.ZERO)).isFalse();

        theirs.close();

        assertThat(free.get(10, TimeUnit.MINUTES)).isTrue();
        Awaitility.await().atMost(Duration.ofMinutes(10)).until(() -> states.size() == 3);
        assertThat(states)
                .containsExactly(
                        new Free(key, 0),
                        new Held(key, "other", theirs.fencingToken()),
                        new Free(key, theirs.fencingToken()));
    }

    @Test
    void tenWatchesOfOneKeyCostAboutOneReadASecond() {
        List<LeaseWatch.State> states = new CopyOnWriteArrayList<>();
        for (int i = 0; i < 10; i++) {
            leases.watch(key, states::add);
        }
        Awaitility.await().atMost(Duration.ofMinutes(10)).until(() -> states.size() == 10);
        Awaitility.await()
                .atMost(Duration.ofMinutes(10))
                .pollDelay(Duration.ofSeconds(2))
                .until(() -> true); // the pauses have grown to a second
        long begun = System.nanoTime();
        int before = wire.count(any -> true);

        Awaitility.await().atMost(Duration.ofMinutes(10)).until(() -> wire.count(any -> true) >= before + 4);

        int sent = wire.count(any -> true) - before;
        Duration took = Duration.ofNanos(System.nanoTime() - begun);
        assertThat(sent).isLessThanOrEqualTo((int) took.toSeconds() + 2); // both ends included
        assertThat(wire.sent(any -> true)).allMatch(Wire::isRead);
    }

    @Test
    void aThousandWatchedKeysNeedNoThreadEach() {
        List<State> states = new CopyOnWriteArrayList<>();
        leases.watch(key, states::add);
        Awaitility.await().atMost(Duration.ofMinutes(10)).until(() -> states.size() == 1);
        long before = threads();

        List<LeaseWatch> watches = IntStream.range(0, 1_000)
                .mapToObj(i -> leases.watch(key + "-" + i, states::add))
                .toList();

        Awaitility.await().atMost(Duration.ofMinutes(10)).until(() -> states.size() == 1_001);
        assertThat(threads() - before).isLessThanOrEqualTo(4); // of the executor for callbacks
        watches.forEach(LeaseWatch::close);
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("lease-"))
                .count();
    }
}
