package io.leasekit.spring.autoconfigure;

import io.leasekit.LeaseManager;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** Finds the manager beans of a context that already exist, and creates no managers. */
final class ManagerBeans {

    /** The bean name of the manager that the starter creates. */
    static final String DEFAULT = "leaseManager";

    private ManagerBeans() {}

    /** Returns the existing managers by bean name, and creates no manager. */
    static Map<String, LeaseManager> made(ConfigurableListableBeanFactory beanFactory) {
        Map<String, LeaseManager> managers = new LinkedHashMap<>();
        for (String name : beanFactory.getBeanNamesForType(LeaseManager.class, true, false)) {
            if (beanFactory.containsSingleton(name)) {
                managers.put(name, beanFactory.getBean(name, LeaseManager.class));
            }
        }
        return managers;
    }

    /** Returns the bean name of this manager; empty if the manager is not a bean of this context. */
    static Optional<String> nameOf(ConfigurableListableBeanFactory beanFactory, LeaseManager manager) {
        return made(beanFactory).entrySet().stream()
                .filter(bean -> bean.getValue() == manager)
                .map(Map.Entry::getKey)
                .findFirst();
    }
}
