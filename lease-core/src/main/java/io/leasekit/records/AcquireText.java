package io.leasekit.records;

import io.leasekit.internal.Internal;
import io.leasekit.store.Edits;
import io.leasekit.store.LeaseItem;
import org.jspecify.annotations.Nullable;

/**
 * A text of one acquire, for people. It is stored together with the token of its acquire: a later acquire that has no text
 * leaves the old text and its old token.
 *
 * @param name the attribute with the text
 * @param itsToken the attribute with the token
 */
@Internal
public record AcquireText(String name, String itsToken) {

    /** The name of the owner's application. */
    public static final AcquireText APPLICATION = new AcquireText("app", "app_token");

    /** The name of the run that the acquire was for. */
    public static final AcquireText RUN = new AcquireText("run", "run_token");

    /** Returns the text that the latest acquire wrote; {@code null}: that acquire wrote none. */
    public @Nullable String of(LeaseItem item) {
        Long written = item.records().number(itsToken);
        return written != null && written.equals(item.token()) ? item.records().text(name) : null;
    }

    /** Adds the text of an acquire with this token; {@code null}: none. */
    public void addTo(Edits.Builder edits, @Nullable String text, long token) {
        if (text != null) {
            edits.set(name, text).set(itsToken, token);
        }
    }
}
