package io.leasekit;

import java.util.List;

/**
 * What came back of a request, and when.
 *
 * @param outcome what the store answered
 * @param sent the monotonic time before the request was sent
 * @param at the monotonic time after the reply was received
 */
record Reply(StoreReply outcome, long sent, long at) {

    /** Returns who refused a write of these keys: one, or of several those that are known; none: it was no refusal. */
    List<StoreReply.Refusal> refusals(List<String> keys) {
        if (outcome instanceof StoreReply.Refused refused) {
            return List.of(new StoreReply.Refusal(keys.get(0), refused.item()));
        }
        return outcome instanceof StoreReply.GroupRefused refused ? refused.refusals() : List.of();
    }
}
