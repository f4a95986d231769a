package io.leasekit.store;

import org.jspecify.annotations.Nullable;

/** Computes the item that results from an applied command, as DynamoDB's update does. Thread-safe. */
final class Changes {

    private Changes() {}

    static @Nullable LeaseItem apply(@Nullable LeaseItem stored, LeaseCommand command) {
        LeaseItem item =
                stored == null ? new LeaseItem(command.key(), null, null, null, null, null, null, null) : stored;
        if (command instanceof AcquireCommand acquire) {
            return acquired(item, acquire);
        }
        if (command instanceof PauseCommand pause) {
            return item.with(item.records().after(pause.edits()));
        }
        if (stored == null) {
            // Only an acquire or a pause can create an item.
            return null;
        }
        if (command instanceof ReopenCommand reopen) {
            return item.with(item.records().after(reopen.edits()));
        }
        if (command instanceof RenewCommand renew) {
            return renewed(item, renew);
        }
        if (command instanceof RevokeCommand revoke) {
            return revoked(item, revoke.form());
        }
        return command instanceof ReleaseCommand release
                ? released(item, release)
                : with(item, ((MarkCommand) command).waitingSinceMillis(), item.records());
    }

    private static Records records(LeaseItem item, Edits edits) {
        return item.records().after(edits).keptUntil(edits.keptUntil());
    }

    private static LeaseItem acquired(LeaseItem item, AcquireCommand command) {
        return new LeaseItem(
                command.key(),
                command.version(),
                command.expiry(),
                command.durationMillis(),
                command.token(),
                command.owner(),
                command.acquiredAtMillis(),
                null,
                command.predecessor() == null ? null : item.waitingSinceMillis(),
                records(item, command.edits()));
    }

    private static LeaseItem renewed(LeaseItem item, RenewCommand command) {
        return withLease(
                with(item, item.waitingSinceMillis(), records(item, command.edits())),
                command.version(),
                command.expiry(),
                command.durationMillis(),
                item.token(),
                item.releasedAtMillis());
    }

    private static @Nullable LeaseItem released(LeaseItem item, ReleaseCommand command) {
        LeaseItem unmarked = with(item, null, records(item, command.edits()));
        if (command.form() instanceof ReleaseCommand.Retain retain) {
            return withLease(unmarked, null, retain.expiry(), null, item.token(), retain.releasedAtMillis());
        }
        return command.form() instanceof ReleaseCommand.Hold hold
                ? withLease(
                        unmarked,
                        hold.version(),
                        hold.expiry(),
                        hold.durationMillis(),
                        command.edits().keptUntil() == null ? item.token() : Long.valueOf(hold.token()),
                        hold.releasedAtMillis())
                : null;
    }

    private static LeaseItem revoked(LeaseItem item, RevokeCommand.Form form) {
        if (form instanceof RevokeCommand.Free free) {
            LeaseItem unmarked = with(item, null, records(item, Edits.NONE));
            return withLease(unmarked, null, free.expiry(), null, item.token(), free.releasedAtMillis());
        }
        String version = ((RevokeCommand.Refuse) form).version();
        return withLease(item, version, item.expiry(), item.durationMillis(), item.token(), item.releasedAtMillis());
    }

    private static LeaseItem withLease(
            LeaseItem item,
            @Nullable String version,
            @Nullable Long expiry,
            @Nullable Long durationMillis,
            @Nullable Long token,
            @Nullable Long releasedAtMillis) {
        return new LeaseItem(
                item.key(),
                version,
                expiry,
                durationMillis,
                token,
                item.owner(),
                item.acquiredAtMillis(),
                releasedAtMillis,
                item.waitingSinceMillis(),
                item.records());
    }

    static LeaseItem with(LeaseItem item, @Nullable Long waitingSinceMillis, Records records) {
        return new LeaseItem(
                item.key(),
                item.version(),
                item.expiry(),
                item.durationMillis(),
                item.token(),
                item.owner(),
                item.acquiredAtMillis(),
                item.releasedAtMillis(),
                waitingSinceMillis,
                records);
    }
}
