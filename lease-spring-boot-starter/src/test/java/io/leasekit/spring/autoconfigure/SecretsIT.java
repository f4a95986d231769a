package io.leasekit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.LeaseManager;
import io.leasekit.dynamodb.local.LocalDynamoDb;
import io.leasekit.spring.DistributedLease;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Secrets that logs and endpoints must not show. */
@ExtendWith(OutputCaptureExtension.class)
class SecretsIT {

    private static final String SECRET = "wJalrXUtnFEMI";
    private static final String ANOTHER = "bPxRfiCYEXAMPLEKEY";

    @Test
    void noSecretIsLoggedOrShown(CapturedOutput output) throws Exception {
        try (ConfigurableApplicationContext node = start()) {
            LeaseManager leases = node.getBean(LeaseManager.class);
            node.getBean(Job.class)
                    .run(() -> assertThat(leases.tryAcquire("job")).isEmpty());
            assertNoSecret(ActuatorMBeans.call("health", "health"));
            Object properties = ActuatorMBeans.call("configprops", "configurationProperties");
            assertThat(properties.toString()).contains("lease.dynamodb", "secretKey=******", "us-east-1");
            assertNoSecret(properties);
            assertThat(ActuatorMBeans.call("env", "environment").toString()).contains("lease.dynamodb.region");
            assertNoSecret(ActuatorMBeans.call("env", "environment"));
            assertNoSecret(ActuatorMBeans.call("leases", "leases"));
            assertNoSecret(ActuatorMBeans.call("leases", "view", Map.of("view", "snapshot")));
            assertNoSecret(node.getBean(LeaseProperties.class));
            assertNoSecret(leases.status());
            assertThat(node.getBean(LeaseProperties.class).dynamodb().secretKey())
                    .isEqualTo(SECRET);
        }
        assertNoSecret(output);
    }

    @Tag("full")
    @Test
    void noErrorOfATableThatCannotBeReachedShowsThem(CapturedOutput output) {
        try (ConfigurableApplicationContext node = start(
                "lease.dynamodb.endpoint=http://me:" + SECRET + "@127.0.0.1:1",
                "lease.dynamodb.secret-key=" + ANOTHER,
                "lease.store-timeout=2s")) {
            assertThatThrownBy(() -> node.getBean(LeaseManager.class).find("key"))
                    .satisfies(SecretsIT::assertNoSecret);
        }
        assertNoSecret(output);
    }

    private static void assertNoSecret(Object shown) {
        assertThat(String.valueOf(shown)).doesNotContain(SECRET).doesNotContain(ANOTHER);
    }

    private static void assertNoSecret(Throwable error) {
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            assertNoSecret(cause.toString());
        }
    }

    private static ConfigurableApplicationContext start(String... properties) {
        String endpoint = LocalDynamoDb.endpoint().toString();
        return new SpringApplicationBuilder(Application.class)
                .properties(ActuatorMBeans.PROPERTIES)
                .properties(
                        "logging.level.io.leasekit=TRACE",
                        "logging.level.software.amazon.awssdk.auth=DEBUG",
                        "lease.table.name=secrets-" + UUID.randomUUID(),
                        "lease.table.create=if-missing",
                        "lease.store-timeout=60s", // a busy machine may answer the first requests too late
                        "lease.dynamodb.endpoint=" + endpoint,
                        "lease.dynamodb.region=us-east-1",
                        "lease.dynamodb.access-key=id",
                        "lease.dynamodb.secret-key=" + SECRET)
                .properties(properties)
                .run();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Job.class)
    static class Application {}

    static class Job {
        @DistributedLease("job")
        public void run(Runnable body) {
            body.run();
        }
    }
}
