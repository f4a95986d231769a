package io.leasekit.test;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.conditions.ArchConditions.be;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

    private static final JavaClasses KIT = new ClassFileImporter().importPath(Path.of("target", "classes"));

    /** The only classes that need Spring or the starter. */
    private static final Set<String> WITH_SPRING = Set.of(
            "AutoConfigureTestLeases",
            "TestLeasesAutoConfiguration",
            "TestLeasesListener",
            "ContextUnderTest",
            "ContextOfLease",
            "Firing");

    @Test
    void theKitWorksWithoutSpring() {
        noClasses()
                .that(describe("need no Spring", type -> !WITH_SPRING.contains(outermost(type))))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.springframework..", "io.leasekit.spring..")
                .check(KIT);
    }

    @Test
    void onlyTheExtensionNeedsJUnit() {
        noClasses()
                .that(describe("need no JUnit", type -> !outermost(type).equals("TestLeasesExtension")))
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.junit..")
                .check(KIT);
    }

    @Test
    void nothingReadsARealClock() {
        noClasses()
                .should()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(java.time.Instant.class, "now")
                .orShould()
                .callMethod(Thread.class, "sleep", long.class)
                .check(KIT);
    }

    @Test
    void publicTypesAreClosedForExtension() {
        classes()
                .that()
                .arePublic()
                .should(be(describe(
                        "final or an annotation",
                        type -> type.getModifiers().contains(JavaModifier.FINAL) || type.isInterface())))
                .check(KIT);
    }

    private static String outermost(JavaClass type) {
        String name = type.getName().substring(type.getPackageName().length() + 1);
        int nested = name.indexOf('$');
        return nested < 0 ? name : name.substring(0, nested);
    }
}
