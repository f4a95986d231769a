package io.leasekit.spring.aop;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Tells mocks, which tests put in place of beans past all post-processors. */
final class Mocks {

    private static final @Nullable Method MOCKING_DETAILS = mockingDetails();

    private Mocks() {}

    static boolean isMock(Object bean) {
        if (MOCKING_DETAILS == null) {
            return false;
        }
        Method isMock = ClassUtils.getMethod(MOCKING_DETAILS.getReturnType(), "isMock");
        Object details = ReflectionUtils.invokeMethod(MOCKING_DETAILS, null, bean);
        return Boolean.TRUE.equals(ReflectionUtils.invokeMethod(isMock, details));
    }

    private static @Nullable Method mockingDetails() {
        try {
            Class<?> mockito = ClassUtils.forName("org.mockito.Mockito", Mocks.class.getClassLoader());
            return ClassUtils.getMethodIfAvailable(mockito, "mockingDetails", Object.class);
        } catch (ClassNotFoundException | LinkageError e) {
            return null;
        }
    }
}
