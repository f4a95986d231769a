package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.Verb.ACQUIRE;
import static io.leasekit.engine.ScriptedStore.Verb.RENEW;
import static net.bytebuddy.matcher.ElementMatchers.isAbstract;
import static net.bytebuddy.matcher.ElementMatchers.isConstructor;
import static net.bytebuddy.matcher.ElementMatchers.isMethod;
import static net.bytebuddy.matcher.ElementMatchers.isNative;
import static net.bytebuddy.matcher.ElementMatchers.isTypeInitializer;
import static net.bytebuddy.matcher.ElementMatchers.nameStartsWith;
import static net.bytebuddy.matcher.ElementMatchers.not;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.lang.instrument.Instrumentation;
import java.nio.file.Path;
import java.security.ProtectionDomain;
import java.util.Set;
import java.util.TreeSet;
import net.bytebuddy.agent.ByteBuddyAgent;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.agent.builder.ResettableClassFileTransformer;
import net.bytebuddy.asm.Advice;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Number of types that an acquire and a renewal enter between the call and the store, which a reader has to know. The test
 * prints it; its bound only catches a mistake. A type is entered if a method or constructor of it runs, and a nested type
 * counts with its outermost one.
 */
@Tag("instruments")
class EnteredTypesTest {

    private static final Logger log = LoggerFactory.getLogger(EnteredTypesTest.class);

    private static final int GENEROUS = 40;

    private static final Path CLASSES = Path.of("target", "classes");

    private static ResettableClassFileTransformer transformer;
    private static Instrumentation instrumentation;

    private final Bench bench = new Bench();
    private final Bench.Node here = bench.start("here");

    /** Filled by the code that {@link Enter} puts at the beginning of each method. */
    public static final class Entered {
        public static final Set<String> TYPES = new TreeSet<>();
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

    /** Loads all classes first: one that is loaded while another is transformed would be left out. */
    @BeforeAll
    static void instrument() {
        for (JavaClass type : new ClassFileImporter().importPath(CLASSES)) {
            type.reflect();
        }
        instrumentation = ByteBuddyAgent.install();
        transformer = new AgentBuilder.Default()
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
        return domain.getCodeSource().getLocation().getPath().endsWith("/target/classes/");
    }

    @AfterAll
    static void reset() {
        transformer.reset(instrumentation, AgentBuilder.RedefinitionStrategy.RETRANSFORMATION);
    }

    private static Set<String> enteredBy(Runnable step) {
        Entered.TYPES.clear();
        Entered.counts = true;
        try {
            step.run();
        } finally {
            Entered.counts = false;
        }
        Set<String> outermost = new TreeSet<>();
        Entered.TYPES.forEach(type -> outermost.add(type.replaceAll("\\$.*", "")));
        log.info("{} of {}: {}", outermost.size(), Entered.TYPES.size(), Entered.TYPES);
        return outermost;
    }

    private void stopCountingAt(ScriptedStore.Verb verb) {
        here.store.next(verb, request -> {
            Entered.counts = false;
            request.deliver();
        });
    }

    @Test
    void anUncontendedAcquire() {
        here.acquire("other");
        stopCountingAt(ACQUIRE);

        assertThat(enteredBy(() -> here.acquire("key"))).hasSizeLessThanOrEqualTo(GENEROUS);
    }

    @Test
    void aRenewal() {
        here.acquire("key");
        stopCountingAt(RENEW);

        assertThat(enteredBy(() -> bench.advance(Bench.TTL.dividedBy(3)))).hasSizeLessThanOrEqualTo(GENEROUS);
        assertThat(here.store.verbs()).contains(RENEW);
    }
}
