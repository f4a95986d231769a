package io.leasekit.spring.leader;

import io.leasekit.LeaseRequest;
import io.leasekit.ProgressCodec;
import io.leasekit.spring.LeaderOnly;
import io.leasekit.spring.policy.AnnotationTexts;
import io.leasekit.spring.policy.LeaseParameters;
import io.leasekit.spring.policy.ProgressReader;
import io.leasekit.spring.policy.UserMethod;
import io.leasekit.text.Text;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;

/** Finds the methods with {@link LeaderOnly} of all beans, and reads their annotations. */
final class LeaderMethodReader {

    private final ConfigurableListableBeanFactory beans;
    private final LeaderSettings settings;
    private final Predicate<Class<?>> isAnnotated;

    LeaderMethodReader(
            ConfigurableListableBeanFactory beans, LeaderSettings settings, Predicate<Class<?>> isAnnotated) {
        this.beans = beans;
        this.settings = settings;
        this.isAnnotated = isAnnotated;
    }

    List<LeaderMethod> read() {
        List<LeaderMethod> found = new ArrayList<>();
        for (String bean : beans.getBeanNamesForType(Object.class, true, false)) {
            Class<?> type = AutoProxyUtils.determineTargetClass(beans, bean);
            if (type != null && isAnnotated.test(type)) {
                MethodIntrospector.selectMethods(type, (Method method) -> LeaderMethodRules.isAnnotated(method))
                        .stream()
                        .map(method -> UserMethod.of(method, type, LeaderOnly.class))
                        .distinct()
                        .forEach(method -> found.add(read(bean, method.method(), method.type())));
            }
        }
        return found;
    }

    private LeaderMethod read(String bean, Method method, Class<?> type) {
        LeaderMethodRules.check(method, type);
        AnnotationTexts<LeaderOnly> texts = new AnnotationTexts<>(
                method, type, LeaderMethodRules.annotations(method).get(LeaderOnly.class), beans);
        if (!beans.isSingleton(bean)) {
            throw texts.invalid(
                    "the bean '" + bean + "' is not a singleton, so it is not clear which instance should lead",
                    "Make the bean a singleton.",
                    null);
        }
        ProgressCodec<?> codec = new ProgressReader(texts).codec();
        LeaseRequest request = request(texts);
        return new LeaderMethod(
                bean,
                method,
                type,
                codec == null ? request : request.resumable(),
                stopTimeout(texts),
                texts.text("manager"),
                LeaseParameters.of(method, codec, false));
    }

    private LeaseRequest request(AnnotationTexts<LeaderOnly> texts) {
        String key = texts.text("key");
        if (key.isBlank()) {
            throw texts.invalid("it has no key", "Name one, as in @LeaderOnly(\"ingest\").", null);
        }
        if (texts.written("key").contains("#{")) {
            throw texts.invalid(
                    "the key '" + key + "' has an expression, but it must be the same on all nodes",
                    "Write a constant text; it may have ${…} placeholders.",
                    null);
        }
        Duration ttl = texts.duration("ttl");
        try {
            LeaseRequest request =
                    LeaseRequest.of(settings.keyPrefix() + key).named(AnnotationTexts.asName(texts.written("key")));
            return ttl == null ? request : request.ttl(ttl);
        } catch (IllegalArgumentException e) {
            throw texts.invalid(String.valueOf(e.getMessage()), "Correct the key or 'ttl'.", e);
        }
    }

    private @Nullable Duration stopTimeout(AnnotationTexts<LeaderOnly> texts) {
        Duration own = texts.duration("stopTimeout");
        if (own != null && (own.isNegative() || own.isZero())) {
            throw texts.invalid(
                    "stopTimeout is " + Text.exact(own) + ", expected more than zero", "Correct 'stopTimeout'.", null);
        }
        return own == null ? settings.stopTimeout() : own;
    }
}
