package io.leasekit.spring;

import io.leasekit.LeaseManager;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;

/** The managers by name, each made at its first use. Thread-safe. */
final class LeaseManagers {

    private final ConcurrentMap<String, LeaseManager> managers = new ConcurrentHashMap<>();
    private final BeanFactory beanFactory;

    LeaseManagers(BeanFactory beanFactory) {
        this.beanFactory = beanFactory;
    }

    /** Returns the manager of this bean name or qualifier; of an empty name the only or primary one. */
    LeaseManager get(String name) {
        LeaseManager known = managers.get(name);
        if (known != null) {
            return known;
        }
        // not computeIfAbsent: making a bean takes locks of the bean factory
        LeaseManager found = find(name);
        managers.put(name, found);
        return found;
    }

    private LeaseManager find(String name) {
        return name.isEmpty()
                ? beanFactory.getBean(LeaseManager.class)
                : BeanFactoryAnnotationUtils.qualifiedBeanOfType(beanFactory, LeaseManager.class, name);
    }
}
