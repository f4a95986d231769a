package io.leasekit.test;

import io.leasekit.LeaseManager;
import io.leasekit.LeaseStatus;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/** The processes under test: one process, or each Spring context that shares the leases of the test. Thread-safe. */
final class Processes {

    private final List<Member> all = new CopyOnWriteArrayList<>();

    /** One process under test, with its managers. */
    interface Member {
        Stream<LeaseManager> managers();

        /**
         * Restarts or replaces the managers, so that the managers use the table and the virtual time of the new test.
         */
        void restart();

        /** Starts the elections of this process's {@code @LeaderOnly} methods. */
        void lead();
    }

    void add(Member process) {
        all.add(process);
    }

    void remove(Member process) {
        all.remove(process);
    }

    void restart() {
        all.forEach(Member::restart);
    }

    void lead() {
        all.forEach(Member::lead);
    }

    private Stream<LeaseManager> managers() {
        return all.stream().flatMap(Member::managers);
    }

    boolean areWaiting() {
        return managers().anyMatch(manager -> !manager.waiting().isEmpty());
    }

    Optional<LeaseManager> holder(String key) {
        return managers().filter(manager -> lease(manager, key).isPresent()).findFirst();
    }

    List<String> heldKeys() {
        return managers()
                .flatMap(manager -> manager.held().stream())
                .map(LeaseStatus::key)
                .sorted()
                .toList();
    }

    Optional<LeaseStatus> held(String key) {
        return holder(key).flatMap(manager -> lease(manager, key));
    }

    boolean areHolding(LeaseStatus lease) {
        return managers()
                .flatMap(manager -> manager.held().stream())
                .filter(other -> other.key().equals(lease.key()) && other.slot() == lease.slot())
                .anyMatch(other -> other.fencingToken() == lease.fencingToken());
    }

    private static Optional<LeaseStatus> lease(LeaseManager manager, String key) {
        return manager.held().stream().filter(lease -> lease.key().equals(key)).findFirst();
    }
}
