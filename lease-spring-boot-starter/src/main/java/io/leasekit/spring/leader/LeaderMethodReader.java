package io.leasekit.spring.leader;

import io.leasekit.LeaseRequest;
import io.leasekit.spring.LeaderOnly;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;

/** Finds the methods with {@link LeaderOnly} of all beans, and reads their annotations. */
final class LeaderMethodReader {

    private final ConfigurableListableBeanFactory beans;
    private final LeaderSettings settings;

    LeaderMethodReader(ConfigurableListableBeanFactory beans, LeaderSettings settings) {
        this.beans = beans;
        this.settings = settings;
    }

    /** @throws InvalidLeaderMethodException if a method cannot be that of a leader, or two have one key */
    List<LeaderMethod> read() {
        List<LeaderMethod> found = new ArrayList<>();
        for (String bean : beans.getBeanNamesForType(Object.class, true, false)) {
            Class<?> type = AutoProxyUtils.determineTargetClass(beans, bean);
            if (type != null && AnnotationUtils.isCandidateClass(type, LeaderOnly.class)) {
                MethodIntrospector.selectMethods(type, (Method method) -> LeaderMethodRules.isAnnotated(method))
                        .forEach(method -> found.add(read(bean, method, type)));
            }
        }
        found.forEach(method -> refuseSecond(method, found));
        return found;
    }

    private LeaderMethod read(String bean, Method method, Class<?> type) {
        LeaderMethodRules.check(method, type);
        if (!beans.isSingleton(bean)) {
            throw new InvalidLeaderMethodException(
                    method,
                    type,
                    "the bean '" + bean + "' is not a singleton, so it is open on which object the method runs",
                    "Make the bean a singleton.",
                    null);
        }
        MergedAnnotation<LeaderOnly> annotation =
                LeaderMethodRules.annotations(method).get(LeaderOnly.class);
        Reading reading = new Reading(method, type, annotation);
        return new LeaderMethod(bean, method, type, reading.request(), reading.stopTimeout(), reading.text("manager"));
    }

    private static void refuseSecond(LeaderMethod method, List<LeaderMethod> all) {
        for (LeaderMethod other : all) {
            if (!other.equals(method)
                    && other.request().key().equals(method.request().key())
                    && other.manager().equals(method.manager())) {
                throw method.invalid(
                        "the key '" + method.request().key() + "' is also that of '" + other.name()
                                + "', and only one of them would run at a time",
                        "Give each method a key of its own.",
                        null);
            }
        }
    }

    /** The attributes of one annotation. */
    private final class Reading {

        private final Method method;
        private final Class<?> type;
        private final MergedAnnotation<LeaderOnly> annotation;

        Reading(Method method, Class<?> type, MergedAnnotation<LeaderOnly> annotation) {
            this.method = method;
            this.type = type;
            this.annotation = annotation;
        }

        LeaseRequest request() {
            String key = text("key");
            if (key.isBlank()) {
                throw invalid("it has no key", "Name one, as in @LeaderOnly(\"ingest\").", null);
            }
            if (annotation.getString("key").contains("#{")) {
                throw invalid(
                        "the key '" + key + "' has an expression, but it must be the same on all nodes",
                        "Write a constant text; it may have ${…} placeholders.",
                        null);
            }
            Duration ttl = duration("ttl");
            try {
                LeaseRequest request = LeaseRequest.of(settings.keyPrefix() + key);
                return ttl == null ? request : request.ttl(ttl);
            } catch (IllegalArgumentException e) {
                throw invalid(String.valueOf(e.getMessage()), "Correct the key or 'ttl'.", e);
            }
        }

        @Nullable
        Duration stopTimeout() {
            Duration own = duration("stopTimeout");
            if (own != null && (own.isNegative() || own.isZero())) {
                throw invalid("stopTimeout is " + own + ", expected more than zero", "Correct 'stopTimeout'.", null);
            }
            return own == null ? settings.stopTimeout() : own;
        }

        String text(String attribute) {
            try {
                String resolved = beans.resolveEmbeddedValue(annotation.getString(attribute));
                return resolved == null ? "" : resolved;
            } catch (IllegalArgumentException e) {
                throw invalid(attribute + " cannot be read: " + e.getMessage(), "Set the property.", e);
            }
        }

        private @Nullable Duration duration(String attribute) {
            String text = text(attribute);
            if (text.isBlank()) {
                return null;
            }
            try {
                if (Character.isDigit(text.charAt(text.length() - 1))) {
                    throw new IllegalArgumentException("no unit");
                }
                return DurationStyle.detectAndParse(text);
            } catch (IllegalArgumentException e) {
                throw invalid(
                        attribute + " is '" + text + "', expected a duration",
                        "Use the format of '500ms', '10s', '5m' or 'PT1H'.",
                        e);
            }
        }

        private InvalidLeaderMethodException invalid(String problem, String cure, @Nullable Throwable cause) {
            return new InvalidLeaderMethodException(method, type, problem, cure, cause);
        }
    }
}
