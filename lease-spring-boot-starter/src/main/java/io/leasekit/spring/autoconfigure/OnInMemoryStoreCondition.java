package io.leasekit.spring.autoconfigure;

import io.leasekit.spring.autoconfigure.LeaseProperties.StoreKind;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Matches if {@code lease.store} is {@code in-memory}, in any spelling that Spring Boot accepts. */
final class OnInMemoryStoreCondition implements Condition {

    @Override
    public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
        return isInMemory(context.getEnvironment());
    }

    static boolean isInMemory(Environment environment) {
        return Binder.get(environment).bind("lease.store", StoreKind.class).orElse(StoreKind.DYNAMODB)
                == StoreKind.IN_MEMORY;
    }
}
