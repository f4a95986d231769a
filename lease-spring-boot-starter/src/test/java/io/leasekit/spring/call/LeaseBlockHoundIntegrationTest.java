package io.leasekit.spring.call;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Reads the byte code of the engine: each method that takes a short lock is named to BlockHound. */
@Tag("full")
class LeaseBlockHoundIntegrationTest {

    private static final List<String> PACKAGES = List.of(
            "engine",
            "internal",
            "kernel",
            "log",
            "memory",
            "observe",
            "pause",
            "requests",
            "spring.call",
            "tenure",
            "threads",
            "time");

    /** Run by the thread of the timers, or when the application ends: no thread of a reactor gets there. */
    private static final Set<String> NOT_ON_A_CALLERS_THREAD =
            Set.of("time.SystemTime.awaitDue", "time.SystemTime.close", "time.SystemTime.queued");

    private static final JavaClasses ENGINE = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(PACKAGES.stream().map(name -> "io.leasekit." + name).toList());

    @Test
    void namesEachMethodThatTakesALock() {
        Set<String> locking = new TreeSet<>();
        ENGINE.stream()
                .flatMap(type -> type.getMethodCallsFromSelf().stream())
                .filter(call -> call.getTargetOwner().isEquivalentTo(ReentrantLock.class)
                        && call.getName().equals("lock"))
                .map(LeaseBlockHoundIntegrationTest::caller)
                .forEach(locking::add);
        assertThat(locking).hasSizeGreaterThan(10);
        locking.removeAll(NOT_ON_A_CALLERS_THREAD);
        assertThat(named()).containsAll(locking);
    }

    @Test
    void namesNoMethodThatIsMissing() {
        Set<String> methods = new TreeSet<>();
        ENGINE.forEach(type ->
                type.getMethods().forEach(method -> methods.add(inLeasekit(type.getName()) + "." + method.getName())));
        assertThat(methods).containsAll(named());
    }

    private static Set<String> named() {
        Set<String> names = new TreeSet<>();
        LeaseBlockHoundIntegration.LOCKS.forEach(
                lock -> lock.stream().skip(1).forEach(method -> names.add(lock.get(0) + "." + method)));
        return names;
    }

    private static String caller(JavaMethodCall call) {
        return inLeasekit(call.getOriginOwner().getName()) + "."
                + call.getOrigin().getName();
    }

    private static String inLeasekit(String type) {
        return type.substring("io.leasekit.".length());
    }
}
