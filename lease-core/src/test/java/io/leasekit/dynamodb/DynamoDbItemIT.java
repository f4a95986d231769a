package io.leasekit.dynamodb;

import static io.leasekit.dynamodb.Attributes.number;
import static io.leasekit.dynamodb.Attributes.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.Lease;
import io.leasekit.LeaseInfo;
import io.leasekit.LeaseManager;
import io.leasekit.LeasePage;
import io.leasekit.LeaseQuery;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStoreException;
import io.leasekit.engine.EngineBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Items with more attributes than a lease, and with fewer. */
class DynamoDbItemIT {

    private static final Map<String, AttributeValue> FOREIGN =
            Map.of("last_run", text("2026-11-20"), "last_run_at", number(7), "note", AttributeValue.fromBool(true));

    private final LeaseManager leases = ((EngineBuilder) LocalTable.leases(LocalTable.client()))
            .observationTime(Duration.ofSeconds(2))
            .ttl(Duration.ofSeconds(20))
            .heartbeatInterval(Duration.ofMillis(300))
            .build();
    private final String key = UUID.randomUUID().toString();

    @AfterEach
    void close() {
        leases.close();
    }

    @Test
    void attributesThatAreNotALeasesSurviveAcquireRenewAndRelease() {
        put(FOREIGN);

        Lease lease = leases.tryAcquire(key).orElseThrow();
        String first = LocalTable.attributes(key).get("lease_version").s();
        Awaitility.await()
                .atMost(Duration.ofMinutes(10))
                .until(() ->
                        !LocalTable.attributes(key).get("lease_version").s().equals(first));
        assertThat(LocalTable.attributes(key)).containsAllEntriesOf(FOREIGN);

        lease.close();
        assertThat(LocalTable.attributes(key)).containsAllEntriesOf(FOREIGN).doesNotContainKey("lease_version");
    }

    @Test
    void anItemThatIsNoLeaseIsLeftOutOfAListAndHidesNoOther() {
        String malformed = key + "/malformed";
        LocalTable.put(Map.of(Attributes.KEY, text(malformed), Attributes.VERSION, number(1)));
        try (Lease lease = leases.tryAcquire(key + "/lease").orElseThrow()) {
            List<LeaseInfo> listed = new ArrayList<>();
            LeaseQuery query = LeaseQuery.startingWith(key);
            LeasePage page = LocalTable.read(() -> leases.list(query));
            listed.addAll(page.leases());
            while (page.next() != null) {
                LeaseQuery rest = query.after(page.next());
                page = LocalTable.read(() -> leases.list(rest));
                listed.addAll(page.leases());
            }

            assertThat(listed).extracting(LeaseInfo::key).containsExactly(lease.key());
        } finally {
            LocalTable.remove(malformed);
        }
    }

    @Test
    void attributesThatAreNotALeasesSurviveAHold() {
        put(FOREIGN);

        leases.acquire(LeaseRequest.of(key).holdAtLeast(Duration.ofSeconds(10))).close();

        assertThat(LocalTable.attributes(key)).containsAllEntriesOf(FOREIGN).containsKey("lease_version");
    }

    @Test
    void anAcquireRemovesWhenTheLeaseWasReleasedBefore() {
        leases.tryAcquire(key).orElseThrow().close();
        assertThat(LocalTable.attributes(key)).containsKeys("released_at", "owner", "acquired_at", "fencing_token");

        assertThat(leases.tryAcquire(key)).isPresent();

        assertThat(LocalTable.attributes(key)).doesNotContainKey("released_at");
    }

    @Test
    void attributesForPeopleOfAnotherTypeAreShownAsAbsent() {
        put(Map.of(
                "lease_version", text("v"),
                "lease_expiry", number(Instant.now().getEpochSecond() + 60),
                "owner", number(7),
                "acquired_at", text("today"),
                "released_at", AttributeValue.fromN("1.5")));

        LeaseInfo info = LocalTable.read(() -> leases.find(key)).orElseThrow();

        assertThat(info.held()).isTrue();
        assertThat(info.owner()).isNull();
        assertThat(info.acquiredAt()).isNull();
        assertThat(info.releasedAt()).isNull();
    }

    @Test
    void aLeaseWhoseExpiryIsNoNumberIsTakenOverByObservation() {
        assertTakenOverByObservation(text("tomorrow"));
    }

    @Test
    void aLeaseWhoseExpiryIsAbsurdIsTakenOverByObservation() {
        assertTakenOverByObservation(AttributeValue.fromN("1E+40"));
    }

    private void assertTakenOverByObservation(AttributeValue expiry) {
        put(Map.of("lease_version", text("v"), "lease_expiry", expiry, "fencing_token", number(7)));

        assertThat(leases.tryAcquire(key)).isEmpty();
        assertThat(leases.acquire(LeaseRequest.of(key).waitFor(Duration.ofMinutes(10)))
                        .fencingToken())
                .isGreaterThan(7);
    }

    @Test
    void aVersionOfAnotherTypeIsAnErrorThatNamesIt() {
        put(Map.of("lease_version", number(7)));

        assertThatThrownBy(() -> leases.tryAcquire(key))
                .isInstanceOf(LeaseStoreException.class)
                .hasMessage("Lease '" + key
                        + "' in table 'leases': Item is not a lease: attribute 'lease_version' is of type"
                        + " N, expected type S; the table must hold leases only");
    }

    @Test
    void aTokenOfAnotherTypeIsAnErrorThatNamesIt() {
        put(Map.of("fencing_token", text("7")));

        assertThatThrownBy(() -> leases.tryAcquire(key))
                .isInstanceOf(LeaseStoreException.class)
                .hasMessage("Lease '" + key
                        + "' in table 'leases': Item is not a lease: attribute 'fencing_token' is of type"
                        + " S, expected an integer of type N from 1 to 2305843009213693950; the table must hold leases"
                        + " only");
    }

    private void put(Map<String, AttributeValue> attributes) {
        Map<String, AttributeValue> item = new HashMap<>(attributes);
        item.put("key", text(key));
        LocalTable.put(item);
    }
}
