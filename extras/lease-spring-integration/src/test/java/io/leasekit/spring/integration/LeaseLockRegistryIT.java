package io.leasekit.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.dynamodb.local.LocalDynamoDb;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;

/** Two applications that share a table of DynamoDB Local. */
@Tag("full")
@Timeout(600)
class LeaseLockRegistryIT {

    private final String table = "locks-" + UUID.randomUUID();
    private ConfigurableApplicationContext first;
    private ConfigurableApplicationContext second;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Journal journal() {
            return new Journal();
        }

        @Bean
        LockRegistryLeaderInitiator leaderInitiator(LeaseLockRegistry locks, Journal journal) {
            LockRegistryLeaderInitiator initiator =
                    new LockRegistryLeaderInitiator(locks, new DefaultCandidate("node", "ingest"));
            initiator.setLeaderEventPublisher(journal);
            return initiator;
        }
    }

    private ConfigurableApplicationContext start() {
        return new SpringApplicationBuilder(Application.class)
                .properties(
                        "lease.table.name=" + table,
                        "lease.table.create=if-missing",
                        "lease.store-timeout=60s", // a busy machine may answer the first requests too late
                        "lease.key-prefix=shop/",
                        "lease.dynamodb.endpoint=" + LocalDynamoDb.endpoint(),
                        "lease.dynamodb.region=us-east-1",
                        "lease.dynamodb.access-key=local",
                        "lease.dynamodb.secret-key=local")
                .run();
    }

    @BeforeEach
    void startBoth() {
        first = start();
        assertThat(journal(first).next()).isEqualTo("granted ingest");
        second = start();
    }

    @AfterEach
    void close() {
        first.close();
        second.close();
    }

    private static Journal journal(ConfigurableApplicationContext node) {
        return node.getBean(Journal.class);
    }

    private static LeaseRegistryLock lock(ConfigurableApplicationContext node) {
        return node.getBean(LeaseLockRegistry.class).obtain("foo");
    }

    @Test
    void theApplicationsExcludeEachOther() throws InterruptedException {
        lock(first).lock();
        lock(first).lock();
        assertThat(lock(second).tryLock()).isFalse();
        assertThat(lock(second).tryLock(100, TimeUnit.MILLISECONDS)).isFalse();
        lock(first).unlock();
        assertThat(lock(second).tryLock()).isFalse();

        lock(first).unlock();

        assertThat(lock(second).tryLock(10, TimeUnit.MINUTES)).isTrue();
        lock(second).unlock();
    }

    @Test
    void theOtherApplicationLeadsAfterTheEndOfTheFirst() {
        Journal ofFirst = journal(first);
        first.close();

        assertThat(journal(second).next()).isEqualTo("granted ingest");
        assertThat(ofFirst.next()).isEqualTo("revoked ingest");
    }
}
