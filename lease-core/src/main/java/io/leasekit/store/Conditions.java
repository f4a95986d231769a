package io.leasekit.store;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Evaluates the conditions of commands in memory. {@code LeaseStoreContract} tests each part of a condition both in
 * this class and in the expressions for DynamoDB. Thread-safe.
 */
final class Conditions {

    private Conditions() {}

    static boolean hold(@Nullable LeaseItem item, LeaseCommand command) {
        if (command instanceof AcquireCommand acquire) {
            return mayApply(item, acquire.edits())
                    && (item == null || (isTakeable(item, acquire) && tokenGrows(item, acquire)));
        }
        if (command instanceof PauseCommand pause) {
            return mayApply(item, pause.edits());
        }
        if (command instanceof ReopenCommand reopen) {
            return item != null
                    && item.version() == null
                    && Objects.equals(item.token(), reopen.token())
                    && mayApply(item, reopen.edits());
        }
        return item != null && item.version() != null && holdFor(item, command);
    }

    private static boolean mayApply(@Nullable LeaseItem item, Edits edits) {
        return edits.mayApply(item == null ? Records.NONE : item.records());
    }

    private static boolean holdFor(LeaseItem item, LeaseCommand command) {
        if (command instanceof RenewCommand renew) {
            return isIn(item, renew.own()) && mayApply(item, renew.edits());
        }
        if (command instanceof ReleaseCommand release) {
            boolean isOurs = isIn(item, release.own()) || isIn(item, release.predecessor());
            return isOurs && mayApply(item, release.edits());
        }
        return command instanceof RevokeCommand revoke
                ? Objects.equals(item.token(), revoke.token())
                : item.waitingSinceMillis() == null;
    }

    private static boolean isTakeable(LeaseItem item, AcquireCommand command) {
        return item.version() == null
                || isBelow(item.expiry(), command.freeBelow())
                || item.version().equals(command.deadVersion())
                || isIn(item, command.own())
                || isIn(item, command.predecessor());
    }

    private static boolean tokenGrows(LeaseItem item, AcquireCommand command) {
        return item.token() == null || item.token() < command.token();
    }

    private static boolean isBelow(@Nullable Long value, @Nullable Long bound) {
        return value != null && bound != null && value < bound;
    }

    private static boolean isIn(LeaseItem item, @Nullable VersionRange range) {
        return item.version() != null && range != null && range.contains(item.version());
    }
}
