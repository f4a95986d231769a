package io.leasekit.spring.integration;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.conditions.ArchConditions.be;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.integration.support.locks.DistributedLock;

class ArchitectureTest {

    private static final JavaClasses MODULE = new ClassFileImporter().importPath(Path.of("target", "classes"));

    @Test
    void oneClassNamesTheInterfaceThatSpringIntegration6DoesNotHave() {
        noClasses()
                .that()
                .doNotHaveSimpleName(TtlLock.class.getSimpleName())
                .should()
                .dependOnClassesThat()
                .haveFullyQualifiedName(DistributedLock.class.getName())
                .check(MODULE);
    }

    @Test
    void theTypeArgumentsThatSpringIntegration6DoesNotHaveAreInNoSignature() {
        classes()
                .that()
                .areAssignableTo(LeaseLockRegistry.class)
                .should(be(describe(
                        "raw",
                        type -> type.getInterfaces().stream()
                                .allMatch(implemented -> implemented.equals(implemented.toErasure())))))
                .check(MODULE);
    }

    @Test
    void onlyTheAutoConfigurationNeedsBootAndTheStarter() {
        noClasses()
                .that(describe(
                        "are no auto-configuration", type -> !type.getName().contains("AutoConfiguration")))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "org.springframework.boot..",
                        "io.leasekit.spring.autoconfigure..",
                        "io.leasekit.spring.leader..",
                        "io.leasekit.engine..",
                        "io.leasekit.kernel..")
                .check(MODULE);
    }

    @Test
    void publicTypesAreClosedForExtension() {
        classes()
                .that()
                .arePublic()
                .should(be(describe(
                        "final or an interface",
                        type -> type.getModifiers().contains(JavaModifier.FINAL) || type.isInterface())))
                .check(MODULE);
    }

    @Test
    void methodsOfBeansAreNotPublic() {
        methods()
                .that()
                .areAnnotatedWith(Bean.class)
                .should()
                .bePackagePrivate()
                .check(MODULE);
    }
}
