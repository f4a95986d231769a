package io.leasekit.spring.autoconfigure;

import io.leasekit.text.Text;
import java.lang.reflect.Parameter;
import java.lang.reflect.ParameterizedType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.IntStream;
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
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Warns of properties {@code lease.*} that do not exist. Such a property is usually a misspelled one, whose default
 * then applies. The known names are those of the bound classes.
 *
 * <p>An environment variable counts only if it resembles a known name: a platform sets some that begin with
 * {@code LEASE_}, such as Kubernetes for a service named {@code lease}. Names that a bean of the application binds by
 * {@code @ConfigurationProperties} are its own.
 */
final class UnknownLeaseProperties implements SmartInitializingSingleton {

    private static final Logger log = LoggerFactory.getLogger(UnknownLeaseProperties.class);
    private static final ConfigurationPropertyName LEASE = ConfigurationPropertyName.of("lease");
    private static final ConfigurationPropertyName MANAGERS = LEASE.append("managers");

    private final Environment environment;
    private final ListableBeanFactory beans;
    private final List<String> ofLease = known(LeaseProperties.class, "");
    private final List<String> ofManager = known(LeaseManagerProperties.class, "");

    UnknownLeaseProperties(Environment environment, ListableBeanFactory beans) {
        this.environment = environment;
        this.beans = beans;
    }

    // the binder's rule: the parameters of the constructor, nested in other records
    private static List<String> known(Class<?> type, String prefix) {
        List<String> names = new ArrayList<>();
        for (Parameter parameter : type.getDeclaredConstructors()[0].getParameters()) {
            String name = prefix + kebab(parameter.getName());
            if (parameter.getType().isRecord()) {
                names.add(name); // without a value in YAML, it is empty text
                names.addAll(known(parameter.getType(), name + "."));
            } else if (!(parameter.getParameterizedType() instanceof ParameterizedType)) {
                names.add(name);
            }
        }
        return names;
    }

    private static String kebab(String name) {
        return name.replaceAll("([a-z])([A-Z])", "$1-$2").toLowerCase(Locale.ROOT);
    }

    @Override
    public void afterSingletonsInstantiated() {
        Set<ConfigurationPropertyName> reported = new HashSet<>();
        List<ConfigurationPropertyName> others = prefixesOfTheApplication();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source instanceof IterableConfigurationPropertySource iterable) {
                boolean variables = isEnvironment(source.getUnderlyingSource());
                iterable.stream()
                        .filter(LEASE::isAncestorOf)
                        .filter(name -> isUnknown(name, variables))
                        .filter(name ->
                                others.stream().noneMatch(other -> other.equals(name) || other.isAncestorOf(name)))
                        .filter(reported::add)
                        .forEach(name -> warn(name, iterable.getConfigurationProperty(name), variables));
            }
        }
    }

    /** Returns the prefixes below {@code lease} that beans of the application bind. */
    private List<ConfigurationPropertyName> prefixesOfTheApplication() {
        return Stream.of(beans.getBeanNamesForAnnotation(ConfigurationProperties.class))
                .map(bean -> beans.findAnnotationOnBean(bean, ConfigurationProperties.class, false))
                .flatMap(Stream::ofNullable)
                .map(properties -> ConfigurationPropertyName.adapt(properties.prefix(), '.'))
                .filter(LEASE::isAncestorOf)
                .toList();
    }

    private static boolean isEnvironment(@Nullable Object source) {
        return source instanceof SystemEnvironmentPropertySource
                || (source instanceof PropertySource<?> named && named.getName().endsWith("systemEnvironment"));
    }

    private boolean isUnknown(ConfigurationPropertyName name, boolean variables) {
        if (MANAGERS.equals(name) || (MANAGERS.isAncestorOf(name) && name.getNumberOfElements() == 3)) {
            return false; // the binder reads it, or refuses it by name
        }
        return knownHere(name).stream().noneMatch(known -> isSame(own(name), known, variables));
    }

    // LEASE_STORE_TIMEOUT is bound as LEASE_STORETIMEOUT is
    private static boolean isSame(String name, String known, boolean variables) {
        return variables
                ? squeezed(name).equals(squeezed(known))
                : ConfigurationPropertyName.adapt(name, '.').equals(ConfigurationPropertyName.of(known));
    }

    private List<String> knownHere(ConfigurationPropertyName name) {
        return isOfManager(name) ? ofManager : ofLease;
    }

    private static boolean isOfManager(ConfigurationPropertyName name) {
        return MANAGERS.isAncestorOf(name) && name.getNumberOfElements() > 3;
    }

    /** Returns the name without {@code lease} or without the name of its manager. */
    private static String own(ConfigurationPropertyName name) {
        return name.subName(isOfManager(name) ? 3 : 1).toString();
    }

    private static String squeezed(String name) {
        return name.replaceAll("[^\\p{L}\\p{N}]", "").toLowerCase(Locale.ROOT);
    }

    private void warn(ConfigurationPropertyName name, @Nullable ConfigurationProperty property, boolean variables) {
        String own = squeezed(own(name));
        String nearest = knownHere(name).stream()
                .min(Comparator.comparingInt(known -> distance(own, squeezed(known))))
                .orElseThrow();
        if (variables && distance(own, squeezed(nearest)) > Math.min(3, Math.max(1, own.length() / 4))) {
            return;
        }
        String parent = name.chop(isOfManager(name) ? 3 : 1).toString();
        log.warn(
                "Property '{}' does not exist and has no effect: {}. The nearest known name is '{}'",
                Text.plain(name.toString()),
                property == null || property.getOrigin() == null ? "unknown origin" : property.getOrigin(),
                parent + "." + nearest);
    }

    /** Number of letters that differ, where two exchanged neighbours are one difference. */
    private static int distance(String a, String b) {
        int[][] d = new int[a.length() + 1][b.length() + 1];
        IntStream.rangeClosed(0, a.length()).forEach(i -> d[i][0] = i);
        IntStream.rangeClosed(0, b.length()).forEach(j -> d[0][j] = j);
        for (int i = 1; i <= a.length(); i++) {
            for (int j = 1; j <= b.length(); j++) {
                int change = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
                d[i][j] = Math.min(Math.min(d[i - 1][j] + 1, d[i][j - 1] + 1), d[i - 1][j - 1] + change);
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
                }
            }
        }
        return d[a.length()][b.length()];
    }
}
