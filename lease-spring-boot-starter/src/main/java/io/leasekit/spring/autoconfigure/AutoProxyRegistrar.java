package io.leasekit.spring.autoconfigure;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Registers Spring's auto-proxy creator, which Spring Boot omits if {@code spring.aop.auto} is {@code false}. Without
 * an auto-proxy creator, annotated methods would silently run without a lease.
 */
final class AutoProxyRegistrar implements ImportBeanDefinitionRegistrar {

    @Override
    public void registerBeanDefinitions(AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
        if (AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry) != null) {
            AopConfigUtils.forceAutoProxyCreatorToUseClassProxying(registry);
        }
    }
}
