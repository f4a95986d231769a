package io.leasekit.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.store.LeaseItem;
import io.leasekit.store.StoreReply;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemResponse;
import software.amazon.awssdk.services.dynamodb.model.KeysAndAttributes;

/** An item that a reply to a read of several items does not show counts as unread or malformed, never as absent. */
class ItemReadsTest {

    private static final List<String> KEYS = List.of("a", "b", "c");

    private static StoreReply.FoundEach found(BatchGetItemResponse reply) {
        return (StoreReply.FoundEach) ItemReads.found(KEYS, reply);
    }

    private static Map<String, AttributeValue> key(String key) {
        return Map.of(Attributes.KEY, AttributeValue.fromS(key));
    }

    @Test
    void unprocessedKeysAreUnread() {
        StoreReply.FoundEach found = found(BatchGetItemResponse.builder()
                .responses(Map.of("leases", List.of(key("a"))))
                .unprocessedKeys(Map.of(
                        "leases",
                        KeysAndAttributes.builder().keys(List.of(key("c"))).build()))
                .build());

        assertThat(found.items()).extracting(LeaseItem::key).containsExactly("a");
        assertThat(found.unread()).containsExactly("c");
    }

    @Test
    void anItemThatIsNoLeaseIsMalformed() {
        StoreReply.FoundEach found = found(BatchGetItemResponse.builder()
                .responses(Map.of(
                        "leases",
                        List.of(Map.of(
                                Attributes.KEY, AttributeValue.fromS("b"),
                                Attributes.VERSION, AttributeValue.fromN("7")))))
                .build());

        assertThat(found.items()).isEmpty();
        assertThat(found.unread()).isEmpty();
        assertThat(found.malformed()).containsExactly("b");
    }

    @Test
    void eachItemIsReadConsistently() {
        assertThat(ItemReads.of("leases", KEYS).build().requestItems().get("leases"))
                .satisfies(wanted -> assertThat(wanted.consistentRead()).isTrue())
                .satisfies(wanted -> assertThat(wanted.keys()).containsExactly(key("a"), key("b"), key("c")));
    }
}
