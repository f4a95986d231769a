package io.leasekit.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.LeaseInfo;
import io.leasekit.LeaseManager;
import io.leasekit.LeasePage;
import io.leasekit.LeaseQuery;
import io.leasekit.LeaseRequest;
import io.leasekit.dynamodb.local.LocalDynamoDb;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.SdkRequest;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemRequest;

/** Permits in a table, and the number of requests that they cost. */
class PermitsIT {

    private final Wire wire = new Wire();
    private final DynamoDbAsyncClient client = LocalDynamoDb.clientBuilder()
            .overrideConfiguration(LocalTable.withoutRetries(wire))
            .build();
    private final LeaseManager leases = LocalTable.leases(client).build();
    private final LeaseManager others = LocalTable.leases(LocalTable.client()).build();
    private final String key = UUID.randomUUID().toString();
    private final LeaseRequest two = LeaseRequest.of(key).permits(2);

    @AfterEach
    void close() {
        others.close();
        leases.close();
        client.close();
    }

    private static boolean isLook(SdkRequest request) {
        return request instanceof BatchGetItemRequest;
    }

    private int countOf(Runnable step) {
        int before = wire.count(any -> true);
        step.run();
        return wire.count(any -> true) - before;
    }

    @OneOfThree
    void aFreePermitCostsOneAcquireAndOneRelease() {
        leases.tryAcquire("first-" + key).orElseThrow().close();

        assertThat(countOf(() -> leases.tryAcquire(two).orElseThrow().close())).isEqualTo(2);
        assertThat(wire.count(PermitsIT::isLook)).isZero();
    }

    @OneOfThree
    void aSlotThatAnotherHasCostsTwoAcquiresAndOneRead() {
        Lease mine = leases.tryAcquire(two).orElseThrow();
        Lease theirs = others.tryAcquire(two).orElseThrow();
        mine.close(); // the slot last used here is asked for first
        Lease taken = others.tryAcquire(two).orElseThrow();
        theirs.close();

        assertThat(countOf(() -> assertThat(leases.tryAcquire(two)).isPresent()))
                .isEqualTo(3);
        assertThat(wire.count(PermitsIT::isLook)).isEqualTo(1);
        assertThat(List.of(taken.slot(), theirs.slot())).containsExactlyInAnyOrder(0, 1);
    }

    @Test
    void waitingCostsAtMostOneRequestASecondFromTheThirdSecondOn() throws Exception {
        assertThat(Stream.generate(() -> others.tryAcquire(two)).limit(2)).allMatch(Optional::isPresent);
        CompletableFuture<Optional<Lease>> waiter = leases.acquireAsync(two.waitFor(Duration.ofMinutes(10)));
        delay(Duration.ofSeconds(2));

        long begun = System.nanoTime();
        int before = wire.count(any -> true);
        Awaitility.await().atMost(Duration.ofMinutes(10)).until(() -> wire.count(any -> true) >= before + 4);
        int sent = wire.count(any -> true) - before;
        Duration took = Duration.ofNanos(System.nanoTime() - begun);

        assertThat(sent).isLessThanOrEqualTo((int) took.toSeconds() + 2); // both ends included
        assertThat(waiter).isNotDone();
    }

    private static void delay(Duration time) throws Exception {
        CompletableFuture.runAsync(() -> {}, CompletableFuture.delayedExecutor(time.toMillis(), TimeUnit.MILLISECONDS))
                .get(10, TimeUnit.MINUTES);
    }

    @Test
    void theTableShowsEachPermitWithItsSlotAndTheirNumber() {
        Lease lease = leases.tryAcquire(two).orElseThrow();

        LeaseInfo found = LocalTable.read(() -> leases.find(key + "#permit=" + lease.slot()))
                .orElseThrow();

        assertThat(found.fencingToken()).isEqualTo(lease.fencingToken());
        assertThat(found.permits()).isEqualTo(2);
        LeasePage page = LocalTable.read(() -> leases.list(LeaseQuery.startingWith(key)));
        assertThat(page.leases())
                .usingRecursiveFieldByFieldElementComparatorIgnoringFields("expiresAt") // an estimate of each reply
                .containsExactly(found);
    }

    @Test
    void theCheckOfAWriteIsThatOfTheSlot() {
        Lease lease = leases.tryAcquire(two).orElseThrow();

        assertThat(lease.conditionCheck().key().get(Attributes.KEY).s()).isEqualTo(key + "#permit=" + lease.slot());
    }
}
