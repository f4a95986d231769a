package io.leasekit.spring.autoconfigure;

import io.leasekit.LeaseManager;
import io.leasekit.LeaseManagerStatus;
import io.leasekit.LeasePauses;
import io.leasekit.spring.aop.DistributedLeaseAdvisor;
import io.leasekit.spring.autoconfigure.LeaseProperties.StoreKind;
import io.leasekit.spring.leader.LeaderElections;
import io.leasekit.spring.policy.LeasedMethod;
import io.leasekit.text.Text;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;

/**
 * Logs one line for each manager once the context has started: where its leases are kept, with which settings, and for how
 * many methods. So whoever reads only this line sees a wrong setting. Creates no manager and sends no request.
 */
final class LeaseStartReport implements ApplicationListener<ContextRefreshedEvent> {

    private static final Logger log = LoggerFactory.getLogger(LeaseStartReport.class);
    private static final String DEFAULT = "leaseManager";
    private static final String SUFFIX = "LeaseManager";

    private final ConfigurableListableBeanFactory beans;
    private final Supplier<LeaseProperties> settings;
    private final DistributedLeaseAdvisor advisor;
    private final LeaderElections leaders;

    LeaseStartReport(
            ConfigurableListableBeanFactory beans,
            Supplier<LeaseProperties> settings,
            DistributedLeaseAdvisor advisor,
            LeaderElections leaders) {
        this.beans = beans;
        this.settings = settings;
        this.advisor = advisor;
        this.leaders = leaders;
    }

    @Override
    public void onApplicationEvent(ContextRefreshedEvent event) {
        // the event of a child context comes here, too; switched-off leases have a line of their own
        if (event.getApplicationContext().getAutowireCapableBeanFactory() != beans
                || !settings.get().enabled()) {
            return;
        }
        try {
            lines(settings.get()).forEach(log::info);
        } catch (RuntimeException e) {
            log.debug("The settings of the lease managers could not be shown", e);
        }
    }

    private List<String> lines(LeaseProperties properties) {
        Map<String, LeaseManager> made = ManagerBeans.made(beans);
        Map<String, @Nullable LeaseManager> all = new LinkedHashMap<>();
        if (beans.containsBeanDefinition(DEFAULT)) {
            all.put(DEFAULT, made.get(DEFAULT));
        }
        properties.managers().keySet().forEach(name -> all.put(name + SUFFIX, made.get(name + SUFFIX)));
        made.forEach(all::putIfAbsent);
        List<LeasedMethod> methods = advisor.methods();
        List<String> lines = new ArrayList<>();
        all.forEach((bean, manager) -> lines.add(line(bean, manager, methods, properties)));
        return lines;
    }

    private String line(
            String bean, @Nullable LeaseManager manager, List<LeasedMethod> methods, LeaseProperties properties) {
        String name = bean.endsWith(SUFFIX) ? bean.substring(0, bean.length() - SUFFIX.length()) : "";
        boolean named = properties.managers().containsKey(name);
        boolean ours = named || (bean.equals(DEFAULT) && (manager == null || RestartableManager.is(manager)));
        StringJoiner line = new StringJoiner(", ");
        line.add("Lease manager " + Text.quote(named ? name : bean.equals(DEFAULT) ? "default" : bean) + ": "
                + (ours ? place(named ? name : null, properties) : "defined by the application"));
        line.add("key prefix of methods " + (properties.prefix().isEmpty() ? "none" : Text.quote(properties.prefix())));
        LeaseManagerProperties settings = named ? properties.manager(name) : properties.manager();
        if (ours) {
            line.add("ttl " + (settings.ttl() == null ? "by default" : Text.exact(settings.ttl())));
        }
        addPauses(line, manager, properties);
        if (ours) {
            line.add("runs remembered for "
                    + (settings.onceRetention() == null ? "the default time" : Text.exact(settings.onceRetention())));
        }
        addStatus(line, manager);
        if (manager == null) {
            return line.add("not used so far").toString();
        }
        List<LeasedMethod> own = methods.stream()
                .filter(method -> advisor.manager(method.manager()) == manager)
                .toList();
        long jobs = own.stream().filter(LeasedMethod::scheduled).count();
        return line.add("methods with a lease: " + own.size() + " (scheduled jobs: " + jobs + ")")
                .add("leaders: " + leaders.count(manager) + ", as far as beans are created")
                .toString();
    }

    /** A customizer may differ from the property, and a manager of the application does not know it. */
    private static void addPauses(StringJoiner line, @Nullable LeaseManager manager, LeaseProperties properties) {
        LeasePauses pauses = manager == null ? null : manager.pauses();
        if (manager == null || pauses != null) { // a mock of a test returns none
            boolean on = pauses == null ? properties.pause().enabled() : pauses.isEnabled();
            line.add("pauses " + (on ? "on" : "off"));
        }
    }

    private static void addStatus(StringJoiner line, @Nullable LeaseManager manager) {
        LeaseManagerStatus status = manager == null ? null : manager.status();
        if (status != null) { // a mock of a test returns none
            line.add("owner " + Text.quote(status.owner()));
        }
    }

    private String place(@Nullable String manager, LeaseProperties properties) {
        if (properties.store() == StoreKind.IN_MEMORY) {
            return "in memory, excludes no other process";
        }
        if (!beans.containsBeanDefinition("leaseStoreFactory")) {
            return "in a store of the application";
        }
        String table = manager == null
                ? properties.table().name()
                : properties.table(manager).name();
        String own = manager == null ? "" : NamedLeaseBeans.clientName(manager);
        String client = beans.containsBean(own) ? own : LeaseDynamoDbAutoConfiguration.CLIENT;
        return "table " + Text.quote(table) + " "
                + connection(client, manager == null ? properties.dynamodb() : properties.dynamodb(manager));
    }

    private String connection(String client, LeaseProperties.DynamoDb set) {
        if (beans.containsSingleton(client)) {
            return UserDynamoDbClient.place(beans.getBean(client), LeaseStartReport::quoted);
        }
        return set.endpoint() != null
                ? "at " + Text.quote(Text.address(set.endpoint()))
                : set.region() != null ? "in " + Text.quote(set.region()) : "in the region of the client";
    }

    private static String quoted(URI endpoint) {
        return Text.quote(Text.address(endpoint));
    }
}
