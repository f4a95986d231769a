package io.leasekit.store;

import org.jspecify.annotations.Nullable;

/** The items after applied commands, as DynamoDB's updates would leave them. Stateless and thread-safe. */
final class Changes {

    private Changes() {}

    /** Returns the item after the command; {@code null} if the command deletes it. */
    static @Nullable LeaseItem apply(@Nullable LeaseItem item, LeaseCommand command) {
        if (command instanceof AcquireCommand acquire) {
            return acquired(item, acquire);
        }
        if (command instanceof PauseCommand pause) {
            LeaseItem paused = item == null ? empty(command.key()) : item;
            return with(
                    paused,
                    paused.waitingSinceMillis(),
                    paused.lastRun(),
                    pause.pauses(),
                    paused.progress(),
                    paused.history());
        }
        if (item == null) {
            return null; // all other commands require an item
        }
        if (command instanceof ReopenCommand reopen) {
            return reopened(item, reopen);
        }
        if (command instanceof RenewCommand renew) {
            return renewed(item, renew);
        }
        if (command instanceof RevokeCommand revoke) {
            return revoked(item, revoke.form());
        }
        return command instanceof ReleaseCommand release
                ? released(item, release)
                : withMark(item, ((MarkCommand) command).waitingSinceMillis());
    }

    private static LeaseItem acquired(@Nullable LeaseItem item, AcquireCommand command) {
        boolean keepsMark = command.predecessor() != null;
        return new LeaseItem(
                command.key(),
                command.version(),
                command.expiry(),
                command.durationMillis(),
                command.token(),
                command.owner(),
                command.acquiredAtMillis(),
                null,
                item != null && keepsMark ? item.waitingSinceMillis() : null,
                item == null ? null : item.lastRun(),
                permits(item, command.permits()),
                item == null ? null : item.pauses(),
                command.application(),
                command.keptUntil(),
                item == null ? null : item.progress(),
                item == null ? null : item.history(),
                command.once());
    }

    private static @Nullable Long permits(@Nullable LeaseItem item, @Nullable Integer written) {
        return written != null ? Long.valueOf(written) : item == null ? null : item.permits();
    }

    private static LeaseItem renewed(LeaseItem item, RenewCommand command) {
        LeaseItem renewed = withLease(
                item,
                command.version(),
                command.expiry(),
                command.durationMillis(),
                item.token(),
                item.releasedAtMillis(),
                command.keptUntil());
        return with(
                renewed,
                renewed.waitingSinceMillis(),
                renewed.lastRun(),
                renewed.pauses(),
                command.progress() == null ? renewed.progress() : command.progress(),
                command.history() == null ? renewed.history() : command.history());
    }

    private static @Nullable LeaseItem released(LeaseItem item, ReleaseCommand command) {
        LeaseItem unmarked = with(
                item,
                null,
                run(item.lastRun(), command.run()),
                item.pauses(),
                progress(item.progress(), command.progress()),
                command.history() == null ? item.history() : command.history());
        if (command.form() instanceof ReleaseCommand.Retain retain) {
            return withLease(unmarked, null, retain.expiry(), null, item.token(), retain.releasedAtMillis(), null);
        }
        return command.form() instanceof ReleaseCommand.Hold hold
                ? withLease(
                        unmarked,
                        hold.version(),
                        hold.expiry(),
                        hold.durationMillis(),
                        hold.keptUntil() == null ? item.token() : Long.valueOf(hold.token()),
                        hold.releasedAtMillis(),
                        hold.keptUntil())
                : null;
    }

    /** Returns the recorded run. A run without a name keeps the name of the previous run. */
    private static @Nullable ItemRun run(@Nullable ItemRun before, @Nullable ItemRun run) {
        if (run == null) {
            return before;
        }
        return run.name() != null || before == null
                ? run
                : new ItemRun(before.name(), run.owner(), run.begunAt(), run.outcome(), run.duration());
    }

    private static @Nullable ItemProgress progress(@Nullable ItemProgress saved, ReleaseCommand.Progress change) {
        if (change instanceof ReleaseCommand.Write write) {
            return write.progress();
        }
        return change instanceof ReleaseCommand.Keep ? saved : null;
    }

    private static LeaseItem reopened(LeaseItem item, ReopenCommand command) {
        return with(
                item,
                item.waitingSinceMillis(),
                named(item.lastRun(), command.before()),
                item.pauses(),
                item.progress(),
                command.history() == null ? item.history() : command.history());
    }

    private static ItemRun named(@Nullable ItemRun run, String name) {
        return run == null
                ? new ItemRun(name, null, null, null, null)
                : new ItemRun(name, run.owner(), run.begunAt(), run.outcome(), run.duration());
    }

    private static LeaseItem revoked(LeaseItem item, RevokeCommand.Form form) {
        if (form instanceof RevokeCommand.Free free) {
            return withLease(
                    withMark(item, null), null, free.expiry(), null, item.token(), free.releasedAtMillis(), null);
        }
        String version = ((RevokeCommand.Refuse) form).version();
        return withLease(
                item,
                version,
                item.expiry(),
                item.durationMillis(),
                item.token(),
                item.releasedAtMillis(),
                item.keptUntil());
    }

    private static LeaseItem withLease(
            LeaseItem item,
            @Nullable String version,
            @Nullable Long expiry,
            @Nullable Long durationMillis,
            @Nullable Long token,
            @Nullable Long releasedAtMillis,
            @Nullable Long keptUntil) {
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
                item.lastRun(),
                item.permits(),
                item.pauses(),
                item.application(),
                keptUntil,
                item.progress(),
                item.history(),
                item.run());
    }

    private static LeaseItem withMark(LeaseItem item, @Nullable Long waitingSinceMillis) {
        return with(item, waitingSinceMillis, item.lastRun(), item.pauses(), item.progress(), item.history());
    }

    private static LeaseItem empty(String key) {
        return new LeaseItem(key, null, null, null, null, null, null, null);
    }

    static LeaseItem with(
            LeaseItem item,
            @Nullable Long waitingSinceMillis,
            @Nullable ItemRun lastRun,
            @Nullable String pauses,
            @Nullable ItemProgress progress,
            @Nullable String history) {
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
                lastRun,
                item.permits(),
                pauses,
                item.application(),
                item.keptUntil(),
                progress,
                history,
                item.run());
    }
}
