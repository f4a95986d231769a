package io.leasekit.spring;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.conditions.ArchConditions.be;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
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
