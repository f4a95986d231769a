package io.leasekit.spring.policy;

import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.key.LeaseKeyHints;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.ClassUtils;

/** Registers reflection hints for annotated methods whose keys or run names contain expressions. */
final class LeaseKeyAotProcessor implements BeanRegistrationAotProcessor {

    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        Class<?> type = ClassUtils.getUserClass(bean.getBeanClass());
        Collection<Method> methods =
                MethodIntrospector.selectMethods(type, (Method method) -> hasExpression(method, type));
        return methods.isEmpty()
                ? null
                : (generation, code) -> methods.forEach(method ->
                        LeaseKeyHints.register(generation.getRuntimeHints().reflection(), method, type));
    }

    private static boolean hasExpression(Method method, Class<?> type) {
        return LeaseAnnotations.find(method, type).stream().anyMatch(LeaseKeyAotProcessor::hasExpression);
    }

    private static boolean hasExpression(MergedAnnotation<DistributedLease> annotation) {
        return List.of("key", "once").stream()
                .anyMatch(attribute -> annotation.getString(attribute).contains("#{"));
    }
}
