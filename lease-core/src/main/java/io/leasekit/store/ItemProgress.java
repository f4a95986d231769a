package io.leasekit.store;

import io.leasekit.internal.Internal;
import io.leasekit.text.Text;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The saved progress of a run: data for the next holder of the same run. Immutable and thread-safe. */
@Internal
public final class ItemProgress {

    private final @Nullable String run;
    private final byte[] data;
    private final @Nullable Long savedAtMillis;

    /**
     * Creates progress with a copy of the data.
     *
     * @param run the name of the run; {@code null}: the run has no name, and the progress belongs to all runs until one
     *     succeeds
     * @param data the data, which Leasekit does not interpret
     * @param savedAtMillis the time of the write, in epoch milliseconds, for people
     */
    public ItemProgress(@Nullable String run, byte[] data, @Nullable Long savedAtMillis) {
        this.run = run;
        this.data = data.clone();
        this.savedAtMillis = savedAtMillis;
    }

    /** Returns the name of the run; {@code null}: the run has no name. */
    public @Nullable String run() {
        return run;
    }

    /** Returns a copy of the data. */
    public byte[] data() {
        return data.clone();
    }

    /** Returns the number of bytes of the data. */
    public int size() {
        return data.length;
    }

    /** Returns the time of the write, in epoch milliseconds; {@code null}: not recorded. */
    public @Nullable Long savedAtMillis() {
        return savedAtMillis;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ItemProgress that
                && Objects.equals(run, that.run)
                && Arrays.equals(data, that.data)
                && Objects.equals(savedAtMillis, that.savedAtMillis);
    }

    @Override
    public int hashCode() {
        return Objects.hash(run, Arrays.hashCode(data), savedAtMillis);
    }

    @Override
    public String toString() {
        return Text.record("ItemProgress", "run, bytes, savedAtMillis", run, data.length, savedAtMillis);
    }
}
