package io.leasekit.test;

import io.leasekit.LeaseManager;
import io.leasekit.LeaseManagerBuilder;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The process under test, with one manager, in a test without Spring. Thread-safe. */
final class OneManager implements Processes.Member {

    private final TestLeases leases;
    private final Consumer<LeaseManagerBuilder> settings;
    private volatile LeaseManager manager;

    OneManager(TestLeases leases, Consumer<LeaseManagerBuilder> settings) {
        this.leases = leases;
        this.settings = settings;
        this.manager = build();
    }

    private LeaseManager build() {
        LeaseManagerBuilder builder = LeaseManager.builder(leases.store());
        settings.accept(builder);
        leases.host(builder);
        return builder.build();
    }

    LeaseManager manager() {
        return manager;
    }

    @Override
    public Stream<LeaseManager> managers() {
        return Stream.of(manager);
    }

    @Override
    public void restart() {
        manager = build();
    }

    @Override
    public void lead() {}
}
