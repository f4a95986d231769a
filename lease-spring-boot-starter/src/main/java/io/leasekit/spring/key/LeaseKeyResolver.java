package io.leasekit.spring.key;

import io.leasekit.internal.Internal;
import org.jspecify.annotations.Nullable;

/** Makes the lease key of one call; asked once per call. Thread-safe. */
@Internal
@FunctionalInterface
public interface LeaseKeyResolver {

    /**
     * Returns the key.
     *
     * @throws IllegalStateException if a part of the key has no value, or one that is not the same text in every process
     */
    String resolve(@Nullable Object target, @Nullable Object[] arguments);

    /** Returns the key if it is the same for all calls, else {@code null}. */
    default @Nullable String fixed() {
        return null;
    }

    /** Returns the resolver of a key that is the same for all calls. */
    static LeaseKeyResolver of(String key) {
        return new LeaseKeyResolver() {
            @Override
            public String resolve(@Nullable Object target, @Nullable Object[] arguments) {
                return key;
            }

            @Override
            public String fixed() {
                return key;
            }
        };
    }
}
