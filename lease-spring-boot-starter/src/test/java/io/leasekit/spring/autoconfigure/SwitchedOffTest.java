package io.leasekit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.leasekit.Lease;
import io.leasekit.LeaseException;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseAssert;
import io.leasekit.spring.LeaseContext;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.mockito.Mockito;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** Applications with {@code lease.enabled=false}, those that stop and start again, and those with a mock. */
@ExtendWith(OutputCaptureExtension.class)
class SwitchedOffTest {

    private final ApplicationContextRunner plain = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    AopAutoConfiguration.class, LeaseDynamoDbAutoConfiguration.class, LeaseAutoConfiguration.class));

    private final ApplicationContextRunner off = plain.withPropertyValues("lease.enabled=false");

    @Test
    void annotatedMethodsHaveTheirContextAndTheirLeaseParameter(CapturedOutput output) {
        off.withBean(Jobs.class).run(context -> {
            Jobs jobs = context.getBean(Jobs.class);

            assertThat(jobs.withLease(null)).isEqualTo("job");
            assertThat(jobs.stage().join()).isEqualTo("job");
        });

        assertThat(output.getOut().split("Leases are switched off by 'lease.enabled=false'", -1))
                .hasSize(2);
        assertThat(output)
                .contains("INFO")
                .contains(
                        "Leases are switched off by 'lease.enabled=false': they are kept in memory and exclude no other process")
                .doesNotContain("WARN");
    }

    /** One engine on one store in memory, for annotated methods and for all others. */
    @Test
    void callsOfThisProcessExcludeEachOther() {
        off.withBean(Jobs.class).run(context -> {
            LeaseManager leases = context.getBean(LeaseManager.class);
            try (Lease held = leases.acquire("job")) {
                assertThat(held.isValid()).isTrue();
                assertThat(leases.tryAcquire("job")).isEmpty();
                assertThatExceptionOfType(LeaseUnavailableException.class)
                        .isThrownBy(() -> context.getBean(Jobs.class).withLease(null));
            }
            assertThat(context.getBeanFactory().containsSingleton("leaseStore"))
                    .as("the store of DynamoDB, and its client")
                    .isFalse();
        });
    }

    /** The default manager serves methods of all managers; those of the application may need another table. */
    @Test
    void methodsThatNameAManagerUseTheDefaultOne() {
        off.withInitializer(new FurtherManager("elsewhere", builder -> {
                    throw new AssertionError("not created");
                }))
                .withBean(Elsewhere.class)
                .run(context -> {
                    assertThat(context.getBean(Elsewhere.class).elsewhere()).isEqualTo("elsewhere");
                    assertThat(context.getBean(LeaseManager.class).find("elsewhere"))
                            .isPresent();
                });
    }

    /** Without a default one, a manager that the application defines is used as it is. */
    @Test
    void aManagerOfTheApplicationIsNotSwitchedOff() {
        InMemoryLeaseStore table = new InMemoryLeaseStore();
        off.withBean(
                        "mine",
                        LeaseManager.class,
                        () -> LeaseManager.builder(table).build())
                .withBean(Jobs.class)
                .run(context -> {
                    context.getBean(Jobs.class).withLease(null);
                    assertThat(table.item("job")).isPresent();
                });
    }

    @Test
    void afterAStopAndAStartTheManagerWorks() {
        plain.withBean(InMemoryLeaseStore.class).withBean(Jobs.class).run(context -> {
            ConfigurableApplicationContext application = context.getSourceApplicationContext();
            LeaseManager leases = context.getBean(LeaseManager.class);
            assertThat(context.getBean(Jobs.class).withLease(null)).isEqualTo("job");

            application.stop();
            assertThatExceptionOfType(LeaseException.class).isThrownBy(() -> leases.tryAcquire("key"));
            application.start();

            assertThat(context.getBean(Jobs.class).withLease(null)).isEqualTo("job");
            assertThat(leases.tryAcquire("key")).isPresent();
            assertThat(leases).isEqualTo(context.getBean(LeaseManager.class)).hasSameHashCodeAs(leases);
        });
    }

    @Test
    void aMockedManagerGivesAClearError() {
        LeaseManager mock = Mockito.mock(LeaseManager.class);
        Mockito.when(mock.acquireAsync(Mockito.any())).thenReturn(null);
        plain.withBean("mock", LeaseManager.class, () -> mock)
                .withBean(Jobs.class)
                .run(context -> {
                    Jobs jobs = context.getBean(Jobs.class);

                    assertThatIllegalStateException()
                            .isThrownBy(() -> jobs.withLease(null))
                            .withMessageStartingWith("The LeaseManager bean returned null for lease 'job'. It is a ")
                            .withMessageEndingWith(
                                    ", expected a manager that grants leases. In a test, set 'lease.enabled' to"
                                            + " 'false' or define an InMemoryLeaseStore bean in place of a mock");
                    assertThat(jobs.stage())
                            .failsWithin(Duration.ZERO)
                            .withThrowableThat()
                            .withCauseInstanceOf(IllegalStateException.class);
                });
    }

    static class Jobs {

        @DistributedLease("job")
        public String withLease(Lease lease) {
            LeaseAssert.assertHeld();
            return lease.key();
        }

        @DistributedLease("job")
        public CompletableFuture<String> stage() {
            return CompletableFuture.completedFuture(LeaseContext.current().key());
        }
    }

    static class Elsewhere {

        @DistributedLease(key = "elsewhere", manager = "elsewhere")
        public String elsewhere() {
            return LeaseContext.current().key();
        }
    }
}
