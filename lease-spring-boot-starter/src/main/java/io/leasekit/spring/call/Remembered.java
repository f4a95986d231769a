package io.leasekit.spring.call;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the value that a supplier returns at the first use. A lookup in the bean factory would take more processor
 * time than the rest of a call of an annotated method. This class uses no lock, because its lock and the bean factory's
 * locks could cause a deadlock. Two threads may therefore call the supplier at the same time. Thread-safe.
 */
final class Remembered<T> implements Supplier<T> {

    private final Supplier<T> source;
    private volatile @Nullable T known;

    Remembered(Supplier<T> source) {
        this.source = source;
    }

    @Override
    public T get() {
        T value = known;
        if (value == null) {
            value = source.get();
            known = value;
        }
        return value;
    }
}
