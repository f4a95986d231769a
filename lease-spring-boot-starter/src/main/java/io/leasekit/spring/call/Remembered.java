package io.leasekit.spring.call;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the value that a supplier returns at the first use. Without a lock, which could deadlock with the bean
 * factory's locks, two threads may call the supplier at once. Thread-safe.
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
