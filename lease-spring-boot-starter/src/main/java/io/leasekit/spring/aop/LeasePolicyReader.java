package io.leasekit.spring.aop;

import io.leasekit.LeaseRequest;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.OnLost;
import io.leasekit.spring.OnStoreFailure;
import io.leasekit.spring.OnUnavailable;
import io.leasekit.spring.key.InvalidLeaseKeyException;
import io.leasekit.spring.key.LeaseKeyResolver;
import io.leasekit.spring.key.LeaseKeyTemplate;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.expression.ParseException;
import org.springframework.util.ClassUtils;

/** Reads the annotations of one method, in most cases one, into a policy, and refuses what could not work. */
final class LeasePolicyReader {

    private static final String UNLIMITED = "unlimited";
    /** As long as a request's name may be. */
    private static final int MAX_NAME = 128;

    private final List<MergedAnnotation<DistributedLease>> annotations;
    private final MergedAnnotation<DistributedLease> annotation;
    private final Method method;
    private final Class<?> targetClass;
    private final ConfigurableBeanFactory beanFactory;
    private final String keyPrefix;
    private final LeaseMethodRules rules;

    LeasePolicyReader(
            List<MergedAnnotation<DistributedLease>> annotations,
            Method method,
            Class<?> targetClass,
            ConfigurableBeanFactory beanFactory,
            String keyPrefix) {
        this.annotations = annotations;
        this.annotation = annotations.get(0);
        this.targetClass = ClassUtils.getUserClass(targetClass);
        this.method = AopUtils.getMostSpecificMethod(method, this.targetClass);
        this.beanFactory = beanFactory;
        this.keyPrefix = keyPrefix;
        this.rules = new LeaseMethodRules(this.method, this.targetClass);
    }

    LeasePolicy read() {
        SeveralLeases.refuseDifferentPolicies(annotations, rules);
        OnUnavailable onUnavailable = annotation.getEnum("onUnavailable", OnUnavailable.class);
        HandlerBean handler = handler(onUnavailable);
        boolean skipUnavailable = handler == null && skips(onUnavailable);
        boolean skipStoreFailure = annotation.getEnum("onStoreFailure", OnStoreFailure.class) == OnStoreFailure.SKIP;
        OnLost onLost = annotation.getEnum("onLost", OnLost.class);
        checkSignature(skipUnavailable, skipStoreFailure, onLost);
        String name = ClassUtils.getQualifiedMethodName(method, targetClass);
        UnaryOperator<LeaseRequest> terms = terms();
        LeaseOnce once = new LeaseOnceReader(annotation, method, targetClass, beanFactory, rules)
                .read(name, terms.apply(LeaseRequest.of(name)));
        List<LeaseKeyResolver> keys = keys();
        String only = keys.size() == 1 ? keys.get(0).fixed() : null;
        return new LeasePolicy(
                name,
                name(),
                keys,
                only == null ? null : terms.apply(LeaseRequest.of(only).named(name())),
                terms,
                text("manager"),
                skipUnavailable,
                handler,
                skipStoreFailure,
                onLost,
                once,
                once.slots() != null || skips(onUnavailable),
                SkippedResult.of(method.getReturnType()),
                LeaseParameter.of(method));
    }

    private void checkSignature(boolean skipUnavailable, boolean skipStoreFailure, OnLost onLost) {
        rules.refuseScheduledWithParameters();
        rules.refuseSeveralLeaseParameters();
        rules.refuseReactiveResult();
        rules.refuseStageOfOtherType(onLost);
        if (skipUnavailable || skipStoreFailure) {
            rules.refusePrimitiveResult(skipUnavailable ? "onUnavailable" : "onStoreFailure");
        }
    }

    private boolean skips(OnUnavailable onUnavailable) {
        return onUnavailable == OnUnavailable.SKIP
                || (onUnavailable == OnUnavailable.AUTO && LeaseMethodRules.isScheduled(method));
    }

    private @Nullable HandlerBean handler(OnUnavailable onUnavailable) {
        String name = text("unavailableHandler");
        if (name.isEmpty()) {
            return null;
        }
        if (onUnavailable != OnUnavailable.AUTO) {
            throw rules.invalid(
                    "both unavailableHandler and onUnavailable " + onUnavailable + " are set",
                    "Set one of them.",
                    null);
        }
        HandlerBean handler = new HandlerBean(name, method, beanFactory);
        String problem = handler.problem();
        if (problem != null) {
            throw rules.invalid(problem, "Name a bean of type LeaseUnavailableHandler.", null);
        }
        return handler;
    }

    private String name() {
        String name = annotations.stream()
                .map(each -> each.getString("key"))
                .map(text -> text.isBlank() ? defaultKey() : text)
                .collect(Collectors.joining(", "));
        return name.length() <= MAX_NAME ? name : name.substring(0, MAX_NAME - 1) + "…";
    }

    private String defaultKey() {
        return stableClass().getName() + "." + method.getName();
    }

    private List<LeaseKeyResolver> keys() {
        Set<String> fixed = new HashSet<>();
        return annotations.stream()
                .map(each -> key(each.getString("key"), fixed))
                .toList();
    }

    private LeaseKeyResolver key(String text, Set<String> fixed) {
        if (text.isEmpty()) {
            return constant(defaultKey(), fixed);
        }
        try {
            LeaseKeyTemplate template = new LeaseKeyTemplate(text, method, targetClass, beanFactory);
            String constant = template.constant();
            return constant != null
                    ? constant(constant, fixed)
                    : (target, arguments) -> keyPrefix + template.resolve(target, arguments);
        } catch (InvalidLeaseKeyException e) {
            throw rules.invalid("key '" + text + "' cannot be read: " + e.getMessage(), e.cure(), e);
        } catch (ParseException | IllegalArgumentException e) {
            throw rules.invalid("key '" + text + "' cannot be read: " + e.getMessage(), "Correct the key.", e);
        }
    }

    private LeaseKeyResolver constant(String key, Set<String> fixed) {
        String full = LeaseRequest.of(keyPrefix + key).key();
        if (!fixed.add(full)) {
            throw rules.invalid("two of its annotations have the key '" + full + "'", "Remove one of them.", null);
        }
        return LeaseKeyResolver.of(full);
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
                throw rules.invalid(String.valueOf(e.getMessage()), "Correct '" + attribute + "'.", e);
            }
        }
    }

    private @Nullable Duration duration(String attribute) {
        String text = text(attribute);
        if (text.isBlank()) {
            return null;
        }
        if (attribute.equals("waitFor") && text.equals(UNLIMITED)) {
            return LeaseRequest.UNLIMITED;
        }
        try {
            return DurationStyle.detectAndParse(text);
        } catch (IllegalArgumentException e) {
            throw rules.invalid(
                    attribute + " is '" + text + "', expected a duration",
                    "Write it as in '500ms', '10s', '5m' or 'PT1H'"
                            + (attribute.equals("waitFor") ? ", or '" + UNLIMITED + "'." : "."),
                    e);
        }
    }

    private String text(String attribute) {
        String text = annotation.getString(attribute);
        try {
            String resolved = beanFactory.resolveEmbeddedValue(text);
            return resolved == null ? "" : resolved;
        } catch (IllegalArgumentException e) {
            throw rules.invalid(attribute + " cannot be read: " + e.getMessage(), "Set the property.", e);
        }
    }
}
