package io.leasekit.spring;

import io.leasekit.LeaseRequest;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.expression.ParseException;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.Schedules;
import org.springframework.util.ClassUtils;

/** Reads one annotation of one method into a policy, and refuses what could not work. */
final class LeasePolicyReader {

    private final MergedAnnotation<DistributedLease> annotation;
    private final Method method;
    private final Class<?> targetClass;
    private final ConfigurableBeanFactory beanFactory;

    LeasePolicyReader(
            MergedAnnotation<DistributedLease> annotation,
            Method method,
            Class<?> targetClass,
            ConfigurableBeanFactory beanFactory) {
        this.annotation = annotation;
        this.targetClass = ClassUtils.getUserClass(targetClass);
        this.method = AopUtils.getMostSpecificMethod(method, this.targetClass);
        this.beanFactory = beanFactory;
    }

    LeasePolicy read() {
        refuseReactiveResult();
        boolean skipUnavailable = skipUnavailable();
        boolean skipStoreFailure = annotation.getEnum("onStoreFailure", OnStoreFailure.class) == OnStoreFailure.SKIP;
        if (skipUnavailable || skipStoreFailure) {
            refusePrimitiveResult(skipUnavailable ? "onUnavailable" : "onStoreFailure");
        }
        return new LeasePolicy(
                key(),
                terms(),
                text("manager"),
                skipUnavailable,
                skipStoreFailure,
                annotation.getEnum("onLost", OnLost.class),
                SkippedResult.of(method.getReturnType()));
    }

    private boolean skipUnavailable() {
        OnUnavailable policy = annotation.getEnum("onUnavailable", OnUnavailable.class);
        return policy == OnUnavailable.SKIP || (policy == OnUnavailable.AUTO && isScheduled());
    }

    private boolean isScheduled() {
        MergedAnnotations annotations = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
        return annotations.isPresent(Scheduled.class) || annotations.isPresent(Schedules.class);
    }

    private LeaseKeyResolver key() {
        String text = annotation.getString("key");
        if (text.isEmpty()) {
            String name = stableClass().getName() + "." + method.getName();
            return (target, arguments) -> name;
        }
        try {
            return new LeaseKeyTemplate(text, method, targetClass, beanFactory);
        } catch (ParseException | IllegalArgumentException e) {
            throw invalid("key '" + text + "' cannot be read: " + e.getMessage(), "Correct the key.", e);
        }
    }

    // a proxy's or lambda's class has another name in each process
    private Class<?> stableClass() {
        boolean stable = !Proxy.isProxyClass(targetClass) && !targetClass.isHidden() && !targetClass.isSynthetic();
        if (stable) {
            return targetClass;
        }
        return ClassUtils.getInterfaceMethodIfPossible(method, targetClass).getDeclaringClass();
    }

    private UnaryOperator<LeaseRequest> terms() {
        Terms terms = new Terms();
        terms.add("ttl", LeaseRequest::ttl);
        terms.add("waitFor", LeaseRequest::waitFor);
        terms.add("holdAtLeast", LeaseRequest::holdAtLeast);
        terms.add("cooldown", LeaseRequest::cooldown);
        terms.add("holdAtMost", LeaseRequest::holdAtMost);
        return terms.all;
    }

    private final class Terms {

        private UnaryOperator<LeaseRequest> all = UnaryOperator.identity();

        void add(String attribute, BiFunction<LeaseRequest, Duration, LeaseRequest> wither) {
            Duration value = duration(attribute);
            if (value == null) {
                return;
            }
            UnaryOperator<LeaseRequest> before = all;
            all = request -> wither.apply(before.apply(request), value);
            try {
                var unused = wither.apply(LeaseRequest.of(method.getName()), value);
            } catch (IllegalArgumentException e) {
                throw invalid(e.getMessage(), "Correct '" + attribute + "'.", e);
            }
        }
    }

    private @Nullable Duration duration(String attribute) {
        String text = text(attribute);
        if (text.isBlank()) {
            return null;
        }
        try {
            return DurationStyle.detectAndParse(text);
        } catch (IllegalArgumentException e) {
            throw invalid(
                    attribute + " is '" + text + "', expected a duration",
                    "Write it as in '500ms', '10s', '5m' or 'PT1H'.",
                    e);
        }
    }

    private String text(String attribute) {
        String text = annotation.getString(attribute);
        try {
            String resolved = beanFactory.resolveEmbeddedValue(text);
            return resolved == null ? "" : resolved;
        } catch (IllegalArgumentException e) {
            throw invalid(attribute + " cannot be read: " + e.getMessage(), "Set the property.", e);
        }
    }

    private void refusePrimitiveResult(String attribute) {
        if (!SkippedResult.isPossible(method.getReturnType())) {
            throw invalid(
                    "a call that is skipped has no result, but the method returns '" + method.getReturnType() + "'",
                    "Return an object, or set '" + attribute + "' to THROW.",
                    null);
        }
    }

    private void refuseReactiveResult() {
        Class<?> type = method.getReturnType();
        boolean reactive = Flow.Publisher.class.isAssignableFrom(type)
                || (!CompletionStage.class.isAssignableFrom(type)
                        && ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null);
        if (reactive || KotlinDetector.isSuspendingFunction(method)) {
            throw invalid(
                    "the method returns before its work begins, so the lease would not cover it",
                    "Return the result itself or a CompletionStage, or use the LeaseManager within.",
                    null);
        }
    }

    private InvalidDistributedLeaseException invalid(@Nullable String problem, String cure, @Nullable Throwable cause) {
        return new InvalidDistributedLeaseException(method, targetClass, String.valueOf(problem), cure, cause);
    }
}
