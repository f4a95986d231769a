package io.leasekit.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.model.CancellationReason;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;

class LeaseFencingTest {

    @Test
    void aFailedConditionOfTheCheckIsStale() {
        assertThat(LeaseFencing.isStale(cancelled("None", "ConditionalCheckFailed"), 1)).isTrue();
    }

    @Test
    void aFailedConditionOfAnotherItemIsNotStale() {
        assertThat(LeaseFencing.isStale(cancelled("ConditionalCheckFailed", "None"), 1)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "None",
                "TransactionConflict",
                "ProvisionedThroughputExceeded",
                "ThrottlingError",
                "ValidationError",
                "ItemCollectionSizeLimitExceeded"
            })
    void anyOtherReasonIsNotStale(String code) {
        assertThat(LeaseFencing.isStale(cancelled(code), 0)).isFalse();
    }

    @Test
    void withoutReasonsNothingIsKnownToBeStale() {
        assertThat(LeaseFencing.isStale(TransactionCanceledException.builder().build(), 0)).isFalse();
    }

    @Test
    void anIndexOutsideTheTransactionIsAnError() {
        assertThatThrownBy(() -> LeaseFencing.isStale(cancelled("None"), 1))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> LeaseFencing.isStale(cancelled("None"), -1))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }

    private static TransactionCanceledException cancelled(String... codes) {
        return TransactionCanceledException.builder()
                .cancellationReasons(Stream.of(codes)
                        .map(code -> CancellationReason.builder().code(code).build())
                        .toList())
                .build();
    }
}
