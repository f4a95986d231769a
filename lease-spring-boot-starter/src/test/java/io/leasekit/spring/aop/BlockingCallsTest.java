package io.leasekit.spring.aop;

import static io.leasekit.time.EngineTime.SECOND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.Lease;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.time.SystemTime;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.blockhound.BlockHound;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** BlockHound finds no blocking call on the threads of Reactor that must not block. */
@Tag("instruments")
@Timeout(600)
class BlockingCallsTest {

    private static final Duration SOON = Duration.ofMinutes(10);

    private final LeasedBeans beans = new LeasedBeans(new InMemoryLeaseStore());
    private final Jobs jobs = beans.advise(new Jobs());

    @BeforeAll
    static void install() {
        BlockHound.install();
    }

    @AfterEach
    void close() {
        beans.close();
    }

    @Test
    void blockHoundFindsABlockingCall() {
        assertThatThrownBy(() -> onParallel(Mono.fromCallable(() -> new CountDownLatch(1).await(1, TimeUnit.SECONDS)))
                        .block(SOON))
                .hasRootCauseMessage("Blocking call! jdk.internal.misc.Unsafe#park");
    }

    @Test
    void subscribingWorkingAndReleasingBlockNothing() {
        for (int call = 0; call < 20; call++) {
            assertThat(onParallel(jobs.mono()).block(SOON)).isEqualTo("value");
            assertThat(onParallel(jobs.flux().collectList()).block(SOON)).hasSize(2);
        }
    }

    @Test
    void waitingAndCancellingBlockNothing() throws Exception {
        Lease theirs = beans.other.tryAcquire("key").orElseThrow();
        Mono<String> waiting = onParallel(jobs.mono()).cache();
        var unused = waiting.subscribe(value -> {}, failure -> {});
        onParallel(jobs.mono())
                .timeout(Duration.ofMillis(50), Mono.just("cancelled"))
                .block(SOON);

        theirs.close();

        assertThat(waiting.block(SOON)).isEqualTo("value");
    }

    @Test
    void aFailureBlocksNothing() {
        assertThatThrownBy(() -> onParallel(jobs.failing().retry(3)).block(SOON))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void timersThatManyThreadsSetAtOnceBlockNothing() {
        try (SystemTime time = new SystemTime()) {
            Mono<Long> timers = Flux.range(0, 8)
                    .flatMap(thread -> onParallel(Mono.fromRunnable(() -> setAndCancel(time))))
                    .count();
            timers.block(SOON);
        }
    }

    private static void setAndCancel(SystemTime time) {
        for (int i = 0; i < 50_000; i++) {
            time.schedule(SECOND, () -> {}).cancel();
        }
    }

    private static <T> Mono<T> onParallel(Mono<T> call) {
        return call.subscribeOn(Schedulers.parallel());
    }

    static class Jobs {

        @DistributedLease(key = "key", waitFor = "1h")
        public Mono<String> mono() {
            return Mono.just("value").delayElement(Duration.ofMillis(1));
        }

        @DistributedLease(key = "key-#{target.hashCode()}")
        public Flux<String> flux() {
            return Flux.just("one", "two");
        }

        @DistributedLease("failing")
        public Mono<String> failing() {
            return Mono.error(new IllegalArgumentException());
        }
    }
}
