package io.leasekit.spring.schedule;

import java.lang.StackWalker.StackFrame;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.support.ScheduledMethodRunnable;
import org.springframework.util.ClassUtils;

/**
 * Tells firings of a scheduled method from calls by other code, by the stack of the calling thread. Immutable, so
 * thread-safe.
 *
 * @param method the name of the method
 * @param targetClass the user's class
 * @param scheduler the name of the class that calls the method for Spring's scheduler
 */
record FiringStack(String method, Class<?> targetClass, String scheduler) {

    private static final String CALL = ScheduledMethodRunnable.class.getName();

    /** Calls a method for its publisher, once. The subscriptions to this publisher are the firings. */
    private static final String PUBLISHER_CALL =
            "org.springframework.scheduling.annotation.ScheduledAnnotationReactiveSupport";

    /** Subscribes at each firing. A suspending function is called by each subscription. */
    private static final String SUBSCRIPTION = PUBLISHER_CALL + "$SubscribingRunnable";

    private static final String CONTINUATION = "kotlin.coroutines.Continuation";

    private static final StackWalker WALKER = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

    static FiringStack of(Method method, Class<?> targetClass) {
        return new FiringStack(method.getName(), targetClass, scheduler(method));
    }

    private static String scheduler(Method method) {
        if (KotlinDetector.isSuspendingFunction(method)) {
            return SUBSCRIPTION;
        }
        Class<?> type = method.getReturnType();
        ReactiveAdapter adapter = type.isPrimitive()
                ? null
                : ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
        return adapter != null && adapter.getDescriptor().isDeferred() ? PUBLISHER_CALL : CALL;
    }

    /** Returns whether the scheduler has called the method, and not another scheduled method on the way. */
    boolean isFiring() {
        return WALKER.walk(this::isFiring);
    }

    boolean isFiring(Stream<StackFrame> frames) {
        List<StackFrame> called = new ArrayList<>();
        boolean byScheduler =
                frames.peek(called::add).anyMatch(frame -> frame.getClassName().equals(scheduler));
        return byScheduler && called.stream().noneMatch(this::isOfAnotherJob);
    }

    /**
     * Returns whether another scheduled method runs in this frame. Any other code may stand between the scheduler and
     * the method: aspects, proxies, adapters of the application.
     */
    private boolean isOfAnotherJob(StackFrame frame) {
        Class<?> type = frame.getDeclaringClass();
        boolean mayBeJob = AnnotationUtils.isCandidateClass(type, Scheduled.class) && !isProxy(type);
        return mayBeJob && !isThis(frame.getMethodName(), type) && isScheduled(frame.getMethodName(), type);
    }

    /** A proxy shows the annotations of its target, whose own frame tells more. */
    private static boolean isProxy(Class<?> type) {
        return Proxy.isProxyClass(type) || type.getName().contains(ClassUtils.CGLIB_CLASS_SEPARATOR);
    }

    private boolean isThis(String name, Class<?> type) {
        boolean related = type.isAssignableFrom(targetClass) || targetClass.isAssignableFrom(type);
        return related && name.equals(method);
    }

    private static boolean isScheduled(String name, Class<?> type) {
        try {
            return Stream.of(type.getDeclaredMethods())
                    .filter(declared -> declared.getName().equals(name) && mayBeScheduled(declared))
                    .anyMatch(LeaseSchedule::isScheduled);
        } catch (LinkageError e) {
            return false; // a class that needs another one that is absent
        }
    }

    /** The frames of a native image do not show parameters, so this looks at the methods. */
    private static boolean mayBeScheduled(Method declared) {
        Class<?>[] parameters = declared.getParameterTypes();
        return parameters.length == 0
                || (parameters.length == 1 && parameters[0].getName().equals(CONTINUATION));
    }
}
