package io.leasekit.spring.autoconfigure;

import io.leasekit.text.Text;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;

/**
 * Logs a warning for each property {@code lease.*} that does not exist. Environment variables are not checked:
 * Kubernetes sets variables {@code LEASE_*} for a service named {@code lease}.
 */
final class UnknownLeaseProperties implements SmartInitializingSingleton {

    private static final Logger log = LoggerFactory.getLogger(UnknownLeaseProperties.class);
    private static final ConfigurationPropertyName LEASE = ConfigurationPropertyName.of("lease");

    private final Environment environment;
    private final ListableBeanFactory beans;

    UnknownLeaseProperties(Environment environment, ListableBeanFactory beans) {
        this.environment = environment;
        this.beans = beans;
    }

    @Override
    public void afterSingletonsInstantiated() {
        Set<ConfigurationPropertyName> known =
                known(LeaseProperties.class, LEASE).collect(Collectors.toSet());
        List<ConfigurationPropertyName> others = prefixesOfTheApplication();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source instanceof IterableConfigurationPropertySource names && !isEnvironment(source)) {
                names.stream()
                        .filter(LEASE::isAncestorOf)
                        .filter(name -> others.stream().noneMatch(of -> of.equals(name) || of.isAncestorOf(name)))
                        .filter(known::add) // reports each name once
                        .forEach(name -> warn(name, names.getConfigurationProperty(name)));
            }
        }
    }

    // Spring's binder also takes the property names from the parameters of the constructor.
    private static Stream<ConfigurationPropertyName> known(Class<?> type, ConfigurationPropertyName prefix) {
        return Stream.of(type.getDeclaredConstructors()[0].getParameters()).flatMap(parameter -> {
            ConfigurationPropertyName name = prefix.append(
                    parameter.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT));
            // In YAML, a group of properties without content counts as a property.
            Stream<ConfigurationPropertyName> own = Stream.of(name);
            return parameter.getType().isRecord() ? Stream.concat(own, known(parameter.getType(), name)) : own;
        });
    }

    private List<ConfigurationPropertyName> prefixesOfTheApplication() {
        return Stream.of(beans.getBeanNamesForAnnotation(ConfigurationProperties.class))
                .map(bean -> beans.findAnnotationOnBean(bean, ConfigurationProperties.class, false))
                .flatMap(Stream::ofNullable)
                .map(properties -> ConfigurationPropertyName.adapt(properties.prefix(), '.'))
                .filter(LEASE::isAncestorOf)
                .toList();
    }

    private static boolean isEnvironment(ConfigurationPropertySource source) {
        return source.getUnderlyingSource() instanceof PropertySource<?> named
                && named.getName().endsWith("systemEnvironment");
    }

    private static void warn(ConfigurationPropertyName name, @Nullable ConfigurationProperty property) {
        log.warn(
                "Property '{}' does not exist and has no effect: {}",
                Text.plain(name.toString()),
                property == null || property.getOrigin() == null ? "unknown origin" : property.getOrigin());
    }
}
