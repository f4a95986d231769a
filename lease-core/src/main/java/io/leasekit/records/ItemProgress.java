package io.leasekit.records;

import io.leasekit.internal.Internal;
import io.leasekit.store.Bytes;
import io.leasekit.store.Edits;
import io.leasekit.store.Records;
import io.leasekit.text.Text;
import org.jspecify.annotations.Nullable;

/**
 * The saved progress of a run: data for the run's next holder. Immutable and thread-safe.
 *
 * @param run the name of the run; {@code null} if the run has no name. Progress without a run's name belongs to every
 *     run until a run succeeds
 */
@Internal
public record ItemProgress(
        @Nullable String run, Bytes bytes, @Nullable Long savedAtMillis) {

    public static final String DATA = "progress";
    public static final String RUN = "progress_run";
    public static final String SAVED_AT = "progress_at";

    public static final Edits CLEAR =
            Edits.builder().remove(DATA).remove(RUN).remove(SAVED_AT).build();

    public ItemProgress(@Nullable String run, byte[] data, @Nullable Long savedAtMillis) {
        this(run, new Bytes(data), savedAtMillis);
    }

    public static @Nullable ItemProgress of(Records records) {
        Bytes data = records.bytes(DATA);
        return data == null ? null : new ItemProgress(records.text(RUN), data, records.number(SAVED_AT));
    }

    public byte[] data() {
        return bytes.toArray();
    }

    public Edits edits() {
        Edits.Builder edits = Edits.builder().set(DATA, bytes).set(SAVED_AT, savedAtMillis);
        return run == null ? edits.remove(RUN).build() : edits.set(RUN, run).build();
    }

    @Override
    public String toString() {
        return Text.record("ItemProgress", "run, bytes, savedAtMillis", run, bytes, savedAtMillis);
    }
}
