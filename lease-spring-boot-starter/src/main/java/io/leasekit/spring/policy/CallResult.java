package io.leasekit.spring.policy;

import io.leasekit.internal.Internal;
import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.util.ClassUtils;

/**
 * The way in which a method returns its result. The lease is held until the work of the method ends; {@link Kind}
 * describes when the work ends.
 *
 * @param kind the kind of the result
 * @param type the type of the result; for a suspending function, the type that the function declares
 * @param adapter converts the result to a publisher and back; {@code null} if the result is not a publisher or needs no
 *     conversion
 * @param several whether the publisher can emit several values; false if the result is no publisher
 */
@Internal
public record CallResult(Kind kind, Class<?> type, @Nullable ReactiveAdapter adapter, boolean several) {

    private static final ClassLoader LOADER = CallResult.class.getClassLoader();
    private static final boolean REACTOR = ClassUtils.isPresent("reactor.core.publisher.Flux", LOADER);
    private static final boolean COROUTINES = ClassUtils.isPresent("kotlinx.coroutines.reactor.MonoKt", LOADER);
    private static final String FLOW = "kotlinx.coroutines.flow.Flow";

    public enum Kind {
        /**
         * The work of the method has ended when the method returns. If the method returns a stage without declaring
         * one, the work ends when this stage completes.
         */
        RETURNED,
        /** The work of the method ends when the stage that the method has returned completes. */
        STAGE,
        /**
         * The work of the method begins with a subscription to the returned publisher. The work ends when the publisher
         * completes or fails, or when the subscription is cancelled.
         */
        REACTIVE,
        /**
         * The result of a suspending Kotlin function, handled like {@link #REACTIVE}, because Spring turns the result
         * into a publisher before the advice runs.
         */
        SUSPENDING,
        /** A reactive or suspending result for which a required library is missing. */
        UNSUPPORTED
    }

    static CallResult of(Method method) {
        if (KotlinDetector.isSuspendingFunction(method)) {
            // the Java type of a suspending function is Object
            Class<?> declared = COROUTINES ? new MethodParameter(method, -1).getParameterType() : Object.class;
            Kind kind = COROUTINES && REACTOR ? Kind.SUSPENDING : Kind.UNSUPPORTED;
            return new CallResult(kind, declared, null, false);
        }
        Class<?> type = method.getReturnType();
        if (CompletionStage.class.isAssignableFrom(type)) {
            // RETURNED for other types of stages, which this class cannot create, so the caller's thread calls the
            // method
            Kind kind = type.isAssignableFrom(CompletableFuture.class) ? Kind.STAGE : Kind.RETURNED;
            return new CallResult(kind, type, null, false);
        }
        return ofPublisher(type);
    }

    private static CallResult ofPublisher(Class<?> type) {
        boolean ofJdk = Flow.Publisher.class.isAssignableFrom(type);
        if (isPlain(type) && !ofJdk) {
            return new CallResult(Kind.RETURNED, type, null, false);
        }
        ReactiveAdapter adapter =
                REACTOR ? ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) : null;
        if (adapter == null) {
            boolean publisher = ofJdk || UnfinishedResult.isPublisher(type);
            return new CallResult(publisher ? Kind.UNSUPPORTED : Kind.RETURNED, type, null, false);
        }
        return new CallResult(Kind.REACTIVE, type, adapter, adapter.isMultiValue());
    }

    /**
     * Returns whether the type is a primitive type or a class of the JDK, which can be examined without loading a
     * reactive library.
     */
    private static boolean isPlain(Class<?> type) {
        return type.isPrimitive() || type.getName().startsWith("java.");
    }

    /** Returns whether the work runs in Kotlin coroutines. */
    public boolean isCoroutine() {
        return kind == Kind.SUSPENDING || isKotlinFlow();
    }

    /** Returns whether the method returns a Kotlin {@code Flow} and is not a suspending function. */
    public boolean isKotlinFlow() {
        return kind == Kind.REACTIVE && COROUTINES && type.getName().equals(FLOW);
    }

    boolean isSuspendedFlow() {
        return kind == Kind.SUSPENDING && type.getName().equals(FLOW);
    }

    /** Returns whether the result can be empty. For example, RxJava's {@code Single} cannot be empty. */
    boolean mayBeEmpty() {
        return adapter == null || adapter.getDescriptor().supportsEmpty();
    }

    /**
     * Returns whether the method's return type accepts the object that the adapter creates. For example, if the return
     * type is a subclass of {@code Flux}, the method cannot return a plain {@code Flux}.
     */
    boolean isCreatable() {
        return adapter == null || type.isAssignableFrom(adapter.getReactiveType());
    }
}
