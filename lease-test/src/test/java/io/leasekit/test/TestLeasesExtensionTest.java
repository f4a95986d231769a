package io.leasekit.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.leasekit.Lease;
import io.leasekit.LeaseRequest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;

@ExtendWith(TestLeasesExtension.class)
class TestLeasesExtensionTest {

    private final TestLeasesExtension extension = new TestLeasesExtension();
    private final ExtensionContext context = mock(ExtensionContext.class);
    private final ExtensionContext.Store store = mock(ExtensionContext.Store.class);
    private TestLeases leases;

    @BeforeEach
    void begin(TestLeases given) {
        leases = given;
        when(context.getStore(org.mockito.ArgumentMatchers.any())).thenReturn(store);
    }

    @RepeatedTest(2)
    void eachTestHasItsOwn(TestLeases given) {
        assertThat(given).isSameAs((Object) leases);
        assertThat(given.manager().tryAcquire("report")).isPresent();
    }

    @Test
    void aFailurePrintsTheStory() {
        leases.node("other").hold("report");
        when(store.get(TestLeases.class, TestLeases.class)).thenReturn(leases);
        AssertionError failure = new AssertionError("failed");

        assertThatThrownBy(() -> extension.handleTestExecutionException(context, failure))
                .isSameAs(failure);

        assertThat(failure.getSuppressed())
                .singleElement()
                .satisfies(story -> assertThat(story)
                        .hasMessageContaining("TestLeases at 2027-01-15T08:00:00Z")
                        .hasMessageContaining("other        acquired, token"));
    }

    @Test
    void aThreadThatStillWaitsAtTheEndOfATestIsReleased() {
        leases.node("other").hold("report");
        CompletableFuture<Lease> waiting = CompletableFuture.supplyAsync(
                () -> leases.manager().acquire(LeaseRequest.of("report").waitFor(LeaseRequest.UNLIMITED)));
        while (leases.manager().waiting().isEmpty()) {
            Thread.onSpinWait();
        }
        when(store.get(TestLeases.class, TestLeases.class)).thenReturn(leases);

        extension.afterEach(context);

        assertThat(waiting)
                .failsWithin(Duration.ofMinutes(10))
                .withThrowableThat()
                .withMessageContaining("The test has ended");
    }

    @Test
    void twoKitsInOneTestAreRefused() {
        when(context.getRequiredTestClass()).thenAnswer(call -> Twice.class);

        assertThatIllegalStateException()
                .isThrownBy(() -> extension.beforeEach(context))
                .withMessageContaining("has both @AutoConfigureTestLeases and TestLeasesExtension");
    }

    @Test
    void twoKitsInANestedTestAreRefused() {
        when(context.getRequiredTestClass()).thenAnswer(call -> Twice.Within.class);

        assertThatIllegalStateException()
                .isThrownBy(() -> extension.beforeEach(context))
                .withMessageContaining("two kits do not share their leases");
    }

    @Test
    void aConstructorGetsNone() throws Exception {
        ParameterContext parameter = mock(ParameterContext.class);
        when(parameter.getDeclaringExecutable()).thenAnswer(call -> Twice.class.getDeclaredConstructor());

        assertThatThrownBy(() -> extension.resolveParameter(parameter, context))
                .isInstanceOf(ParameterResolutionException.class)
                .hasMessageContaining("expected a test method or a method with @BeforeEach");
    }

    @AutoConfigureTestLeases
    static class Twice {
        class Within {}
    }
}
