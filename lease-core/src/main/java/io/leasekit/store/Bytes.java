package io.leasekit.store;

import io.leasekit.internal.Internal;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Bytes as the value of a {@linkplain Records record}. Thread-safe. */
@Internal
public final class Bytes {

    private final byte[] data;

    public Bytes(byte[] data) {
        this.data = data.clone();
    }

    public byte[] toArray() {
        return data.clone();
    }

    public int size() {
        return data.length;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Bytes that && Arrays.equals(data, that.data);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(data);
    }

    @Override
    public String toString() {
        return data.length + " bytes";
    }
}
