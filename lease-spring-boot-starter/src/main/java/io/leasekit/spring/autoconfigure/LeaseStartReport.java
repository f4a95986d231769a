package io.leasekit.spring.autoconfigure;

import io.leasekit.LeaseManager;
import io.leasekit.spring.aop.DistributedLeaseAdvisor;
import io.leasekit.spring.autoconfigure.LeaseProperties.StoreKind;
import io.leasekit.spring.leader.LeaderElections;
import io.leasekit.spring.policy.LeasedMethod;
import io.leasekit.text.Text;
import java.net.URI;
import java.util.List;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;

/**
 * Logs the store, the settings and the number of annotated methods once the context has started. This class creates no
 * manager and sends no requests.
 */
final class LeaseStartReport implements ApplicationListener<ContextRefreshedEvent> {

    private static final Logger log = LoggerFactory.getLogger(LeaseStartReport.class);

    private final ConfigurableListableBeanFactory beans;
    private final LeaseProperties properties;
    private final DistributedLeaseAdvisor advisor;
    private final LeaderElections leaders;

    LeaseStartReport(
            ConfigurableListableBeanFactory beans,
            LeaseProperties properties,
            DistributedLeaseAdvisor advisor,
            LeaderElections leaders) {
        this.beans = beans;
        this.properties = properties;
        this.advisor = advisor;
        this.leaders = leaders;
    }

    @Override
    public void onApplicationEvent(ContextRefreshedEvent event) {
        // a child context also publishes this event
        if (event.getApplicationContext().getAutowireCapableBeanFactory() != beans || !properties.enabled()) {
            return;
        }
        try {
            log.info(line(ManagerBeans.made(beans).get(ManagerBeans.DEFAULT)));
        } catch (RuntimeException e) {
            // In a test, a mocked manager has no status.
            log.debug("The settings of the lease manager could not be shown", e);
        }
    }

    private String line(@Nullable LeaseManager manager) {
        boolean pauses = manager == null
                ? properties.pause().enabled()
                : manager.pauses().isEnabled(); // a customizer may have enabled pauses
        StringJoiner line = new StringJoiner(", ")
                .add("Lease manager 'default': " + place())
                .add("key prefix of methods "
                        + (properties.prefix().isEmpty() ? "none" : Text.quote(properties.prefix())))
                .add("ttl " + Text.exact(properties.ttl()))
                .add("pauses " + (pauses ? "on" : "off"))
                .add("runs remembered for " + Text.exact(properties.onceRetention()));
        if (manager == null) {
            return line.add("not used so far").toString();
        }
        List<LeasedMethod> own = advisor.methods().stream()
                .filter(method -> advisor.manager(method.manager()) == manager)
                .toList();
        long jobs = own.stream().filter(LeasedMethod::scheduled).count();
        return line.add("owner " + Text.quote(manager.status().owner()))
                .add("methods with a lease: " + own.size() + " (scheduled jobs: " + jobs + ")")
                .add("leaders: " + leaders.count(manager) + ", as far as beans are created")
                .toString();
    }

    private String place() {
        if (properties.store() == StoreKind.IN_MEMORY) {
            return "in memory, excludes no other process";
        }
        if (!beans.containsBeanDefinition("leaseStoreFactory")) {
            return "in a store of the application";
        }
        String client = LeaseDynamoDbAutoConfiguration.CLIENT;
        String connection = beans.containsSingleton(client)
                ? UserDynamoDbClient.place(beans.getBean(client), LeaseStartReport::quoted)
                : place(properties.dynamodb());
        return "table " + Text.quote(properties.table().name()) + " " + connection;
    }

    private static String place(LeaseProperties.DynamoDb set) {
        return set.endpoint() != null
                ? "at " + Text.quote(Text.address(set.endpoint()))
                : set.region() != null ? "in " + Text.quote(set.region()) : "in the region of the client";
    }

    private static String quoted(URI endpoint) {
        return Text.quote(Text.address(endpoint));
    }
}
