package io.leasekit.spring.policy;

import io.leasekit.internal.Internal;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Creates the result that a skipped call returns in place of the method's result. */
@Internal
public final class SkippedResult {

    private SkippedResult() {}

    public static boolean isPossible(Class<?> returnType) {
        return !returnType.isPrimitive() || returnType == void.class;
    }

    static boolean isNull(CallResult result) {
        boolean publisher = result.kind() == CallResult.Kind.REACTIVE || result.several();
        return !publisher && of(result.type()).get() == null;
    }

    /** Each skipped call gets a new result, because calls must not share a future. */
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
