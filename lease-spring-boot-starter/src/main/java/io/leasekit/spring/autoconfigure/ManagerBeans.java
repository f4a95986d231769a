package io.leasekit.spring.autoconfigure;

import io.leasekit.LeaseManager;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** Finds the manager beans of a context that already exist, and creates no managers. */
final class ManagerBeans {

    static final String DEFAULT = "leaseManager";

    private ManagerBeans() {}

    static Map<String, LeaseManager> made(ConfigurableListableBeanFactory beanFactory) {
        Map<String, LeaseManager> managers = new LinkedHashMap<>();
        for (String name : beanFactory.getBeanNamesForType(LeaseManager.class, true, false)) {
            if (beanFactory.containsSingleton(name)) {
                managers.put(name, beanFactory.getBean(name, LeaseManager.class));
            }
        }
        return managers;
    }

    static Optional<String> nameOf(ConfigurableListableBeanFactory beanFactory, LeaseManager manager) {
        return made(beanFactory).entrySet().stream()
                .filter(bean -> bean.getValue() == manager)
                .map(Map.Entry::getKey)
                .findFirst();
    }
}
