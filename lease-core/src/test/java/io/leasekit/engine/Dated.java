package io.leasekit.engine;

import io.leasekit.store.StoreReply;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Replies of a table as a process receives them. */
final class Dated {

    private Dated() {}

    /** Returns this reply as received with this date, from an SDK that resent the request or not. */
    static StoreReply reply(StoreReply reply, @Nullable Instant date, boolean resent) {
        if (reply instanceof StoreReply.Applied applied) {
            return new StoreReply.Applied(
                    applied.waitingSinceMillis(),
                    applied.before(),
                    applied.heldBefore(),
                    date,
                    resent,
                    applied.capacity());
        }
        if (reply instanceof StoreReply.Refused refused) {
            return new StoreReply.Refused(refused.item(), date, resent);
        }
        if (reply instanceof StoreReply.GroupRefused refused) {
            return new StoreReply.GroupRefused(refused.refusals(), date, resent);
        }
        if (reply instanceof StoreReply.FoundEach found) {
            return new StoreReply.FoundEach(found.items(), found.unread(), found.malformed(), date, found.capacity());
        }
        return reply instanceof StoreReply.Found found ? new StoreReply.Found(found.item(), date) : reply;
    }
}
