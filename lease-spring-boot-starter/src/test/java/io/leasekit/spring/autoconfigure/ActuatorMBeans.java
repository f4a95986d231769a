package io.leasekit.spring.autoconfigure;

import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Map;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanParameterInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.springframework.util.StringUtils;

/** Endpoints of the application in this JVM, called over JMX, which is the same on all versions of Spring Boot. */
final class ActuatorMBeans {

    /** The properties that expose the endpoints of an application over JMX. */
    static final String[] PROPERTIES = {
        "spring.jmx.enabled=true",
        "spring.main.web-application-type=none",
        "management.endpoints.jmx.exposure.include=*",
        "management.endpoint.configprops.show-values=always",
        "management.endpoint.env.show-values=always",
        "management.endpoint.health.show-details=always"
    };

    private static final MBeanServer SERVER = ManagementFactory.getPlatformMBeanServer();

    private ActuatorMBeans() {}

    private static ObjectName name(String endpoint) throws Exception {
        return new ObjectName("org.springframework.boot:type=Endpoint,name=" + StringUtils.capitalize(endpoint));
    }

    static boolean exists(String endpoint, String operation) throws Exception {
        return SERVER.isRegistered(name(endpoint))
                && Arrays.stream(SERVER.getMBeanInfo(name(endpoint)).getOperations())
                        .anyMatch(found -> found.getName().equals(operation));
    }

    /** Calls an operation. Missing parameters are passed as {@code null}. */
    static Object call(String endpoint, String operation, Map<String, ?> parameters) throws Exception {
        MBeanOperationInfo found = Arrays.stream(
                        SERVER.getMBeanInfo(name(endpoint)).getOperations())
                .filter(candidate -> candidate.getName().equals(operation))
                .findFirst()
                .orElseThrow();
        MBeanParameterInfo[] signature = found.getSignature();
        return SERVER.invoke(
                name(endpoint),
                operation,
                Arrays.stream(signature)
                        .map(parameter -> parameters.get(parameter.getName()))
                        .toArray(),
                Arrays.stream(signature).map(MBeanParameterInfo::getType).toArray(String[]::new));
    }

    static Object call(String endpoint, String operation) throws Exception {
        return call(endpoint, operation, Map.of());
    }
}
