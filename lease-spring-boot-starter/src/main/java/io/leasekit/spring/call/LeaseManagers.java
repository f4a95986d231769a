package io.leasekit.spring.call;

import io.leasekit.LeaseManager;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;

/** Finds {@code LeaseManager} beans by name, and caches them. Thread-safe. */
final class LeaseManagers {

    private final ConcurrentMap<String, LeaseManager> managers = new ConcurrentHashMap<>();
    private final BeanFactory beanFactory;
    private volatile boolean onlyDefault;

    LeaseManagers(BeanFactory beanFactory) {
        this.beanFactory = beanFactory;
    }

    void useDefault() {
        onlyDefault = true;
    }

    LeaseManager get(String name) {
        LeaseManager known = managers.get(name);
        if (known != null) {
            return known;
        }
        // computeIfAbsent() would hold a lock of the map while the bean factory takes its own locks.
        LeaseManager found = find(name);
        managers.put(name, found);
        return found;
    }

    private LeaseManager find(String name) {
        LeaseManager forAll =
                onlyDefault ? beanFactory.getBeanProvider(LeaseManager.class).getIfUnique() : null;
        if (forAll != null) {
            return forAll;
        }
        try {
            return name.isEmpty()
                    ? beanFactory.getBean(LeaseManager.class)
                    : BeanFactoryAnnotationUtils.qualifiedBeanOfType(beanFactory, LeaseManager.class, name);
        } catch (NoUniqueBeanDefinitionException e) {
            throw ambiguous(name, e);
        } catch (NoSuchBeanDefinitionException e) {
            throw missing(name, e);
        }
    }

    private NoSuchLeaseManagerException ambiguous(String name, Throwable cause) {
        String of = name.isEmpty() ? "" : " for '" + name + "'";
        return new NoSuchLeaseManagerException(
                "there are several LeaseManager beans" + of + ": " + candidates(),
                "Make one of them @Primary, or name one with 'manager'.",
                cause);
    }

    private NoSuchLeaseManagerException missing(String name, Throwable cause) {
        String of = name.isEmpty() ? "" : " with the name or qualifier '" + name + "'";
        return new NoSuchLeaseManagerException(
                "there is no LeaseManager bean" + of + ", found " + candidates(),
                name.isEmpty()
                        ? "Define a LeaseManager bean."
                        : "Correct 'manager', or define a LeaseManager bean '" + name + "'.",
                cause);
    }

    private String candidates() {
        List<String> names = new ArrayList<>();
        if (beanFactory instanceof ListableBeanFactory listable) {
            names.addAll(List.of(
                    BeanFactoryUtils.beanNamesForTypeIncludingAncestors(listable, LeaseManager.class, true, false)));
        }
        return names.isEmpty() ? "none" : "'" + String.join("', '", names) + "'";
    }
}
