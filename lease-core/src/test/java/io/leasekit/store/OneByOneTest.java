package io.leasekit.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class OneByOneTest {

    private static final Instant DATE = Instant.ofEpochSecond(1_700_000_000);
    private static final LeaseItem ITEM = new LeaseItem("a", null, 1L, 2L, 3L, "node-1", 4L, 5L);
    private static final StoreReply FOUND = new StoreReply.Found(ITEM, DATE);
    private static final StoreReply ABSENT = new StoreReply.Found(null, DATE);
    private static final StoreReply FAILED =
            new StoreReply.Failed(StoreReply.FailureKind.UNKNOWN, new IllegalStateException("broken"), null, false);

    private static StoreReply read(Map<String, StoreReply> replies, String... keys) {
        CompletionStage<StoreReply> reply = OneByOne.read(
                new StoreRequest.ReadEach(List.of(keys)),
                read -> CompletableFuture.completedFuture(replies.get(read.key())));
        return reply.toCompletableFuture().join();
    }

    @Test
    void itemsThatExistAreFound() {
        assertThat(read(Map.of("a", FOUND, "b", ABSENT), "b", "a"))
                .isEqualTo(new StoreReply.FoundEach(List.of(ITEM), List.of(), DATE, null));
    }

    @Test
    void aKeyWhoseReadFailedIsUnread() {
        assertThat(read(Map.of("a", FOUND, "b", FAILED), "b", "a"))
                .isEqualTo(new StoreReply.FoundEach(List.of(ITEM), List.of("b"), DATE, null));
    }

    @Test
    void aKeyWhoseReadWasRejectedIsMalformed() {
        StoreReply rejected = new StoreReply.Failed(
                StoreReply.FailureKind.REJECTED, new IllegalStateException("no lease"), null, false);

        assertThat(read(Map.of("a", FOUND, "b", rejected), "b", "a"))
                .isEqualTo(new StoreReply.FoundEach(List.of(ITEM), List.of(), List.of("b"), DATE, null));
    }

    @Test
    void theReplyIsAFailureIfNoItemWasRead() {
        assertThat(read(Map.of("a", FAILED, "b", FAILED), "a", "b")).isSameAs(FAILED);
    }
}
