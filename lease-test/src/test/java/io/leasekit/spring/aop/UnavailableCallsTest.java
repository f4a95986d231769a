package io.leasekit.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.LeaseUnavailableException;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseUnavailableCall;
import io.leasekit.spring.LeaseUnavailableHandler;
import io.leasekit.spring.OnUnavailable;
import io.leasekit.spring.policy.LeasedMethod;
import io.leasekit.test.AutoConfigureTestLeases;
import io.leasekit.test.LeaseNode;
import io.leasekit.test.TestLeases;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Calls of methods whose leases another process holds. */
@ExtendWith(OutputCaptureExtension.class)
@SpringBootTest
@AutoConfigureTestLeases
class UnavailableCallsTest {

    private static final String TYPE = Jobs.class.getName();

    @Autowired
    private TestLeases leases;

    @Autowired
    private Jobs jobs;

    @Autowired
    private Handler handler;

    @Autowired
    private DistributedLeaseAdvisor advisor;

    @BeforeEach
    void holdAllElsewhere() {
        LeaseNode other = leases.node("other");
        List.of("skipped-1", "skipped-2", "waiting", "number", "text", "failing")
                .forEach(other::hold);
        handler.handled.clear();
        handler.result = 7;
    }

    @AfterEach
    void logAsBefore() {
        logAt(null);
    }

    @Test
    void aSkipIsCountedByMethod() {
        LeasedMethod before = skipping();
        assertThat(before.method()).isEqualTo(TYPE + ".skipped");

        jobs.skipped("1");
        jobs.skipped("2");

        assertThat(skipping().skippedUnavailable()).isEqualTo(before.skippedUnavailable() + 2);
        assertThat(advisor.methods())
                .as("methods with skipped calls")
                .filteredOn(method -> method.skippedUnavailable() + method.skippedStoreFailures() > 0)
                .singleElement()
                .satisfies(skipped -> {
                    assertThat(skipped.method()).isEqualTo(TYPE + ".skipped");
                    assertThat(skipped.skippedStoreFailures()).isZero();
                });
    }

    /** Returns the method that skips, with the counts of all tests in its context. */
    private LeasedMethod skipping() {
        return advisor.methods().stream()
                .filter(method -> method.method().endsWith(".skipped"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aSkipIsLoggedAtDebugWithTheHolder(CapturedOutput output) {
        logAt(LogLevel.DEBUG);

        jobs.skipped("1");

        assertThat(output)
                .contains("DEBUG")
                .contains("Call of '" + TYPE + ".skipped' skipped: Lease 'skipped-1'")
                .contains("'other'");
    }

    @Test
    void callsAndSkipsAreSilentByDefault(CapturedOutput output) {
        String before = output.getAll(); // of the start of the context

        jobs.skipped("1");
        jobs.skipped("free");

        assertThat(output.getAll()).isEqualTo(before);
    }

    @Test
    void aCallThatHasWaitedInVainDoesNotRunEither() {
        assertThatThrownBy(jobs::waiting).isInstanceOf(LeaseUnavailableException.class);
    }

    @Test
    void aHandlerBeanDecidesWhatTheCallReturns() {
        assertThat(jobs.number("x")).isEqualTo(7);

        assertThat(handler.handled).singleElement().satisfies(call -> {
            assertThat(call.key()).isEqualTo("number");
            assertThat(call.method().getName()).isEqualTo("number");
            assertThat(call.arguments()).containsExactly("x");
            assertThat(call.unavailable().holder().orElseThrow().owner()).isEqualTo("other");
        });
    }

    @Test
    void aHandlersExceptionIsTheCallers() {
        assertThatThrownBy(jobs::failing).isInstanceOf(LeaseUnavailableException.class);
    }

    @Test
    void aHandlersResultOfAnotherTypeIsAnErrorThatNamesIt() {
        assertThatIllegalStateException()
                .isThrownBy(jobs::text)
                .withMessage("Handler 'handler' returned a java.lang.Integer for a call of '" + TYPE
                        + ".text', expected a 'java.lang.String'");
        handler.result = null;
        assertThatIllegalStateException()
                .isThrownBy(() -> jobs.number("x"))
                .withMessage("Handler 'handler' returned null for a call of '" + TYPE + ".number', expected a 'int'");
        assertThat(jobs.text()).isNull();
    }

    @Test
    void aHandlerIsNotAskedWhenTheLeaseIsFree() {
        assertThat(jobs.free()).isEqualTo(1);
        assertThat(handler.handled).isEmpty();
    }

    private static void logAt(@Nullable LogLevel level) {
        LoggingSystem.get(UnavailableCallsTest.class.getClassLoader())
                .setLogLevel("io.leasekit.spring.call.CallsWithoutLease", level);
    }

    private static int unreached() {
        throw new AssertionError("The body ran");
    }

    static class Handler implements LeaseUnavailableHandler {

        private final List<LeaseUnavailableCall> handled = new ArrayList<>();
        private @Nullable Object result;

        @Override
        public @Nullable Object handle(LeaseUnavailableCall call) {
            handled.add(call);
            return result;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Application {

        @Bean
        Jobs jobs() {
            return new Jobs();
        }

        @Bean
        Handler handler() {
            return new Handler();
        }

        @Bean
        LeaseUnavailableHandler failing() {
            return call -> {
                throw call.unavailable();
            };
        }
    }

    static class Jobs {

        @DistributedLease(key = "skipped-#{#id}", onUnavailable = OnUnavailable.SKIP)
        public void skipped(String id) {
            if (!id.equals("free")) {
                unreached();
            }
        }

        @DistributedLease(key = "waiting", waitFor = "50ms")
        public void waiting() {
            unreached();
        }

        @DistributedLease(key = "number", unavailableHandler = "handler")
        public int number(String argument) {
            return unreached();
        }

        @DistributedLease(key = "text", unavailableHandler = "handler")
        public String text() {
            return "" + unreached();
        }

        @DistributedLease(key = "failing", unavailableHandler = "failing")
        public void failing() {
            unreached();
        }

        @DistributedLease(key = "free", unavailableHandler = "handler")
        public int free() {
            return 1;
        }
    }
}
