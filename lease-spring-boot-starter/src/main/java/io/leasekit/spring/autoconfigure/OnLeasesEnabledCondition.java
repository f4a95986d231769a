package io.leasekit.spring.autoconfigure;

import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches unless {@code lease.enabled} is {@code false}, by the rule by which the application reads it at run time.
 * {@code @ConditionalOnProperty} knows only the text {@code false}, and not {@code off}, {@code no} and {@code 0}.
 */
final class OnLeasesEnabledCondition implements Condition {

    @Override
    public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
        return LeaseAutoConfiguration.isEnabled(context.getEnvironment());
    }
}
