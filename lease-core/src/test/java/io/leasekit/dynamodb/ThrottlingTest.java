package io.leasekit.dynamodb;

import static com.github.tomakehurst.wiremock.client.WireMock.any;
import static com.github.tomakehurst.wiremock.client.WireMock.anyUrl;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.github.tomakehurst.wiremock.client.ResponseDefinitionBuilder;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseMeasurement;
import io.leasekit.LeaseMeasurement.Operation;
import io.leasekit.LeaseMeasurement.RequestThrottled;
import io.leasekit.LeaseMonitor;
import io.leasekit.LeaseStoreException;
import io.leasekit.LeaseThrottling;
import io.leasekit.store.Edits;
import io.leasekit.store.RenewCommand;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreReply.FailureKind;
import io.leasekit.store.StoreRequest;
import io.leasekit.store.VersionRange;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A throttled request names the limit that it exceeded. */
class ThrottlingTest extends AnsweredByWireMock {

    private static final Duration PLENTY = Duration.ofMinutes(10);

    private final DynamoDbLeaseStore store = DynamoDbLeaseStore.create(client, "leases");

    private static RenewCommand renew(String key) {
        return new RenewCommand(key, "v-2", 1, 2, new VersionRange("v-1", "v-1"), Edits.NONE);
    }

    private static void answer(ResponseDefinitionBuilder reply) {
        server.stubFor(any(anyUrl()).willReturn(reply));
    }

    private StoreReply.Failed failed() {
        return (StoreReply.Failed) store.send(new StoreRequest.Write(renew("key")), PLENTY)
                .toCompletableFuture()
                .join();
    }

    @ParameterizedTest
    @CsvSource({
        "KEY_RANGE, ProvisionedThroughputExceededException, TableWriteKeyRangeThroughputExceeded",
        "KEY_RANGE, ThrottlingException, TableReadKeyRangeThroughputExceeded",
        "TABLE, ProvisionedThroughputExceededException, TableWriteProvisionedThroughputExceeded",
        "ACCOUNT, ThrottlingException, TableWriteAccountLimitExceeded",
        "ACCOUNT, RequestLimitExceeded, TableWriteAccountLimitExceeded",
        "ACCOUNT, RequestLimitExceeded, SomethingNew",
        "ON_DEMAND_MAXIMUM, ThrottlingException, TableWriteMaxOnDemandThroughputExceeded",
        "UNKNOWN, ThrottlingException, SomethingNew"
    })
    void theReasonIsInTheMessageAndAsAValue(LeaseThrottling reason, String code, String seen) {
        answer(RecordedReplies.throttled(code, seen));

        StoreReply.Failed failed = failed();

        assertThat(failed.kind()).isEqualTo(FailureKind.THROTTLED);
        assertThat(failed.cause())
                .isInstanceOfSatisfying(
                        LeaseStoreException.class,
                        error -> assertThat(error.throttling()).isEqualTo(reason))
                .hasMessageContaining(reason.text())
                .hasMessageContaining(seen + " of arn:aws:dynamodb:us-east-1:123456789012:table/leases");
    }

    @Test
    void aReplyWithoutReasonsIsThrottledToo() {
        answer(RecordedReplies.throughputExceeded());

        assertThat(((LeaseStoreException) failed().cause()).throttling()).isEqualTo(LeaseThrottling.UNKNOWN);
    }

    @Test
    void aThrottledTransactionNamesItsLimit() {
        answer(RecordedReplies.transactionCanceled("[{\"Code\":\"None\"},{\"Code\":\"ThrottlingError\",\"Message\":"
                + "\"Throughput exceeds: TableWriteMaxOnDemandThroughputExceeded\"}]"));

        StoreReply.Failed failed =
                (StoreReply.Failed) store.send(new StoreRequest.Transaction(List.of(renew("a"), renew("b"))), PLENTY)
                        .toCompletableFuture()
                        .join();

        assertThat(((LeaseStoreException) failed.cause()).throttling()).isEqualTo(LeaseThrottling.ON_DEMAND_MAXIMUM);
    }

    @Test
    void theCallersExceptionAndTheMonitorNameTheLimit() {
        answer(RecordedReplies.throttled("ThrottlingException", "TableReadKeyRangeThroughputExceeded"));
        List<LeaseMeasurement> measured = new CopyOnWriteArrayList<>();
        LeaseMonitor monitor = new LeaseMonitor() {
            @Override
            public void measured(LeaseMeasurement measurement) {
                measured.add(measurement);
            }
        };

        try (LeaseManager leases = LeaseManager.builder(store)
                .storeTimeout(Duration.ofSeconds(2)) // enough for a reply
                .monitor(monitor)
                .build()) {
            assertThatExceptionOfType(LeaseStoreException.class)
                    .isThrownBy(() -> leases.tryAcquire("key"))
                    .satisfies(error -> assertThat(error.throttling()).isEqualTo(LeaseThrottling.KEY_RANGE))
                    .withMessageContaining("one partition of the table");
        }

        assertThat(measured).contains(new RequestThrottled(Operation.READ, LeaseThrottling.KEY_RANGE));
    }
}
