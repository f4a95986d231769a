package io.leasekit.spring.schedule;

import java.lang.StackWalker.StackFrame;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
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
 */
record FiringStack(String method, Class<?> targetClass) {

    /** The frames of a firing: Spring calls a method, or subscribes to the publisher that it returned once. */
    private static final Set<String> FIRING = Set.of(
            ScheduledMethodRunnable.class.getName(),
            "org.springframework.scheduling.annotation.ScheduledAnnotationReactiveSupport$SubscribingRunnable");

    private static final StackWalker WALKER = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

    /** Returns whether the scheduler has called the method, and not another scheduled method on the way. */
    boolean isFiring() {
        return WALKER.walk(this::isFiring);
    }

    private boolean isFiring(Stream<StackFrame> frames) {
        List<StackFrame> called = new ArrayList<>();
        boolean byScheduler = frames.peek(called::add).anyMatch(frame -> FIRING.contains(frame.getClassName()));
        return byScheduler && called.stream().noneMatch(this::isOfAnotherJob);
    }

    /**
     * Returns whether another scheduled method runs in this frame. Any other code may stand between the scheduler and
     * the method: aspects, proxies, adapters of the application.
     */
    private boolean isOfAnotherJob(StackFrame frame) {
        Class<?> type = frame.getDeclaringClass();
        boolean mayBeJob = frame.getDescriptor().startsWith("()") // scheduled methods have no parameters
                && AnnotationUtils.isCandidateClass(type, Scheduled.class)
                && !isProxy(type);
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
            Method declared = type.getDeclaredMethod(name);
            return LeaseSchedule.isScheduled(declared);
        } catch (NoSuchMethodException | LinkageError e) {
            return false; // a constructor, or a class that needs another one that is absent
        }
    }
}
