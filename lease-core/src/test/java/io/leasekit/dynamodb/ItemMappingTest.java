package io.leasekit.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.store.LeaseItem;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** The numbers of items that other writers have written. */
class ItemMappingTest {

    private static final long LAST_SECOND = Instant.MAX.getEpochSecond();

    private static @Nullable Long expiry(Map<String, Long> numbers) {
        Map<String, AttributeValue> attributes = new HashMap<>();
        attributes.put(Attributes.VERSION, Attributes.text("v"));
        numbers.forEach((name, value) -> attributes.put(name, Attributes.number(value)));
        LeaseItem item = ItemMapping.item("key", attributes);
        assertThat(item).isNotNull();
        return item.expiry();
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MIN_VALUE, Long.MIN_VALUE + 1, Long.MAX_VALUE})
    void aNumberThatIsNoTimeIsNoExpiry(long seconds) {
        assertThat(expiry(Map.of(Attributes.EXPIRY, seconds))).isNull();
    }

    @Test
    void theLastSecondIsAnExpiryAndTheNextNumberIsNone() {
        assertThat(expiry(Map.of(Attributes.EXPIRY, LAST_SECOND))).isEqualTo(LAST_SECOND);
        assertThat(expiry(Map.of(Attributes.EXPIRY, LAST_SECOND + 1))).isNull();
        assertThat(expiry(Map.of(Attributes.EXPIRY, -LAST_SECOND))).isEqualTo(-LAST_SECOND);
        assertThat(expiry(Map.of(Attributes.EXPIRY, -LAST_SECOND - 1))).isNull();
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1, 1", "1000, 1", "1001, 2", "-1, 0", "-1000, -1", "-1001, -1"})
    void anEndInMillisecondsIsRoundedUp(long millis, long seconds) {
        assertThat(end(millis)).isEqualTo(seconds);
    }

    @Test
    void anEndAtTheEdgeKeepsItsSign() {
        assertThat(end(Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE / 1_000 + 1);
        assertThat(end(Long.MIN_VALUE)).isEqualTo(Long.MIN_VALUE / 1_000);
    }

    private static @Nullable Long end(long millis) {
        return expiry(Map.of(
                Attributes.EXPIRY, 5L, Attributes.TOKEN, 7L, Attributes.ENDS_TOKEN, 7L, Attributes.ENDS, millis));
    }
}
