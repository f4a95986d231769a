package io.leasekit.spring.aop;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A value that a supplier provides once, at the first use. Most values come from the bean factory, which is slower than
 * acquiring a lease. Two threads may call the supplier at the same time: creating a bean takes locks of the bean
 * factory, so this class uses no lock of its own. Thread-safe.
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
