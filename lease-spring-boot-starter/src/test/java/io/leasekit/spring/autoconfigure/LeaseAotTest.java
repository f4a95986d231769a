package io.leasekit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Progress;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaderOnly;
import io.leasekit.spring.LeaseContext;
import io.leasekit.spring.boot3.LeaseHealthCheck;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeHint;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.core.test.tools.TestCompiler;
import org.springframework.javapoet.ClassName;
import org.springframework.scheduling.concurrent.ConcurrentTaskScheduler;
import org.springframework.scheduling.concurrent.SimpleAsyncTaskScheduler;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

/** Ahead-of-time processing: beans are selected at build time, properties are read at run time. */
@Tag("full")
@ExtendWith(OutputCaptureExtension.class)
@CompileWithForkedClassLoader
class LeaseAotTest {

    private static final String EXPOSED = "management.endpoints.web.exposure.include=leases";

    /** How an application that was processed once starts, and what must hold then. */
    private record Start(String property, Consumer<GenericApplicationContext> check) {}

    @Test
    void anApplicationBuiltWithLeasesReadsItsPropertiesAtRunTime(CapturedOutput output) {
        run(
                "lease.enabled=true",
                new Start(
                        "lease.owner=two",
                        context ->
                                assertThat(context.getBean(Jobs.class).owner()).isEqualTo("two")),
                new Start("lease.enabled=false", context -> {
                    assertThat(context.getBean(Jobs.class).owner())
                            .as("of a lease in memory")
                            .contains("@");
                    assertThat(output).contains("Leases are switched off by 'lease.enabled=false'");
                }),
                new Start("lease.enabled=off", LeaseAotTest::hasNoEndpointAndTheHealthSaysSo),
                new Start(
                        "lease.check-before-commit=on",
                        context -> assertThat(listeners(context)).isEqualTo(1)),
                new Start(
                        "lease.check-before-commit=off",
                        context -> assertThat(listeners(context)).isZero()));
    }

    private static void hasNoEndpointAndTheHealthSaysSo(GenericApplicationContext context) {
        context.publishEvent(new ApplicationReadyEvent(new SpringApplication(), new String[0], context, Duration.ZERO));
        context.getBean(Jobs.class).owner();
        assertThat(ExposedEndpoints.web(context)).isEmpty();
        assertThat(context.getBean(LeaseHealthCheck.class).check())
                .isEqualTo(new LeaseHealthCheck.Result(true, Map.of("enabled", false)));
    }

    @Test
    void anApplicationBuiltWithoutLeasesHasThemIfTheyAreOnAtRunTime() {
        run(
                "lease.enabled=no",
                new Start("lease.enabled=yes", context -> {
                    context.publishEvent(
                            new ApplicationReadyEvent(new SpringApplication(), new String[0], context, Duration.ZERO));
                    context.getBean(Jobs.class).owner();
                    assertThat(ExposedEndpoints.web(context)).containsExactly("leases");
                    assertThat(context.getBean(MeterRegistry.class).getMeters())
                            .extracting(meter -> meter.getId().getName())
                            .contains("lease.acquire", "lease.leader.terms");
                    assertThat(context.getBean(LeaseHealthCheck.class).check().details())
                            .doesNotContainKey("enabled");
                }),
                new Start(
                        "lease.owner=two",
                        context ->
                                assertThat(context.getBean(Jobs.class).owner()).isEqualTo("two")));
    }

    @Test
    void theCommitCheckIsSwitchedOnAtRunTime() {
        run(
                "lease.check-before-commit=off",
                new Start(
                        "lease.check-before-commit=on",
                        context -> assertThat(listeners(context)).isEqualTo(1)));
    }

    private static int listeners(GenericApplicationContext context) {
        return context.getBean(ResourcelessManager.class)
                .getTransactionExecutionListeners()
                .size();
    }

    @Test
    void nativeImagesCanReadWhatKeysOfUsersTypesRead() {
        TestGenerationContext generated = new TestGenerationContext(LeaseAotTest.class);
        generate("lease.enabled=true", generated);
        RuntimeHints hints = generated.getRuntimeHints();

        assertThat(isCallable(Order.class, "customer", hints)).isTrue();
        assertThat(isCallable(Customer.class, "getName", hints)).isTrue();
        assertThat(isCallable(Customer.class, "region", hints))
                .as("not reached by a property")
                .isFalse();
        assertThat(isCallable(Unused.class, "getName", hints))
                .as("no expression")
                .isFalse();
    }

