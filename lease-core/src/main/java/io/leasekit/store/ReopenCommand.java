package io.leasekit.store;

import io.leasekit.internal.Internal;
import io.leasekit.text.Text;
import org.jspecify.annotations.Nullable;

/**
 * Allows a run that is done to run again (step 5.13 in {@code docs/protocol.md}). The command is applied if the item
 * has no version, exactly this token and exactly this last run. The command changes the name of the last run, and the
 * history.
 *
 * @param key the key of the item
 * @param token the token that the item must have
 * @param run the name of the last run that the item must have
 * @param before the new name of the last run, see {@link #before(String)}
 * @param history the text of the run history to write; {@code null}: the item keeps its text
 */
@Internal
public record ReopenCommand(
        String key,
        long token,
        String run,
        String before,
        @Nullable String history) implements LeaseCommand {

    /**
     * Returns a text that is below this name, in DynamoDB's order, and above every smaller name that a run may have.
     * With this text as the last run, the run is no longer done, but all earlier runs still are.
     */
    public static String before(String run) {
        int last = run.codePointBefore(run.length());
        String begin = run.substring(0, run.length() - Character.charCount(last));
        int below = last - 1 == Character.MAX_SURROGATE ? Character.MIN_SURROGATE - 1 : last - 1;
        return below < 0 ? begin : begin + Character.toString(below) + Character.toString(Character.MAX_CODE_POINT);
    }

    @Override
    public String toString() {
        return Text.record("ReopenCommand", "key, token, run, before, history", key, token, run, before, history);
    }
}
