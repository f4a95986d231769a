package io.leasekit.records;

import io.leasekit.internal.Internal;
import io.leasekit.store.Edits;
import io.leasekit.store.LeaseItem;
import org.jspecify.annotations.Nullable;

/**
 * A text for display that an acquire stores together with the acquire's fencing token. A later acquire without a text
 * leaves the old text and the old text's token in the item. A text is outdated if the token stored with it differs from
 * the lease's fencing token.
 *
 * @param itsToken the name of the attribute that contains the fencing token of the acquire that wrote the text
 */
@Internal
public record AcquireText(String name, String itsToken) {

    public static final AcquireText APPLICATION = new AcquireText("app", "app_token");

    /** The name of the run for which the lease was acquired. */
    public static final AcquireText RUN = new AcquireText("run", "run_token");

    /** Returns the text that the latest acquire wrote; {@code null} if the latest acquire wrote no text. */
    public @Nullable String of(LeaseItem item) {
        Long written = item.records().number(itsToken);
        return written != null && written.equals(item.token()) ? item.records().text(name) : null;
    }

    public void addTo(Edits.Builder edits, @Nullable String text, long token) {
        if (text != null) {
            edits.set(name, text).set(itsToken, token);
        }
    }
}