    @Test
    void nativeImagesCanEncodeProgress() {
        TestGenerationContext generated = new TestGenerationContext(LeaseAotTest.class);
        generate("lease.enabled=true", generated);
        RuntimeHints hints = generated.getRuntimeHints();

        assertThat(isCallable(Position.class, "line", hints)).isTrue();
        assertThat(hints.reflection().getTypeHint(TypeReference.of("com.fasterxml.jackson.databind.json.JsonMapper")))
                .isNotNull();
    }

    @Test
    void nativeImagesCanReadTheErrorHandlersOfSpringsSchedulers() {
        TestGenerationContext generated = new TestGenerationContext(LeaseAotTest.class);
        generate("lease.enabled=true", generated);
        RuntimeHints hints = generated.getRuntimeHints();

        assertThat(List.of(
                        ThreadPoolTaskScheduler.class, SimpleAsyncTaskScheduler.class, ConcurrentTaskScheduler.class))
                .allMatch(scheduler -> isReadable(scheduler.getName(), "errorHandler", hints));
    }

    private static boolean isReadable(String type, String field, RuntimeHints hints) {
        TypeHint hint = hints.reflection().getTypeHint(TypeReference.of(type));
        return hint != null && hint.fields().anyMatch(one -> one.getName().equals(field));
    }

    private static boolean isCallable(Class<?> type, String method, RuntimeHints hints) {
        TypeHint hint = hints.reflection().getTypeHint(type);
        return hint != null
                && (hint.getMemberCategories().contains(MemberCategory.INVOKE_PUBLIC_METHODS)
                        || hint.methods().anyMatch(each -> each.getName().equals(method)));
    }

    private static void run(String atBuildTime, Start... starts) {
        TestGenerationContext generated = new TestGenerationContext(LeaseAotTest.class);
        ClassName initializer = generate(atBuildTime, generated);
        generated.writeGeneratedContent();
        TestCompiler.forSystem().with(generated).compile(compiled -> {
            for (Start start : starts) {
                @SuppressWarnings("unchecked")
                ApplicationContextInitializer<GenericApplicationContext> made =
                        compiled.getInstance(ApplicationContextInitializer.class, initializer.toString());
                try (GenericApplicationContext context = new GenericApplicationContext()) {
                    TestPropertyValues.of(start.property, EXPOSED).applyTo(context);
                    made.initialize(context);
                    context.refresh();
                    start.check.accept(context);
                }
            }
        });
    }

    private static ClassName generate(String property, TestGenerationContext generated) {
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            TestPropertyValues.of(property, EXPOSED).applyTo(context);
            context.register(Application.class);
            return new ApplicationContextAotGenerator().processAheadOfTime(context, generated);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        AopAutoConfiguration.class,
        LeaseDynamoDbAutoConfiguration.class,
        LeaseAutoConfiguration.class,
        LeaseTransactionAutoConfiguration.class,
        LeaseMetricsAutoConfiguration.class,
        LeaseHealthCheckAutoConfiguration.class,
        LeaseEndpointAutoConfiguration.class
    })
    static class Application {

        @Bean
        InMemoryLeaseStore store() {
            return new InMemoryLeaseStore();
        }

        @Bean
        MeterRegistry registry() {
            return new SimpleMeterRegistry();
        }

        @Bean
        ResourcelessManager transactions() {
            return new ResourcelessManager();
        }

        @Bean
        Jobs jobs() {
            return new Jobs();
        }
    }

    static class ResourcelessManager extends AbstractPlatformTransactionManager {

        private static final long serialVersionUID = 1L;

        @Override
        protected Object doGetTransaction() {
            return this;
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {}

        @Override
        protected void doCommit(DefaultTransactionStatus status) {}

        @Override
        protected void doRollback(DefaultTransactionStatus status) {}
    }

    static class Jobs {

        @LeaderOnly("ingest")
        public void ingest() {}

        @DistributedLease("job")
        public String owner() {
            return LeaseContext.find().map(context -> context.lease().owner()).orElse("none");
        }

        @DistributedLease("order-#{#order.customer.name}")
        public void ship(Order order) {}

        @DistributedLease("import")
        public void load(Progress<Position> progress) {}

        @DistributedLease("constant")
        public void without(Unused unused) {}
    }

    record Position(int line) {}

    record Order(Customer customer) {}

    static final class Customer {
        public String getName() {
            return "name";
        }

        public String region() {
            return "region";
        }
    }

    static final class Unused {
        public String getName() {
            return "name";
        }
    }
}
