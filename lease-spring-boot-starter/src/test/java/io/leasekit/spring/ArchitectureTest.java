package io.leasekit.spring;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
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
}
