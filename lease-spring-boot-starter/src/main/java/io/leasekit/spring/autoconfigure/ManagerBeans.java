package io.leasekit.spring.autoconfigure;

import io.leasekit.LeaseManager;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** The managers of a context that have been made. */
final class ManagerBeans {

    private ManagerBeans() {}

    /** Returns them by the names of their beans; makes none. */
    static Map<String, LeaseManager> made(ConfigurableListableBeanFactory beanFactory) {
        Map<String, LeaseManager> managers = new LinkedHashMap<>();
        for (String name : beanFactory.getBeanNamesForType(LeaseManager.class, true, false)) {
            if (beanFactory.containsSingleton(name)) {
                managers.put(name, beanFactory.getBean(name, LeaseManager.class));
            }
        }
        return managers;
    }
}
