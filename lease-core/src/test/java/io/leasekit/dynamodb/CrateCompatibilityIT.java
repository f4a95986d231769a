package io.leasekit.dynamodb;

import static io.leasekit.dynamodb.Attributes.number;
import static io.leasekit.dynamodb.Attributes.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.ForcedRelease;
import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.store.LeaseItem;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;

/** A table shared with clients of the Rust crate {@code dynamodb-lease}, whose requests are reproduced here. */
class CrateCompatibilityIT {

    private final DynamoDbAsyncClient client = LocalTable.client();
    private final LeaseManager leases =
            LocalTable.leases(client).owner("node-1").build();
    private final String key = UUID.randomUUID().toString();

    @AfterEach
    void close() {
        leases.close();
    }

    @Test
    void theCrateIsRefusedWhileWeHoldTheLease() {
        Lease lease = leases.tryAcquire(key).orElseThrow();

        assertThat(crateAcquires("crate-1", 60)).isFalse();
        assertThat(crateRenews("crate-1", "crate-2", 60)).isFalse();
        assertThat(crateDeletes("crate-1")).isFalse();
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void theCrateAcquiresAfterOurRelease() {
        leases.tryAcquire(key).orElseThrow().close();

        assertThat(crateAcquires("crate-1", 60)).isTrue();
        assertThat(LocalTable.attributes(key)).containsOnlyKeys("key", "lease_version", "lease_expiry");
    }

    @Test
    void theCrateAcquiresAfterOurLeaseExpired() {
        LocalTable.put(new LeaseItem(key, "dead-00000001", now() - 1, 60_000L, 7L, "node-2", 1L, null));

        assertThat(crateAcquires("crate-1", 60)).isTrue();
    }

    @Test
    void theCrateWaitsForTheEndOfAHold() {
        leases.acquire(LeaseRequest.of(key).holdAtLeast(Duration.ofSeconds(60))).close();
        long end = expiry();

        assertThat(crateAcquires("crate-1", 60)).isFalse();
        assertThat(crateAcquires("crate-1", 60, end)).isFalse();
        assertThat(crateAcquires("crate-1", 60, end + 1)).isTrue();
    }

    @Test
    void aLiveLeaseOfTheCrateIsRespected() {
        assertThat(crateAcquires("crate-1", 60)).isTrue();

        assertThat(leases.tryAcquire(key)).isEmpty();
        assertThat(crateRenews("crate-1", "crate-2", 60)).isTrue();
        assertThat(leases.tryAcquire(key)).isEmpty();
        assertThat(LocalTable.attributes(key).get("lease_version")).isEqualTo(text("crate-2"));
    }

    @Test
    void anExpiredLeaseOfTheCrateIsTakenOverAtTheFirstCall() {
        LocalTable.put(Map.of("key", text(key), "lease_version", text("crate-1"), "lease_expiry", number(now() - 10)));

        Lease lease = leases.tryAcquire(key).orElseThrow();

        assertThat(lease.fencingToken()).isPositive();
        assertThat(LocalTable.attributes(key)).containsEntry("owner", text("node-1"));
        assertThat(crateRenews("crate-1", "crate-2", 60)).isFalse();
        assertThat(crateDeletes("crate-1")).isFalse();
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void aWaiterGetsTheLeaseOfACrateThatDiedAndNotBefore() {
        assertThat(crateAcquires("crate-1", 3)).isTrue();
        long expiry = expiry();

        leases.acquire(LeaseRequest.of(key).waitFor(Duration.ofMinutes(10)));

        assertThat(Instant.now()).isAfterOrEqualTo(Instant.ofEpochSecond(expiry));
    }

    /** The acquire of the crate erases the token, so an operator who frees a key never frees a lease that he has not seen. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aForcedReleaseOfOurTokenFreesNoLeaseThatTheCrateHasTakenMeanwhile(boolean renewed) {
        Lease lease = leases.acquire(LeaseRequest.of(key).cooldown(Duration.ofSeconds(60)));
        lease.close();
        Awaitility.await()
                .atMost(Duration.ofMinutes(10))
                .until(() -> leases.find(key).orElseThrow().isKept());
        assertThat(crateAcquires("crate-1", 60, expiry() + 1))
                .as("when the hold is over")
                .isTrue();
        if (renewed) {
            assertThat(crateRenews("crate-1", "crate-2", 60)).isTrue();
        }

        ForcedRelease freed = leases.forceRelease(key, lease.fencingToken(), ForcedRelease.TwoMayRun.IMMEDIATELY);

        assertThat(freed.isDone()).isFalse();
        assertThat(leases.forceRelease(key, lease.fencingToken()).isDone()).isFalse();
        assertThat(LocalTable.attributes(key).get("lease_version")).isEqualTo(text(renewed ? "crate-2" : "crate-1"));
    }

    @Test
    void whatTheCrateDeletesIsFree() {
        assertThat(crateAcquires("crate-1", 60)).isTrue();
        assertThat(crateDeletes("crate-1")).isTrue();

        assertThat(leases.tryAcquire(key)).isPresent();
    }

    private static long now() {
        return Instant.now().getEpochSecond();
    }

    private long expiry() {
        return Long.parseLong(LocalTable.attributes(key).get("lease_expiry").n());
    }

    private boolean crateAcquires(String version, long seconds) {
        return crateAcquires(version, seconds, now());
    }

    private boolean crateAcquires(String version, long seconds, long now) {
        return isApplied(client.putItem(r -> r.tableName(LocalTable.NAME)
                .item(Map.of("key", text(key), "lease_version", text(version), "lease_expiry", number(now + seconds)))
                .conditionExpression("attribute_not_exists(lease_version) OR lease_expiry < :now")
                .expressionAttributeValues(Map.of(":now", number(now)))));
    }

    private boolean crateRenews(String version, String next, long seconds) {
        Map<String, AttributeValue> values =
                Map.of(":mine", text(version), ":next", text(next), ":expiry", number(now() + seconds));
        return isApplied(client.updateItem(r -> r.tableName(LocalTable.NAME)
                .key(Writes.key(key))
                .updateExpression("SET lease_version = :next, lease_expiry = :expiry")
                .conditionExpression("lease_version = :mine")
                .expressionAttributeValues(values)));
    }

    private boolean crateDeletes(String version) {
        return isApplied(client.deleteItem(r -> r.tableName(LocalTable.NAME)
                .key(Writes.key(key))
                .conditionExpression("lease_version = :mine")
                .expressionAttributeValues(Map.of(":mine", text(version)))));
    }

    private static boolean isApplied(CompletableFuture<?> request) {
        try {
            request.join();
            return true;
        } catch (CompletionException e) {
            assertThat(e).hasCauseInstanceOf(ConditionalCheckFailedException.class);
            return false;
        }
    }
}
