package io.leasekit.test;

import io.leasekit.LeaseManager;
import io.leasekit.engine.EngineBuilder;
import io.leasekit.spring.leader.LeaderElections;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.support.TaskUtils;

/** A Spring context as the process under test. */
final class ContextUnderTest implements Processes.Member, SmartLifecycle {

    /**
     * The bean stops after the starter has ended the waits of scheduled calls, and before the starter closes the
     * managers.
     */
    private static final int PHASE = Integer.MAX_VALUE / 2;

    private static final String ENGINE = EngineBuilder.class.getPackageName();

    private final ConfigurableListableBeanFactory beanFactory;
    private final TestLeases leases;
    private volatile boolean running;

    ContextUnderTest(ConfigurableListableBeanFactory beanFactory) {
        String[] kits = beanFactory.getBeanNamesForType(TestLeases.class, true, false);
        if (kits.length > 1) {
            throw new IllegalStateException("Context has " + kits.length + " beans of type TestLeases: "
                    + Arrays.toString(kits) + ", expected one: two kits do not share their leases");
        }
        this.beanFactory = beanFactory;
        this.leases = beanFactory.getBean(TestLeases.class);
    }

    TestLeases leases() {
        return leases;
    }

    @Override
    public Stream<LeaseManager> managers() {
        return Arrays.stream(beanFactory.getBeanNamesForType(LeaseManager.class, true, false))
                .filter(beanFactory::containsSingleton)
                .map(name -> beanFactory.getBean(name, LeaseManager.class));
    }

    @Override
    public void restart() {
        SmartLifecycle waits = beanFactory.getBean("leaseWaitsLifecycle", SmartLifecycle.class);
        SmartLifecycle managers = beanFactory.getBean("leaseLifecycle", SmartLifecycle.class);
        LeaderElections leaders = leaders();
        // No test waits for the old leaders and managers, so both callbacks are empty.
        leaders.stop(() -> {});
        waits.stop();
        managers.stop(() -> {});
        managers.start();
        waits.start();
        leaders.start();
    }

    @Override
    public void lead() {
        leaders().begin();
    }

    private LeaderElections leaders() {
        return beanFactory.getBean(LeaderElections.class);
    }

    /** Logs a failure of the run as a scheduler would. */
    void startRun(Runnable run) {
        leases.world().time.schedule(0, Runnable::run, TaskUtils.decorateTaskWithErrorHandler(run, null, true));
    }

    @Override
    public void start() {
        beanFactory.getBeansOfType(LeaseManager.class, true, false).forEach((name, manager) -> {
            if (manager.getClass().getPackageName().equals(ENGINE) && !leases.isHosted(manager)) {
                throw new IllegalStateException("LeaseManager bean '" + name + "' does not run in virtual time,"
                        + " expected one whose builder was given to all LeaseManagerCustomizer beans");
            }
        });
        leaders().waitForRequest();
        leases.processes().add(this);
        running = true;
    }

    /**
     * Moves the virtual time until the managers have closed, because no test moves the time while the context stops.
     */
    @Override
    public void stop() {
        running = false;
        managers()
                .map(LeaseManager::closeAsync)
                .filter(Objects::nonNull) // a mocked manager returns null
                .map(CompletionStage::toCompletableFuture)
                .forEach(closed -> leases.world().time.move(VirtualTime.LONGEST_WAIT, closed::isDone));
        leases.processes().remove(this);
    }

    // A pause has no effect, because tests with Spring Framework 7 pause contexts and use the contexts again later.
    @Override
    public boolean isPauseable() {
        return false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
