package io.leasekit.spring.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.OnLost;
import io.leasekit.spring.OnUnavailable;
import io.leasekit.spring.aop.LeasedBeans;
import io.reactivex.rxjava3.core.Single;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import reactor.core.publisher.ConnectableFlux;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Results whose work goes on after the method has returned. */
class UnfinishedResultsTest {

    private static final String TYPE = UnfinishedResultsTest.class.getName() + "$";

    private final InMemoryLeaseStore store = new InMemoryLeaseStore();
    private final LeasedBeans beans = new LeasedBeans(store);
    private final Objects objects = beans.advise(new Objects());

    @AfterEach
    void close() {
        beans.close();
    }

    static Stream<Method> refused() {
        return Arrays.stream(Refused.class.getDeclaredMethods()).filter(method -> !method.isSynthetic());
    }

    @ParameterizedTest
    @MethodSource("refused")
    void aTypeWhoseWorkIsUnfinishedIsRefusedAtStart(Method method) {
        LeasePolicies policies = new LeasePolicies(new DefaultListableBeanFactory(), () -> "");

        assertThatExceptionOfType(InvalidLeaseMethodException.class)
                .isThrownBy(() -> policies.of(method, Refused.class))
                .withMessageStartingWith(
                        "@DistributedLease on '" + TYPE + "Refused." + method.getName() + "': the work behind a '")
                .withMessageEndingWith("' goes on after the method has returned, and the lease would not cover it")
                .extracting(InvalidLeaseMethodException::fix)
                .asString()
                .startsWith("Return the finished result, a CompletableFuture or a publisher");
    }

    @Test
    void aPublisherThatCannotBeCreatedOrSkippedIsRefused() throws Exception {
        LeasePolicies policies = new LeasePolicies(new DefaultListableBeanFactory(), () -> "");

        assertThatExceptionOfType(InvalidLeaseMethodException.class)
                .isThrownBy(() -> policies.of(Others.class.getMethod("connectable"), Others.class))
                .withMessageEndingWith(
                        "the lease cannot be attached to a 'reactor.core.publisher.ConnectableFlux', only"
                                + " to a 'reactor.core.publisher.Flux'");
        assertThatExceptionOfType(InvalidLeaseMethodException.class)
                .isThrownBy(() -> policies.of(Others.class.getMethod("skippedSingle"), Others.class))
                .withMessageEndingWith(
                        "a skipped call has no result, but a 'io.reactivex.rxjava3.core.Single' must have one");
    }

    @Test
    void anObjectThatIsAPublisherOrUnfinishedWorkFailsTheCallAndEndsTheLease() {
        for (Object unfinished :
                List.of(Mono.just(1), Single.just(1), Stream.of(1), List.of(1).iterator())) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> objects.object(unfinished))
                    .withMessage("Method '" + TYPE + "Objects.object' returned a '"
                            + unfinished.getClass().getName()
                            + "' as 'java.lang.Object', and its work would go on without the lease. Declare the type that is"
                            + " returned, or return the finished result");
            assertThat(beans.isFree("object")).isTrue();
        }
    }

    @Test
    void aFutureBehindAnObjectIsCancelledUnlessItIsDone() {
        FutureTask<Integer> task = new FutureTask<>(() -> 7);

        assertThatIllegalStateException().isThrownBy(() -> objects.object(task));
        assertThat(task.isCancelled()).isTrue();

        FutureTask<Integer> done = new FutureTask<>(() -> 7);
        done.run();
        assertThat(objects.object(done)).isSameAs(done);
    }

    @Test
    void aStageBehindAnObjectHoldsTheLease() {
        CompletableFuture<String> work = new CompletableFuture<>();

        CompletableFuture<?> result = (CompletableFuture<?>) objects.object(work);

        assertThat(beans.isFree("object")).isFalse();
        work.complete("done");
        assertThat(result).succeedsWithin(Duration.ofMinutes(10)).isEqualTo("done");
        beans.awaitFree("object");
    }

    @Test
    void aStageThatCannotBeReplacedByOneThatFailsWithALossIsCancelled() {
        RunningJob job = new RunningJob();

        assertThatIllegalStateException()
                .isThrownBy(() -> objects.job(job))
                .withMessageStartingWith("Method '" + TYPE + "Objects.job' returned a '");

        assertThat(job).isCancelled();
        assertThat(beans.isFree("job")).isTrue();
        assertThat(objects.notified(job)).isSameAs(job);
    }

    @Test
    void aMinimalStageOfTheJdkEndsTheCall() {
        CompletableFuture<String> work = new CompletableFuture<>();

        objects.notifiedObject(work.minimalCompletionStage());
        assertThat(beans.isFree("job")).isFalse();
        work.complete("done");

        beans.awaitFree("job");
    }

    interface Job {}

    static class RunningJob extends CompletableFuture<Void> implements Job {}

    static class Objects {
        @DistributedLease("job")
        public Job job(Job job) {
            return job;
        }

        @DistributedLease(key = "job", onLost = OnLost.NOTIFY)
        public Object notifiedObject(Object result) {
            return result;
        }

        @DistributedLease(key = "job", onLost = OnLost.NOTIFY)
        public Job notified(Job job) {
            return job;
        }

        @DistributedLease("object")
        public Object object(Object result) {
            return result;
        }
    }

    static class Others {
        @DistributedLease
        public ConnectableFlux<String> connectable() {
            return Flux.just("").publish();
        }

        @DistributedLease(onUnavailable = OnUnavailable.SKIP)
        public Single<String> skippedSingle() {
            return Single.just("");
        }
    }

    static class Refused {
        @DistributedLease
        public Future<String> future() {
            return CompletableFuture.completedFuture("");
        }

        @DistributedLease
        public FutureTask<String> futureTask() {
            return new FutureTask<>(() -> "");
        }

        @DistributedLease
        public Callable<String> callable() {
            return () -> "";
        }

        @DistributedLease
        public Stream<String> stream() {
            return Stream.of();
        }

        @DistributedLease
        public IntStream intStream() {
            return IntStream.of();
        }

        @DistributedLease
        public Iterator<String> iterator() {
            return List.<String>of().iterator();
        }

        @DistributedLease
        public Optional<Flux<String>> within() {
            return Optional.empty();
        }

        @DistributedLease
        public Mono<Optional<Flux<String>>> deepWithin() {
            return Mono.empty();
        }

        @DistributedLease
        public List<Future<String>> listed() {
            return List.of();
        }
    }
}
