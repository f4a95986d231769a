package io.leasekit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.records.AcquireText;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.OnUnavailable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;

/** Applications that share a table, by their {@code spring.application.name}. */
@ExtendWith(OutputCaptureExtension.class)
class KeySharingTest {

    private static final String WARNING = "both use this key in table";

    private final InMemoryLeaseStore table = new InMemoryLeaseStore();
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    AopAutoConfiguration.class, LeaseDynamoDbAutoConfiguration.class, LeaseAutoConfiguration.class))
            .withPropertyValues("lease.close-timeout=0s")
            .withBean(InMemoryLeaseStore.class, () -> table)
            .withBean(Job.class);

    static class Job {

        @DistributedLease(key = "clean-up", onUnavailable = OnUnavailable.SKIP)
        public void run() {}
    }

    private static LeaseManager manager(ApplicationContext context) {
        return context.getBean(LeaseManager.class);
    }

    /** Lets the job of another node find the key of its application held. */
    private void meet(String key, String... ofOther) {
        runner.withPropertyValues("spring.application.name=billing").run(one -> {
            try (Lease held = manager(one).tryAcquire(key).orElseThrow()) {
                runner.withPropertyValues(ofOther).run(other -> {
                    other.getBean(Job.class).run();
                    other.getBean(Job.class).run();
                });
            }
        });
    }

    @Test
    void theJobOfAnotherApplicationIsOneWarning(CapturedOutput output) {
        meet("clean-up", "spring.application.name=orders");

        assertThat(output)
                .contains("Lease 'clean-up' is held by application 'billing' (owner 'billing@")
                .contains("but this is application 'orders'")
                .containsOnlyOnce(WARNING);
    }

    @Test
    void nodesOfOneApplicationAreNoNews(CapturedOutput output) {
        meet("clean-up", "spring.application.name=billing");

        assertThat(output).doesNotContain(WARNING);
    }

    @Test
    void anApplicationWithoutANameTellsNone(CapturedOutput output) {
        meet("clean-up");
        meet("clean-up", "spring.application.name=");
        meet("clean-up", "spring.application.name= ");

        assertThat(output).doesNotContain(WARNING);
        runner.withPropertyValues("spring.application.name= ").run(context -> {
            manager(context).tryAcquire("key");
            assertThat(AcquireText.APPLICATION.of(table.item("key").orElseThrow()))
                    .isNull();
        });
    }

    @Test
    void sharingOnPurposeIsNoNews(CapturedOutput output) {
        meet("clean-up", "spring.application.name=orders", "lease.key-sharing=true");

        assertThat(output).doesNotContain(WARNING);
    }

    @Test
    void aPrefixSeparatesThem(CapturedOutput output) {
        meet("clean-up", "spring.application.name=orders", "lease.key-prefix=orders/");

        assertThat(output).doesNotContain(WARNING);
        assertThat(AcquireText.APPLICATION.of(table.item("orders/clean-up").orElseThrow()))
                .isEqualTo("orders");
    }

    @Test
    void aFurtherManagerTellsItToo(CapturedOutput output) {
        runner.withPropertyValues("spring.application.name=billing")
                .run(one -> manager(one).tryAcquire("key"));

        runner.withInitializer(new FurtherManager("same"))
                .withPropertyValues("spring.application.name=orders", "lease.key-sharing=true")
                .run(context -> {
                    context.getBean("leaseManager", LeaseManager.class).tryAcquire("key");
                    assertThat(output).doesNotContain(WARNING);
                    context.getBean("same", LeaseManager.class).tryAcquire("key");
                    assertThat(output).containsOnlyOnce(WARNING);
                });
    }
}
