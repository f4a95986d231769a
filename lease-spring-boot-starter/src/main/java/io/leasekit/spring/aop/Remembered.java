package io.leasekit.spring.aop;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a supplier gives, asked for at the first use only: most come from the bean factory, which takes longer than a lease. Two
 * threads may ask at once, since making a bean takes locks of the bean factory, under which no lock of ours is waited for.
 * Thread-safe.
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
