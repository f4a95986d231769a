package io.leasekit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.leasekit.Lease;
import io.leasekit.LeaseException;
import io.leasekit.LeaseLock;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseWatch;
import io.leasekit.Progress;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseAssert;
import io.leasekit.spring.LeaseContext;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
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
            assertThat(jobs.elsewhere()).isEqualTo("elsewhere");
        });

        assertThat(output.getOut().split("Leases are switched off by 'lease.enabled=false'", -1))
                .hasSize(2);
        assertThat(output)
                .contains("INFO")
                .contains(
                        "Leases are switched off by 'lease.enabled=false': each is granted at once and excludes nobody")
                .doesNotContain("WARN");
    }

    @Test
    void progressIsSavedNowhere() {
        off.withBean(Jobs.class).run(context -> {
            Jobs jobs = context.getBean(Jobs.class);

            assertThat(jobs.saved(null)).isEmpty();
            assertThat(jobs.saved(null)).isEmpty();
        });
    }

    @Test
    void itStartsNoThread() {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        off.withBean(Jobs.class).run(context -> {
            context.getBean(Jobs.class).withLease(null);
            assertThat(Thread.getAllStackTraces().keySet())
                    .filteredOn(thread -> !before.contains(thread)) // the JDK or another test may start others
                    .noneMatch(thread -> thread.getName().startsWith("lease-"));
        });
    }

    @Test
    void locksMayBeLockedAgainAndExcludeNobody() {
        off.run(context -> {
            LeaseLock lock = context.getBean(LeaseManager.class).lock("key");
            lock.lock();
            assertThat(lock.tryLock()).isTrue();
            assertThat(CompletableFuture.supplyAsync(lock::tryLock).join()).isTrue();
            lock.unlock();
            lock.unlock();
            assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
        });
    }

    @Test
    void everyAcquireIsGrantedAtOnceUnderAGrowingToken() {
        off.run(context -> {
            LeaseManager leases = context.getBean(LeaseManager.class);
            Lease one = leases.tryAcquire("key").orElseThrow();
            Lease two = leases.acquire(LeaseRequest.of("key").once("run"));
            Lease three = leases.acquireAsync(LeaseRequest.ofAll("key", "other"))
                    .join()
                    .orElseThrow();

            assertThat(two.fencingToken()).isGreaterThan(one.fencingToken());
            assertThat(three.fencingToken()).isGreaterThan(two.fencingToken());
            assertThat(three.keys()).containsExactly("key", "other");
            assertThat(two.runName()).contains("run");
            assertThat(one.permits()).isZero();
            assertThat(leases.acquire(LeaseRequest.of("key").permits(3)).permits())
                    .isEqualTo(3);
            assertThat(one.isValid()).isTrue();
            assertThat(one.remaining()).isEqualTo(Duration.ofSeconds(60));
            assertThat(one.lost().toCompletableFuture()).isNotDone();
            assertThatExceptionOfType(UnsupportedOperationException.class)
                    .isThrownBy(one::conditionCheck)
                    .withMessage("Lease 'key' has no condition check, because 'lease.enabled' is 'false'");
            assertThatExceptionOfType(UnsupportedOperationException.class)
                    .isThrownBy(one::fence)
                    .withMessage("Lease 'key' has no fence, because 'lease.enabled' is 'false'");
            assertThat(one.lossReason()).isEmpty();
            one.close();
            assertThat(one.isValid()).isFalse();
            two.release(Duration.ofMinutes(1));
            assertThat(two.isValid()).isFalse();
            assertThatExceptionOfType(LeaseException.class).isThrownBy(one::ensureValid);
            assertThat(leases.find("key")).isEmpty();
            assertThat(leases.list().leases()).isEmpty();
            assertThat(leases.held()).isEmpty();
            assertThat(leases.forceRelease("key", 1).isDone()).isFalse();
        });
    }

    @Test
    void watchedKeysAreFree() {
        off.run(context -> {
            LeaseManager leases = context.getBean(LeaseManager.class);
            List<LeaseWatch.State> states = new CopyOnWriteArrayList<>();
            CompletableFuture<String> thread = new CompletableFuture<>();
            leases.acquire("key");

            try (LeaseWatch watch = leases.watch("key", state -> {
                states.add(state);
                thread.complete(Thread.currentThread().getName());
            })) {
                assertThat(thread)
                        .succeedsWithin(Duration.ofMinutes(10))
                        .asString()
                        .startsWith("lease-callback-");
                assertThat(watch.key()).isEqualTo("key");
            }

            assertThat(states).containsExactly(new LeaseWatch.Free("key", 0));
            assertThat(leases.awaitFree("key", Duration.ZERO)).isTrue();
            assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> leases.watch(" ", states::add));
        });
    }

    @Test
    void aKeyIsFreeForCallersThatAskAtTheSameTime() {
        off.run(context -> {
            LeaseManager leases = context.getBean(LeaseManager.class);
            Runnable asking = () -> {
                for (int i = 0; i < 5_000; i++) {
                    assertThat(leases.awaitFree("key", Duration.ZERO)).isTrue();
                }
            };

            CompletableFuture.allOf(
                            CompletableFuture.runAsync(asking),
                            CompletableFuture.runAsync(asking),
                            CompletableFuture.runAsync(asking))
                    .join();

            assertThatExceptionOfType(IllegalArgumentException.class)
                    .isThrownBy(() -> leases.awaitFree(" ", Duration.ZERO));
            assertThatExceptionOfType(IllegalArgumentException.class)
                    .isThrownBy(() -> leases.awaitFree("key", Duration.ofSeconds(-1)));
        });
    }

    @Test
    void namedManagersGrantEverythingToo() {
        off.withPropertyValues("lease.managers.slow.ttl=5m")
                .run(context -> assertThat(context.getBean("slowLeaseManager", LeaseManager.class)
                                .tryAcquire("key"))
                        .isPresent());
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

        @DistributedLease("import")
        public Optional<Integer> saved(Progress<Integer> progress) {
            progress.save(5);
            return progress.last();
        }

        @DistributedLease("elsewhere")
        public String elsewhere() {
            return LeaseContext.current().key();
        }
    }
}
