package io.leasekit.spring.policy;

import io.leasekit.internal.Internal;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Set;
import java.util.Spliterator;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.BaseStream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/** Recognises results whose work continues or begins after the method has returned. */
@Internal
public final class UnfinishedResult {

    private static final Set<String> BY_NAME = Set.of(
            "kotlin.sequences.Sequence",
            "kotlinx.coroutines.Job",
            "org.springframework.web.context.request.async.DeferredResult",
            "org.springframework.web.context.request.async.WebAsyncTask",
            "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
            "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

    private static final Set<String> PUBLISHERS = Set.of(
            "org.reactivestreams.Publisher",
            "io.reactivex.rxjava3.core.CompletableSource",
            "io.reactivex.rxjava3.core.MaybeSource",
            "io.reactivex.rxjava3.core.ObservableSource",
            "io.reactivex.rxjava3.core.SingleSource",
            "io.smallrye.mutiny.Uni",
            "kotlinx.coroutines.flow.Flow");

    private static final int NESTED = 3;

    private UnfinishedResult() {}

    static boolean isPublisher(Class<?> type) {
        return Flow.Publisher.class.isAssignableFrom(type) || isNamed(type, PUBLISHERS);
    }

    /** Returns false for stages, and for publishers, which {@link #isPublisher} recognises. */
    public static boolean isUnfinished(Class<?> type) {
        boolean plain = Callable.class.isAssignableFrom(type)
                || BaseStream.class.isAssignableFrom(type)
                || Iterator.class.isAssignableFrom(type)
                || Spliterator.class.isAssignableFrom(type)
                || Future.class.isAssignableFrom(type);
        return (plain && !CompletionStage.class.isAssignableFrom(type)) || isNamed(type, BY_NAME);
    }

    /**
     * Returns the first type argument that represents unfinished work, such as the {@code Flux} of a
     * {@code ResponseEntity<Flux<String>>}.
     */
    static @Nullable Class<?> within(Method method) {
        return within(ResolvableType.forMethodReturnType(method), NESTED);
    }

    private static @Nullable Class<?> within(ResolvableType type, int depth) {
        for (ResolvableType argument : type.getGenerics()) {
            Class<?> resolved = argument.resolve();
            if (resolved != null
                    && (isUnfinished(resolved)
                            || isPublisher(resolved)
                            || CompletionStage.class.isAssignableFrom(resolved))) {
                return resolved;
            }
            Class<?> deeper = depth == 0 ? null : within(argument, depth - 1);
            if (deeper != null) {
                return deeper;
            }
        }
        return null;
    }

    public static boolean isUnfinished(Object value, Class<?> declared) {
        if (value instanceof CompletionStage) {
            return false;
        }
        if (value instanceof Future<?> future) {
            return !future.isDone();
        }
        Class<?> type = value.getClass();
        // An Iterator, for example, counts only if the method declares Object or AutoCloseable. A class that the method
        // declares may be an Iterator without any unfinished work.
        boolean untold = declared == Object.class || declared == AutoCloseable.class;
        return isPublisher(type) || (untold && isUnfinished(type));
    }

    private static boolean isNamed(@Nullable Class<?> type, Set<String> names) {
        if (type == null
                || type.isPrimitive()
                || type.isArray()
                || type.getName().startsWith("java.")) {
            return false;
        }
        return names.contains(type.getName())
                || isNamed(type.getSuperclass(), names)
                || Arrays.stream(type.getInterfaces()).anyMatch(implemented -> isNamed(implemented, names));
    }
}
