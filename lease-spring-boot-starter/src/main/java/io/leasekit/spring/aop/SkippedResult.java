package io.leasekit.spring.aop;

import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What a call that was skipped returns in place of the method's result. */
final class SkippedResult {

    private SkippedResult() {}

    /** Returns whether a method with such a result can be skipped at all. */
    static boolean isPossible(Class<?> returnType) {
        return !returnType.isPrimitive() || returnType == void.class;
    }

    /** Returns what makes the result of each skipped call: a future must not be shared. */
    static Supplier<@Nullable Object> of(Class<?> returnType) {
        if (returnType == Optional.class) {
            return Optional::empty;
        }
        if (returnType == OptionalInt.class) {
            return OptionalInt::empty;
        }
        if (returnType == OptionalLong.class) {
            return OptionalLong::empty;
        }
        if (returnType == OptionalDouble.class) {
            return OptionalDouble::empty;
        }
        boolean future = returnType != Object.class && returnType.isAssignableFrom(CompletableFuture.class);
        return future ? () -> CompletableFuture.completedFuture(null) : () -> null;
    }
}
