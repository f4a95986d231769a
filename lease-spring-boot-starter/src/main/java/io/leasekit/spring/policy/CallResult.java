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
 * Describes how a method returns its result. The result determines when the lease is released.
 *
 * @param type the type of the result; for a suspending function, the type that the function declares
 * @param adapter converts the result to a publisher and back; {@code null} if the result needs no conversion
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
         * The work ends when the method returns. If the method returns a stage, the work ends when the stage completes.
         */
        RETURNED,
        /** The work ends when the returned stage completes. */
        STAGE,
        /** The work begins with a subscription, and ends when the publisher completes, fails or is cancelled. */
        REACTIVE,
        /** The result of a suspending Kotlin function, which Spring turns into a publisher before the advice runs. */
        SUSPENDING,
        /** A reactive or suspending result for which a required library is missing. */
        UNSUPPORTED
    }

    static CallResult of(Method method) {
        if (KotlinDetector.isSuspendingFunction(method)) {
            // The Java return type of a suspending function is always Object.
            Class<?> declared = COROUTINES ? new MethodParameter(method, -1).getParameterType() : Object.class;
            Kind kind = COROUTINES && REACTOR ? Kind.SUSPENDING : Kind.UNSUPPORTED;
            return new CallResult(kind, declared, null, false);
        }
        Class<?> type = method.getReturnType();
        if (CompletionStage.class.isAssignableFrom(type)) {
            // A method with another stage type runs on the caller's thread, because Leasekit cannot create that stage.
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

    /** A primitive type or a class of the JDK can be examined without loading a reactive library. */
    private static boolean isPlain(Class<?> type) {
        return type.isPrimitive() || type.getName().startsWith("java.");
    }

    public boolean isCoroutine() {
        return kind == Kind.SUSPENDING || isKotlinFlow();
    }

    public boolean isKotlinFlow() {
        return kind == Kind.REACTIVE && COROUTINES && type.getName().equals(FLOW);
    }

    boolean isSuspendedFlow() {
        return kind == Kind.SUSPENDING && type.getName().equals(FLOW);
    }

    /** RxJava's {@code Single}, for example, cannot be empty. */
    boolean mayBeEmpty() {
        return adapter == null || adapter.getDescriptor().supportsEmpty();
    }

    /**
     * A method that returns a subclass of {@code Flux} cannot return the plain {@code Flux} that the adapter creates.
     */
    boolean isCreatable() {
        return adapter == null || type.isAssignableFrom(adapter.getReactiveType());
    }
}
