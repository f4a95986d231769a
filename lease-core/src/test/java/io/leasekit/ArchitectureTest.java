package io.leasekit;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.conditions.ArchConditions.be;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.leasekit.internal.Internal;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

    private static final JavaClasses CORE = new ClassFileImporter().importPath(Path.of("target", "classes"));

    /** The only classes that read a clock. That of the in-memory store stands for DynamoDB's clock. */
    private static final Set<String> CLOCKS =
            Set.of("io.leasekit.time.SystemTime", "io.leasekit.memory.InMemoryLeaseStore");

    /** Methods that read a clock, wait, or use a timer that a test cannot control. */
    private static final Map<String, Set<String>> TIME = Map.of(
            "java.lang.System", Set.of("nanoTime", "currentTimeMillis"),
            "java.lang.Thread", Set.of("sleep"),
            "java.util.concurrent.TimeUnit", Set.of("sleep"),
            "java.util.concurrent.CompletableFuture", Set.of("orTimeout", "completeOnTimeout", "delayedExecutor"));

    private static final DescribedPredicate<JavaClass> SDK = resideInAPackage("software.amazon.awssdk..");

    private static final DescribedPredicate<JavaClass> PARTS_OF_TRANSACTIONS = resideInAPackage(
                    "software.amazon.awssdk.services.dynamodb.model")
            .and(DescribedPredicate.describe(
                    "parts of users' transactions",
                    type -> Set.of("ConditionCheck", "TransactWriteItem").contains(type.getSimpleName())));

    @Test
    void ofTheSdkOnlyPartsOfUsersTransactionsLeaveTheDynamoDbPackage() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.leasekit.dynamodb..")
                .should()
                .dependOnClassesThat(SDK.and(DescribedPredicate.not(PARTS_OF_TRANSACTIONS)))
                .check(CORE);
    }

    @Test
    void theCoreKnowsNoSpring() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.springframework..")
                .check(CORE);
    }

    @Test
    void timeEntersAtOnePoint() {
        noClasses()
                .that(describe("are no clocks", type -> !CLOCKS.contains(outermost(type))))
                .should()
                .accessTargetWhere(describe("the target reads the time or waits", ArchitectureTest::touchesTime))
                .allowEmptyShould(true)
                .check(CORE);
    }

    @Test
    void publicTypesAreClosedForExtension() {
        classes()
                .that()
                .arePublic()
                .and()
                .areNotAnnotatedWith(Internal.class)
                .should(be(describe("final, sealed, an interface or an exception", ArchitectureTest::isClosed)))
                .allowEmptyShould(true)
                .check(CORE);
    }

    @Test
    void noMethodIsSynchronized() {
        noMethods()
                .should()
                .haveModifier(JavaModifier.SYNCHRONIZED)
                .allowEmptyShould(true)
                .check(CORE);
    }

    private static boolean touchesTime(JavaAccess<?> access) {
        String owner = access.getTargetOwner().getName();
        String member = access.getTarget().getName();
        return TIME.getOrDefault(owner, Set.of()).contains(member)
                || (owner.startsWith("java.time.") && member.equals("now"))
                || (owner.equals("java.time.Clock") && (member.startsWith("system") || member.startsWith("tick")));
    }

    private static boolean isClosed(JavaClass type) {
        return type.getModifiers().contains(JavaModifier.FINAL)
                || type.isInterface()
                || type.isEnum()
                || type.isAssignableTo(Throwable.class)
                || type.reflect().isSealed();
    }

    private static String outermost(JavaClass type) {
        int nested = type.getName().indexOf('$');
        return nested < 0 ? type.getName() : type.getName().substring(0, nested);
    }
}
