package io.leasekit.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.Lease;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseUnavailableCall;
import io.leasekit.spring.LeaseUnavailableHandler;
import io.leasekit.spring.OnUnavailable;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Calls of methods whose leases another process holds. */
@ExtendWith(OutputCaptureExtension.class)
class UnavailableCallsTest {

    private static final String TYPE = Jobs.class.getName();

    private final LeasedBeans beans = new LeasedBeans(new InMemoryLeaseStore());
    private final Jobs jobs = beans.advise(new Jobs());
    private final List<Lease> held = new ArrayList<>();
    private final List<LeaseUnavailableCall> handled = new ArrayList<>();
    private @Nullable Object handlersResult = 7;

    @BeforeEach
    void holdAllElsewhere() {
        for (String key : List.of("skipped-1", "skipped-2", "waiting", "number", "text", "failing")) {
            held.add(beans.other.tryAcquire(key).orElseThrow());
        }
        beans.beanFactory.registerSingleton("handler", (LeaseUnavailableHandler) call -> {
            handled.add(call);
            return handlersResult;
        });
        beans.beanFactory.registerSingleton("failing", (LeaseUnavailableHandler) call -> {
            throw call.unavailable();
        });
    }

    @AfterEach
    void close() {
        logAt(null);
        held.forEach(Lease::close);
        beans.close();
    }

    @Test
    void aSkipIsCountedByMethod() {
        jobs.skipped("1");
        jobs.skipped("2");

        assertThat(beans.advisor.methods())
                .filteredOn(method -> method.skippedUnavailable() + method.skippedStoreFailures() > 0)
                .singleElement()
                .satisfies(skipped -> {
                    assertThat(skipped.method()).isEqualTo(TYPE + ".skipped");
                    assertThat(skipped.skippedUnavailable()).isEqualTo(2);
                    assertThat(skipped.skippedStoreFailures()).isZero();
                });
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
        jobs.skipped("1");
        jobs.skipped("free");

        assertThat(output).isEmpty();
    }

    @Test
    void aCallThatHasWaitedInVainDoesNotRunEither() {
        assertThatThrownBy(jobs::waiting).isInstanceOf(LeaseUnavailableException.class);
    }

    @Test
    void aHandlerBeanDecidesWhatTheCallReturns() {
        assertThat(jobs.number("x")).isEqualTo(7);

        assertThat(handled).singleElement().satisfies(call -> {
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
        handlersResult = null;
        assertThatIllegalStateException()
                .isThrownBy(() -> jobs.number("x"))
                .withMessage("Handler 'handler' returned null for a call of '" + TYPE + ".number', expected a 'int'");
        assertThat(jobs.text()).isNull();
    }

    @Test
    void aHandlerIsNotAskedWhenTheLeaseIsFree() {
        assertThat(jobs.free()).isEqualTo(1);
        assertThat(handled).isEmpty();
    }

    private static void logAt(@Nullable LogLevel level) {
        LoggingSystem.get(UnavailableCallsTest.class.getClassLoader())
                .setLogLevel(CallsWithoutLease.class.getName(), level);
    }

    private static int unreached() {
        throw new AssertionError("The body ran");
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
