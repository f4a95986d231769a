package io.leasekit.engine;

import io.leasekit.store.LeaseCommand;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** Writes several items without a transaction: one request for each, with a fate of its own. */
final class SimOneByOne {

    private SimOneByOne() {}

    static CompletionStage<StoreReply> write(
            StoreRequest.Transaction group, Function<LeaseCommand, CompletionStage<StoreReply>> send) {
        List<CompletableFuture<StoreReply>> replies = group.commands().stream()
                .map(command -> send.apply(command).toCompletableFuture())
                .toList();
        return CompletableFuture.allOf(replies.toArray(CompletableFuture[]::new))
                .thenApply(done -> together(
                        group.keys(),
                        replies.stream().map(CompletableFuture::join).toList()));
    }

    private static StoreReply together(List<String> keys, List<StoreReply> replies) {
        List<StoreReply.Refusal> refusals = new ArrayList<>();
        boolean resent = false;
        for (int i = 0; i < keys.size(); i++) {
            StoreReply reply = replies.get(i);
            resent |= reply.resent();
            if (reply instanceof StoreReply.Failed) {
                return reply;
            }
            if (reply instanceof StoreReply.Refused refused) {
                refusals.add(new StoreReply.Refusal(keys.get(i), refused.item()));
            }
        }
        StoreReply last = replies.get(replies.size() - 1);
        return refusals.isEmpty()
                ? new StoreReply.Applied(null, last.date(), resent)
                : new StoreReply.GroupRefused(refusals, last.date(), resent);
    }
}
