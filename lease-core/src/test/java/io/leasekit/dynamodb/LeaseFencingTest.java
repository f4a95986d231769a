package io.leasekit.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.LeaseFence;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.model.CancellationReason;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;

class LeaseFencingTest {

    private static final LeaseFence FENCE = new LeaseFence("order", 7, new UUID(1, 2));

    @Test
    void aFailedConditionOfTheCheckIsStale() {
        assertThat(LeaseFencing.isStale(cancelled("None", "ConditionalCheckFailed"), 1))
                .isTrue();
    }

    @Test
    void aFailedConditionOfAnotherItemIsNotStale() {
        assertThat(LeaseFencing.isStale(cancelled("ConditionalCheckFailed", "None"), 1))
                .isFalse();
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
        assertThat(LeaseFencing.isStale(TransactionCanceledException.builder().build(), 0))
                .isFalse();
    }

    @Test
    void anIndexOutsideTheTransactionIsAnError() {
        assertThatThrownBy(() -> LeaseFencing.isStale(cancelled("None"), 1))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> LeaseFencing.isStale(cancelled("None"), -1))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void theCheckOfAFenceNamesTheTableAndTheTenure() {
        ConditionCheck check = LeaseFencing.conditionCheck("my-leases", FENCE);

        assertThat(check.tableName()).isEqualTo("my-leases");
        assertThat(check.key()).containsEntry("key", Attributes.text("order"));
        assertThat(check.expressionAttributeValues().values())
                .containsExactlyInAnyOrder(
                        Attributes.number(7), Attributes.text("00000000-0000-0001-0000-000000000002"));
    }

    @Test
    void aBlankTableIsRefused() {
        assertThatThrownBy(() -> LeaseFencing.conditionCheck(" ", FENCE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Table name is blank, expected the name of the table of leases");
    }

    private static TransactionCanceledException cancelled(String... codes) {
        return TransactionCanceledException.builder()
                .cancellationReasons(Stream.of(codes)
                        .map(code -> CancellationReason.builder().code(code).build())
                        .toList())
                .build();
    }
}
