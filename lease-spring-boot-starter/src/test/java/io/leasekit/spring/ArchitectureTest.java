package io.leasekit.spring;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.conditions.ArchConditions.be;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.leasekit.internal.Internal;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;

class ArchitectureTest {

    private static final JavaClasses STARTER = new ClassFileImporter().importPath(Path.of("target", "classes"));

    @Test
    void packagesHaveNoCycles() {
        slices().matching("io.leasekit.(**)").should().beFreeOfCycles().check(STARTER);
    }

    @Test
    void theStackOfCallsTheKeysAndTheSchedulesAreLeaves() {
        mayUse("io.leasekit.spring.context");
        mayUse("io.leasekit.spring.key");
        mayUse("io.leasekit.spring.schedule");
    }

    @Test
    void whatUsersTouchKnowsTheStackOfCallsOnly() {
        mayUse("io.leasekit.spring", "io.leasekit.spring.context");
    }

    @Test
    void thePolicyKnowsWhatUsersTouchTheKeysAndTheSchedules() {
        mayUse(
                "io.leasekit.spring.policy",
                "io.leasekit.spring",
                "io.leasekit.spring.key",
                "io.leasekit.spring.schedule");
    }

    @Test
    void theChecksKnowThePolicy() {
        mayUse(
                "io.leasekit.spring.check",
                "io.leasekit.spring",
                "io.leasekit.spring.policy",
                "io.leasekit.spring.key",
                "io.leasekit.spring.schedule");
    }

    @Test
    void theCallsKnowThePolicyAndTheStackOfCalls() {
        mayUse(
                "io.leasekit.spring.call",
                "io.leasekit.spring",
                "io.leasekit.spring.policy",
                "io.leasekit.spring.context",
                "io.leasekit.spring.schedule");
    }

    @Test
    void theAdviceKnowsThePolicyTheChecksAndTheCalls() {
        mayUse(
                "io.leasekit.spring.aop",
                "io.leasekit.spring",
                "io.leasekit.spring.policy",
                "io.leasekit.spring.check",
                "io.leasekit.spring.call",
                "io.leasekit.spring.context",
                "io.leasekit.spring.schedule");
    }

    @Test
    void theLeadersKnowTheAdviceAndTheStackOfCalls() {
        mayUse(
                "io.leasekit.spring.leader",
                "io.leasekit.spring",
                "io.leasekit.spring.aop",
                "io.leasekit.spring.policy",
                "io.leasekit.spring.context");
    }

    @Test
    void whatOperatorsSeeKnowsThePolicyAndTheFirings() {
        mayUse(
                "io.leasekit.spring.actuate",
                "io.leasekit.spring",
                "io.leasekit.spring.policy",
                "io.leasekit.spring.schedule",
                "io.leasekit.spring.boot3");
    }

    /** Within Leasekit, a package may use the core's API, its helpers, and these packages. */
    private static void mayUse(String user, String... used) {
        DescribedPredicate<JavaClass> others = resideInAPackage("io.leasekit..")
                .and(not(resideInAnyPackage(
                        "io.leasekit",
                        "io.leasekit.internal",
                        "io.leasekit.limits",
                        "io.leasekit.log",
                        "io.leasekit.text",
                        "io.leasekit.time",
                        user)))
                .and(not(resideInAnyPackage(used)));
        noClasses()
                .that()
                .resideInAPackage(user)
                .should()
                .dependOnClassesThat(others)
                .check(STARTER);
    }

    @Test
    void whatIsPublicForANeighbourOnlyIsMarkedInternal() {
        classes()
                .that()
                .arePublic()
                .and()
                .areTopLevelClasses()
                .and()
                .resideInAnyPackage(
                        "io.leasekit.spring.aop",
                        "io.leasekit.spring.call",
                        "io.leasekit.spring.check",
                        "io.leasekit.spring.policy",
                        "io.leasekit.spring.context",
                        "io.leasekit.spring.key",
                        "io.leasekit.spring.leader",
                        "io.leasekit.spring.schedule")
                .should()
                .beAnnotatedWith(Internal.class)
                .check(STARTER);
    }

    @Test
    void nothingThatUsersTouchIsInternal() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        "io.leasekit.spring", "io.leasekit.spring.autoconfigure", "io.leasekit.spring.actuate")
                .should()
                .beAnnotatedWith(Internal.class)
                .check(STARTER);
    }

    @Test
    void autoConfigurationsArePublicAndFinal() {
        classes()
                .that()
                .areAnnotatedWith(AutoConfiguration.class)
                .should()
                .bePublic()
                .andShould()
                .haveModifier(JavaModifier.FINAL)
                .allowEmptyShould(true)
                .check(STARTER);
    }

    @Test
    void beanMethodsOfAutoConfigurationsArePackagePrivate() {
        methods()
                .that()
                .areAnnotatedWith(Bean.class)
                .and()
                .areDeclaredInClassesThat()
                .areAnnotatedWith(AutoConfiguration.class)
                .should()
                .bePackagePrivate()
                .allowEmptyShould(true)
                .check(STARTER);
    }

    @Test
    void sdkTypesStayInTheAutoConfiguration() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.leasekit.spring.autoconfigure..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("software.amazon.awssdk..")
                .check(STARTER);
    }

    @Test
    void publicTypesAreClosedForExtension() {
        classes()
                .that()
                .arePublic()
                .should(be(describe(
                        "final, an interface or an enum",
                        type -> type.getModifiers().contains(JavaModifier.FINAL)
                                || type.isInterface()
                                || type.isEnum())))
                .check(STARTER);
    }
}
