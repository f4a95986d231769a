package io.leasekit.store;

import io.leasekit.internal.Internal;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The effect of one command on an item, evaluated in this process: whether the command's condition holds, and the
 * resulting item.
 *
 * <p>A store must hold one lock while it evaluates the command and writes {@link #after}. Otherwise, a lease could get
 * two holders. Thread-safe.
 *
 * @param after the item after the command; the unchanged item if the condition does not hold; {@code null} if the key
 *     has no item after the command
 */
@Internal
public record CommandEffect(boolean isApplied, @Nullable LeaseItem after, StoreReply reply) {

    /** {@code date}: the time that the reply reports as the server's time, truncated to seconds. */
    public static CommandEffect of(LeaseCommand command, @Nullable LeaseItem before, Instant date) {
        if (!Conditions.hold(before, command)) {
            return new CommandEffect(false, before, new StoreReply.Refused(before, date, false));
        }
        StoreReply applied = new StoreReply.Applied(
                shownMark(before, command),
                command instanceof AcquireCommand && before != null
                        ? before.records().keptUntil(null)
                        : Records.NONE,
                shownHeld(before, command),
                date,
                false,
                null);
        return new CommandEffect(true, Changes.apply(before, command), applied);
    }

    private static @Nullable Long shownMark(@Nullable LeaseItem before, LeaseCommand command) {
        boolean shows = command instanceof AcquireCommand
                || (command instanceof ReleaseCommand release && !(release.form() instanceof ReleaseCommand.Delete));
        return before != null && shows ? before.waitingSinceMillis() : null;
    }

    private static @Nullable LeaseItem shownHeld(@Nullable LeaseItem before, LeaseCommand command) {
        boolean held = before != null && before.version() != null;
        return command instanceof AcquireCommand && held ? before : null;
    }
}
