package io.leasekit.store;

import io.leasekit.store.StoreReply.Failed;
import io.leasekit.store.StoreReply.Found;
import io.leasekit.store.StoreReply.FoundEach;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** Reads several items from a store that can read only one item in a request. */
public final class OneByOne {

    private OneByOne() {}

    /** Sends all reads at once, each by this function; the stage completes when all are answered. */
    public static CompletionStage<StoreReply> read(
            StoreRequest.ReadEach reads, Function<StoreRequest.Read, CompletionStage<StoreReply>> read) {
        List<CompletableFuture<StoreReply>> replies = reads.keys().stream()
                .map(StoreRequest.Read::new)
                .map(one -> read.apply(one).toCompletableFuture())
                .toList();
        return CompletableFuture.allOf(replies.toArray(CompletableFuture[]::new))
                .thenApply(done -> together(
                        reads.keys(),
                        replies.stream().map(CompletableFuture::join).toList()));
    }

    /**
     * A key whose read failed counts as unread, or as malformed if another read would not help. If all reads failed,
     * the first failure is the reply.
     */
    private static StoreReply together(List<String> keys, List<StoreReply> replies) {
        if (replies.stream().allMatch(Failed.class::isInstance)) {
            return replies.get(0);
        }
        List<LeaseItem> items = new ArrayList<>();
        List<String> unread = new ArrayList<>();
        List<String> malformed = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            if (!(replies.get(i) instanceof Found found)) {
                (isRejected(replies.get(i)) ? malformed : unread).add(keys.get(i));
            } else if (found.item() != null) {
                items.add(found.item());
            }
        }
        Instant date = replies.stream()
                .map(StoreReply::date)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
        return new FoundEach(items, unread, malformed, date, null);
    }

    private static boolean isRejected(StoreReply reply) {
        return reply instanceof Failed failed && failed.kind() == StoreReply.FailureKind.REJECTED;
    }
}
