package io.leasekit;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.leasekit.engine.EngineBuilder;
import io.leasekit.internal.Internal;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The packages: allowed dependencies, visibility and cycles. */
class PackagesTest {

    private static final String ROOT = "io.leasekit";
    private static final String STORE = "io.leasekit.store";
    private static final String RECORDS = "io.leasekit.records";
    private static final String KERNEL = "io.leasekit.kernel";
    private static final String ENGINE = "io.leasekit.engine";
    private static final String LEADER = "io.leasekit.leader";
    private static final String REQUESTS = "io.leasekit.requests";
    private static final String TENURE = "io.leasekit.tenure";
    private static final String OBSERVE = "io.leasekit.observe";
    private static final String PAUSE = "io.leasekit.pause";
    private static final String THREADS = "io.leasekit.threads";
    private static final String INTERNAL = "io.leasekit.internal";
    private static final String TEXT = "io.leasekit.text";
    private static final String LIMITS = "io.leasekit.limits";
    private static final String TIME = "io.leasekit.time";
    private static final String LOG = "io.leasekit.log";

    /** Each other package may use them. */
    private static final Set<String> HELPERS = Set.of(INTERNAL, TEXT, LIMITS, TIME, LOG);

    private static final JavaClasses CORE = new ClassFileImporter().importPath(Path.of("target", "classes"));

    static Stream<Arguments> directions() {
        return Stream.of(
                arguments(INTERNAL, Set.of()),
                arguments(TEXT, Set.of(INTERNAL)),
                arguments(LIMITS, Set.of(INTERNAL, TEXT)),
                arguments(TIME, Set.of(INTERNAL)),
                arguments(LOG, Set.of(INTERNAL, TIME)),
                arguments(STORE, withHelpers()),
                arguments(ROOT, withHelpers(STORE)),
                arguments(LEADER, withHelpers(ROOT)),
                arguments(THREADS, withHelpers()),
                arguments(REQUESTS, withHelpers(ROOT, STORE, THREADS)),
                arguments(RECORDS, withHelpers(ROOT, STORE)),
                arguments(PAUSE, withHelpers(ROOT, STORE, RECORDS, REQUESTS)),
                arguments(KERNEL, withHelpers(ROOT, STORE, REQUESTS, TENURE, OBSERVE, THREADS)),
                arguments(
                        ENGINE,
                        withHelpers(ROOT, STORE, RECORDS, LEADER, PAUSE, KERNEL, REQUESTS, TENURE, OBSERVE, THREADS)),
                arguments(TENURE, withHelpers(STORE, REQUESTS)),
                arguments(OBSERVE, withHelpers(STORE, REQUESTS, TENURE)),
                arguments("io.leasekit.dynamodb", withHelpers(ROOT, STORE, RECORDS)),
                arguments("io.leasekit.memory", Set.of(STORE, RECORDS)));
    }

    private static Set<String> withHelpers(String... others) {
        Set<String> all = new HashSet<>(HELPERS);
        all.addAll(List.of(others));
        return all;
    }

    @ParameterizedTest
    @MethodSource("directions")
    void aPackageDependsOnlyOn(String name, Set<String> others) {
        Set<String> allowed = new HashSet<>(others);
        allowed.add(name);

        assertThat(CORE.containPackage(name)).isTrue();
        assertThat(CORE.stream()
                        .filter(type -> type.getPackageName().equals(name))
                        .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                        .filter(PackagesTest::isInside)
                        .filter(dependency -> !isOnTheBuilder(dependency)))
                .allMatch(dependency ->
                        allowed.contains(dependency.getTargetClass().getPackageName()));
    }

    private static boolean isInside(Dependency dependency) {
        return dependency.getTargetClass().getPackageName().startsWith(ROOT);
    }

    /** The one exception, as in the JDK's {@code HttpClient}: the interface creates its implementation's builder. */
    private static boolean isOnTheBuilder(Dependency dependency) {
        return dependency.getOriginClass().isEquivalentTo(LeaseManager.class)
                && dependency.getTargetClass().isEquivalentTo(EngineBuilder.class);
    }

    @Test
    void eachPackageHasItsDirections() {
        Set<String> packages = CORE.stream().map(JavaClass::getPackageName).collect(Collectors.toSet());

        assertThat(directions().map(direction -> (String) direction.get()[0]))
                .containsExactlyInAnyOrderElementsOf(packages);
    }

    @Test
    void packagesHaveNoCycles() {
        slices().matching("io.(**)")
                .should()
                .beFreeOfCycles()
                .ignoreDependency(LeaseManager.class, EngineBuilder.class)
                .check(CORE);
    }

    @Test
    void theKernelKnowsNoFeature() {
        noClasses()
                .that()
                .resideInAnyPackage(KERNEL, REQUESTS, TENURE, OBSERVE, THREADS, STORE, TIME)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(ENGINE, RECORDS, PAUSE, LEADER, "io.leasekit.dynamodb", "io.leasekit.memory")
                .check(CORE);
    }

    @Test
    void theRootPackageIsTheApiOnly() {
        assertThat(topLevel(ROOT)).isNotEmpty().allMatch(PackagesTest::isPublic);
    }

    @Test
    void theEngineShowsOnlyItsBuilder() {
        assertThat(topLevel(ENGINE)).filteredOn(PackagesTest::isPublic).containsExactly(CORE.get(EngineBuilder.class));
    }

    @Test
    void whatIsPublicOnlyForANeighbourSaysSo() {
        assertThat(CORE.get(EngineBuilder.class).isAnnotatedWith(Internal.class))
                .isTrue();
        assertThat(Stream.of(STORE, RECORDS, LEADER, PAUSE, KERNEL, REQUESTS, TENURE, OBSERVE, THREADS, INTERNAL))
                .allSatisfy(name -> assertThat(topLevel(name))
                        .filteredOn(PackagesTest::isPublic)
                        .filteredOn(type -> !type.isAnnotation())
                        .isNotEmpty()
                        .allMatch(type -> type.isAnnotatedWith(Internal.class)));
    }

    private static boolean isPublic(JavaClass type) {
        return type.getModifiers().contains(JavaModifier.PUBLIC);
    }

    private static List<JavaClass> topLevel(String name) {
        return CORE.stream()
                .filter(type -> type.getPackageName().equals(name) && type.isTopLevelClass())
                .filter(type -> !type.getSimpleName().equals("package-info"))
                .toList();
    }
}
