package io.leasekit.spring.autoconfigure;

import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.type.AnnotatedTypeMetadata;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/**
 * Matches if no client bean has the name or qualifier of the lease client. {@code @ConditionalOnMissingBean} compares
 * only names, not qualifiers.
 */
final class OnMissingLeaseClientCondition extends SpringBootCondition implements ConfigurationCondition {

    @Override
    public ConfigurationPhase getConfigurationPhase() {
        return ConfigurationPhase.REGISTER_BEAN;
    }

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        ConfigurableListableBeanFactory beanFactory = context.getBeanFactory();
        if (beanFactory == null) {
            return ConditionOutcome.match("no bean factory");
        }
        for (String name : beanFactory.getBeanNamesForType(DynamoDbAsyncClient.class, true, false)) {
            if (BeanFactoryAnnotationUtils.isQualifierMatch(
                    LeaseDynamoDbAutoConfiguration.CLIENT::equals, name, beanFactory)) {
                return ConditionOutcome.noMatch("found client bean '" + name + "'");
            }
        }
        return ConditionOutcome.match("found no client bean for leases");
    }
}
