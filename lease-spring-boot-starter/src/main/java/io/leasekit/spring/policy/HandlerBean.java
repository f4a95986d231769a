package io.leasekit.spring.policy;

import io.leasekit.internal.Internal;
import io.leasekit.spring.LeaseUnavailableCall;
import io.leasekit.spring.LeaseUnavailableHandler;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.ClassUtils;

/** The {@code LeaseUnavailableHandler} bean that handles one method's calls without a lease. */
@Internal
public record HandlerBean(String name, Method method, BeanFactory beanFactory) {

    /** Returns {@code null} if a handler bean has this name. */
    @Nullable
    String problem() {
        if (!beanFactory.containsBean(name)) {
            return "unavailableHandler is '" + name + "', but no bean has this name";
        }
        return beanFactory.isTypeMatch(name, LeaseUnavailableHandler.class)
                ? null
                : "unavailableHandler is '" + name + "', but that bean is not a LeaseUnavailableHandler";
    }

    public @Nullable Object handle(LeaseUnavailableCall call) throws Exception {
        Object result = beanFactory.getBean(name, LeaseUnavailableHandler.class).handle(call);
        if (!isPossible(result)) {
            throw new IllegalStateException("Handler '" + name + "' returned "
                    + (result == null ? "null" : "a " + result.getClass().getName()) + " for a call of '"
                    + ClassUtils.getQualifiedMethodName(method) + "', expected a '"
                    + method.getReturnType().getTypeName() + "'");
        }
        return result;
    }

    private boolean isPossible(@Nullable Object result) {
        Class<?> type = method.getReturnType();
        if (result == null) {
            return !type.isPrimitive() || type == void.class;
        }
        return type == void.class || ClassUtils.isAssignableValue(type, result);
    }
}
