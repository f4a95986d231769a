package io.leasekit.spring.autoconfigure;

import static net.bytebuddy.matcher.ElementMatchers.isAbstract;
import static net.bytebuddy.matcher.ElementMatchers.isConstructor;
import static net.bytebuddy.matcher.ElementMatchers.isMethod;
import static net.bytebuddy.matcher.ElementMatchers.isNative;
import static net.bytebuddy.matcher.ElementMatchers.isTypeInitializer;
import static net.bytebuddy.matcher.ElementMatchers.nameStartsWith;
import static net.bytebuddy.matcher.ElementMatchers.not;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.dynamodb.local.LocalDynamoDb;
import io.leasekit.spring.DistributedLease;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.ProtectionDomain;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import net.bytebuddy.agent.ByteBuddyAgent;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.agent.builder.ResettableClassFileTransformer;
import net.bytebuddy.asm.Advice;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * Number of types that an annotated call enters on its whole way: from the proxy to the SDK's client and back, with its
 * release. A reader has to know them, so ARCHITECTURE.md names each. The test prints the number; its bound only catches a mistake. A type is entered if a
 * method or constructor of it runs, and a nested type counts with its outermost one.
 */
@Tag("instruments")
class AnnotatedCallTypesTest {

    private static final Logger log = LoggerFactory.getLogger(AnnotatedCallTypesTest.class);

    private static final int GENEROUS = 120;

    /** Filled by the code that {@link Enter} puts at the beginning of each method. */
    public static final class Entered {
        public static final Set<String> TYPES = ConcurrentHashMap.newKeySet();
        public static volatile boolean counts;

        private Entered() {}
    }

    /** Copied into each method. */
    static final class Enter {
        private Enter() {}

        @Advice.OnMethodEnter
        static void enter(@Advice.Origin("#t") String type) {
            if (Entered.counts) {
                Entered.TYPES.add(type);
            }
        }
    }

    @Test
    void anAnnotatedCallOnItsWholeWay() throws IOException {
        try (ConfigurableApplicationContext node = start()) {
            Orders orders = node.getBean(Orders.class);
            orders.process("first", () -> {}); // reads DynamoDB's time, and loads the classes
            awaitQuiet();
            Instrumentation instrumentation = ByteBuddyAgent.install();
            ResettableClassFileTransformer transformer = transformer(instrumentation);
            Set<String> before = new TreeSet<>();
            try {
                Entered.counts = true;
                orders.process("second", () -> before.addAll(Entered.TYPES));
                awaitQuiet(); // its release
            } finally {
                Entered.counts = false;
                transformer.reset(instrumentation, AgentBuilder.RedefinitionStrategy.RETRANSFORMATION);
            }

            report("to the method", before);
            Set<String> entered = report("on the whole way", Entered.TYPES);
            assertThat(entered)
                    .contains("io.leasekit.dynamodb.DynamoDbLeaseStore", "io.leasekit.engine.Releases")
                    .hasSizeLessThanOrEqualTo(GENEROUS);
            String page = Files.readString(Path.of("..", "ARCHITECTURE.md"));
            assertThat(page.substring(page.indexOf("\n## One call"), page.indexOf("\n## Other ways")))
                    .contains(entered.stream()
                            .map(name -> "`" + name.substring(name.lastIndexOf('.') + 1) + "`")
                            .toList());
        }
    }

    private static Set<String> report(String where, Set<String> types) {
        Set<String> outermost = new TreeSet<>();
        types.forEach(type -> outermost.add(type.replaceAll("\\$.*", "")));
        outermost.remove(AnnotatedCallTypesTest.class.getName());
        log.info("{} types (of {} with the nested ones) {}: {}", outermost.size(), types.size(), where, outermost);
        return outermost;
    }

    /** Waits until nothing more is entered. */
    private static void awaitQuiet() {
        AtomicInteger last = new AtomicInteger(-1);
        Awaitility.await()
                .during(Duration.ofMillis(500))
                .atMost(Duration.ofMinutes(10))
                .until(() -> last.getAndSet(Entered.TYPES.size()) == Entered.TYPES.size());
    }

    private static ResettableClassFileTransformer transformer(Instrumentation instrumentation) {
        return new AgentBuilder.Default()
                .disableClassFormatChanges()
                .with(AgentBuilder.RedefinitionStrategy.RETRANSFORMATION)
                .type(nameStartsWith("io.leasekit."))
                .transform((builder, type, loader, module, domain) -> isMain(domain)
                        ? builder.visit(Advice.to(Enter.class)
                                .on(isMethod()
                                        .or(isConstructor())
                                        .and(not(isAbstract()))
                                        .and(not(isNative()))
                                        .and(not(isTypeInitializer()))))
                        : builder)
                .installOn(instrumentation);
    }

    private static boolean isMain(ProtectionDomain domain) {
        URL location = domain.getCodeSource().getLocation();
        return !location.getPath().matches(".*(test-classes/|-tests\\.jar|dynamodb-local.*)");
    }

    private static ConfigurableApplicationContext start() {
        return new SpringApplicationBuilder(Application.class)
                .properties(
                        "lease.table.name=types-" + UUID.randomUUID(),
                        "lease.table.create=if-missing",
                        "lease.store-timeout=60s", // a busy machine may answer the first requests too late
                        "lease.dynamodb.endpoint=" + LocalDynamoDb.endpoint(),
                        "lease.dynamodb.region=us-east-1",
                        "lease.dynamodb.access-key=local",
                        "lease.dynamodb.secret-key=local")
                .run();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Orders.class)
    static class Application {}

    static class Orders {

        @DistributedLease("order-#{#id}")
        public void process(String id, Runnable body) {
            body.run();
        }
    }
}
