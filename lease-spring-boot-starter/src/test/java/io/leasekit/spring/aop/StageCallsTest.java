package io.leasekit.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import io.leasekit.spring.LeaseUnavailableHandler;
import io.leasekit.spring.OnFailure;
import io.leasekit.spring.OnUnavailable;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Methods that return a stage. */
@Tag("boot3")
@Timeout(600)
class StageCallsTest {

    private static final Duration SOON = Duration.ofMinutes(10);

    private final InMemoryLeaseStore store = new InMemoryLeaseStore();
    private final LeasedBeans beans = new LeasedBeans(store);
    private final Jobs jobs = beans.advise(new Jobs());

    StageCallsTest() {
        jobs.inject(jobs);
    }

    @AfterEach
    void close() {
        beans.close();
    }

    @Test
    void theLeaseIsHeldUntilTheStageCompletes() {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> result = jobs.async(work);
        awaitHeld();

        work.complete("done");

        assertThat(result).succeedsWithin(SOON).isEqualTo("done");
        beans.awaitFree("async");
    }

    @Test
    void manyWaitingCallsHoldNoThread() {
        Lease theirs = beans.other.tryAcquire("waiting").orElseThrow();
        int before = Thread.activeCount();
        List<CompletableFuture<String>> calls = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            calls.add(jobs.waiting());
        }
        Awaitility.await().atMost(SOON).until(() -> beans.own.waiting().size() == 500);
        assertThat(Thread.activeCount()).isLessThan(before + 100);

        theirs.close();

        calls.forEach(call -> assertThat(call).succeedsWithin(SOON).isEqualTo("waited"));
    }

    @Test
    void theMethodRunsUnderItsLeaseWithTheCallersClassLoader() {
        ClassLoader loader = new ClassLoader(getClass().getClassLoader()) {};
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        Thread.currentThread().setContextClassLoader(loader);
        try {
            assertThat(jobs.context()).succeedsWithin(SOON).isEqualTo(List.of("context", loader));
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    /** How fast the answer is: there when the manager returns, or when the call has asked to be told. */
    private static List<UnaryOperator<CompletableFuture<Optional<Lease>>>> answers() {
        return List.of(answer -> CompletableFuture.completedFuture(answer.join()), AnsweredAtOnce::new);
    }

    /** Has its answer, and has told it, when a receiver has been added. */
    private static final class AnsweredAtOnce extends CompletableFuture<Optional<Lease>> {

        private final CompletableFuture<Optional<Lease>> answer;

        AnsweredAtOnce(CompletableFuture<Optional<Lease>> answer) {
            this.answer = answer;
        }

        @Override
        public CompletableFuture<Optional<Lease>> whenCompleteAsync(
                BiConsumer<? super Optional<Lease>, ? super Throwable> receiver, Executor executor) {
            CompletableFuture<Optional<Lease>> told = super.whenCompleteAsync(receiver, executor);
            complete(answer.join());
            told.join();
            return told;
        }
    }

    @ParameterizedTest
    @MethodSource("answers")
    void noCallerRunsAMethodWhoseLeaseItAskedForHoweverFastTheAnswerIs(
            UnaryOperator<CompletableFuture<Optional<Lease>>> fast) {
        LeaseManager own = beans.own;
        beans.beanFactory.destroySingleton("leaseManager");
        beans.beanFactory.registerSingleton(
                "leaseManager",
                Proxy.newProxyInstance(
                        getClass().getClassLoader(),
                        new Class<?>[] {LeaseManager.class},
                        (proxy, method, arguments) -> {
                            Object result = method.invoke(own, arguments);
                            return method.getName().equals("acquireAsync") ? fast.apply(answer(result)) : result;
                        }));

        assertThat(jobs.thread()).succeedsWithin(SOON).isNotEqualTo(Thread.currentThread());
    }

    @SuppressWarnings("unchecked")
    private static CompletableFuture<Optional<Lease>> answer(Object result) {
        return (CompletableFuture<Optional<Lease>>) result;
    }

    @Test
    void aNestedCallForTheSameKeyJoins() {
        assertThat(jobs.outer()).succeedsWithin(SOON).isEqualTo("inner");
        beans.awaitFree("nested");
    }

    @Test
    void aHeldLeaseFailsTheFutureWithItsHolder() {
        try (Lease theirs = beans.other.tryAcquire("async").orElseThrow()) {
            assertThat(jobs.async(new CompletableFuture<>()))
                    .failsWithin(SOON)
                    .withThrowableThat()
                    .withCauseInstanceOf(LeaseUnavailableException.class)
                    .withMessageContaining("owner 'other'");
            assertThat(theirs.isValid()).isTrue();
        }
    }

    @Test
    void aSkippedCallCompletesWithNull() {
        try (Lease theirs = beans.other.tryAcquire("skipped").orElseThrow()) {
            assertThat(jobs.skipped().toCompletableFuture())
                    .succeedsWithin(SOON)
                    .isNull();
            assertThat(theirs.isValid()).isTrue();
        }
    }

    @Test
    void aHandlerBeanDecidesWithAStage() {
        beans.beanFactory.registerSingleton(
                "handler", (LeaseUnavailableHandler) call -> CompletableFuture.completedFuture("handled"));
        try (Lease theirs = beans.other.tryAcquire("handled").orElseThrow()) {
            assertThat(jobs.handled()).succeedsWithin(SOON).isEqualTo("handled");
            assertThat(theirs.isValid()).isTrue();
        }
    }

    @Test
    void aMethodThatThrowsItselfFailsTheFuture() {
        assertThat(jobs.throwing())
                .failsWithin(SOON)
                .withThrowableThat()
                .withCauseInstanceOf(IllegalArgumentException.class);
        beans.awaitFree("throwing");
    }

    @Test
    void aCallThatCannotBeginFailsTheFuture() {
        assertThat(jobs.byKey(" "))
                .failsWithin(SOON)
                .withThrowableThat()
                .withCauseInstanceOf(IllegalStateException.class)
                .withMessageContaining("lease key of '" + Jobs.class.getName() + ".byKey' is invalid");
        assertThat(jobs.ofOneOfTwoKeys())
                .failsWithin(SOON)
                .withThrowableThat()
                .withCauseInstanceOf(IllegalStateException.class)
                .withMessageContaining("would wait for itself");
        beans.own.close();
        assertThat(jobs.async(new CompletableFuture<>())).failsWithin(SOON);
    }

    @Test
    void aCancelWhileItWaitsEndsTheWait() {
        try (Lease theirs = beans.other.tryAcquire("waiting").orElseThrow()) {
            CompletableFuture<String> call = jobs.waiting();
            Awaitility.await().atMost(SOON).until(() -> beans.own.waiting().size() == 1);

            call.cancel(true);

            Awaitility.await().atMost(SOON).until(() -> beans.own.waiting().isEmpty()); // a sender may be in a step
            assertThat(theirs.isValid()).isTrue();
        }
    }

    @Test
    void aCancelWhileItWorksReachesTheWork() {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> call = jobs.async(work);
        awaitWorking(work);

        call.cancel(true);

        Awaitility.await().atMost(SOON).until(work::isCancelled); // the method may still be about to return it
        beans.awaitFree("async");
    }

    @Test
    void aCancelWhileItWorksLeavesTheLeaseToAStageThatNobodyCanCancel() {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> call = jobs.uncancelled(work).toCompletableFuture();
        awaitWorking(work);

        call.cancel(true);

        assertThat(work).isNotDone();
        assertThat(beans.isFree("uncancelled")).isFalse();
        work.complete("late");
        beans.awaitFree("uncancelled");
    }

    @Test
    void aRunThatIsCancelledIsNotDone() {
        CompletableFuture<String> call = jobs.importing("file", new CompletableFuture<>());
        awaitHeld();
        call.cancel(true);
        beans.awaitFree("import");

        assertThat(jobs.importing("file", CompletableFuture.completedFuture("imported")))
                .succeedsWithin(SOON)
                .isEqualTo("imported");
    }

    @Test
    void aTimeoutOfTheCallerLeavesTheLeaseToTheWork() {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> call = jobs.async(work);
        awaitWorking(work);

        call.orTimeout(1, TimeUnit.MILLISECONDS);

        assertThat(call).failsWithin(SOON);
        assertThat(beans.isFree("async")).isFalse();
        work.complete("late");
        beans.awaitFree("async");
    }

    @Test
    void leasesAcquiredAreLeasesReleased() {
        List<CompletableFuture<String>> calls = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            calls.add(jobs.byNumber(i, CompletableFuture.completedFuture("value")));
        }
        for (int i = 0; i < calls.size(); i += 3) {
            calls.get(i).cancel(true);
        }

        Awaitility.await().atMost(SOON).until(() -> beans.own.held().isEmpty());
        Awaitility.await()
                .atMost(SOON)
                .until(() -> store.items().values().stream().allMatch(item -> item.releasedAtMillis() != null));
        assertThat(Set.copyOf(calls)).hasSize(300);
    }

    /** The lease is held before the method begins. */
    private static void awaitWorking(CompletableFuture<?> work) {
        Awaitility.await().atMost(SOON).until(() -> work.getNumberOfDependents() > 0);
    }

    private void awaitHeld() {
        Awaitility.await().atMost(SOON).until(() -> !beans.own.held().isEmpty());
    }

    static class Jobs {

        private Jobs self = this;

        public void inject(Jobs advised) {
            self = advised;
        }

        @DistributedLease("uncancelled")
        public CompletionStage<String> uncancelled(CompletableFuture<String> work) {
            return work.minimalCompletionStage();
        }

        @DistributedLease("async")
        public CompletableFuture<String> async(CompletableFuture<String> work) {
            return work;
        }

        @DistributedLease(key = "import", once = "#{#file}", onFailure = OnFailure.DONE)
        public CompletableFuture<String> importing(String file, CompletableFuture<String> work) {
            return work;
        }

        @DistributedLease("#{#key}")
        public CompletableFuture<String> byKey(String key) {
            return CompletableFuture.completedFuture("ran");
        }

        @DistributedLease("one")
        public CompletableFuture<String> ofOneOfTwoKeys() {
            return self.ofTwoKeys();
        }

        @DistributedLease("one")
        @DistributedLease("two")
        public CompletableFuture<String> ofTwoKeys() {
            return CompletableFuture.completedFuture("ran");
        }

        @DistributedLease("number-#{#number}")
        public CompletableFuture<String> byNumber(int number, CompletableFuture<String> work) {
            return work;
        }

        @DistributedLease(key = "waiting", waitFor = "1h")
        public CompletableFuture<String> waiting() {
            return CompletableFuture.completedFuture("waited");
        }

        @DistributedLease("context")
        public CompletableFuture<List<Object>> context() {
            return CompletableFuture.completedFuture(
                    List.of(LeaseContext.current().key(), Thread.currentThread().getContextClassLoader()));
        }

        @DistributedLease("thread")
        public CompletableFuture<Thread> thread() {
            return CompletableFuture.completedFuture(Thread.currentThread());
        }

        @DistributedLease("nested")
        public CompletableFuture<String> outer() {
            return self.inner();
        }

        @DistributedLease("nested")
        public CompletableFuture<String> inner() {
            return CompletableFuture.completedFuture("inner");
        }

        @DistributedLease(key = "skipped", onUnavailable = OnUnavailable.SKIP)
        public CompletionStage<String> skipped() {
            return CompletableFuture.completedStage("ran");
        }

        @DistributedLease(key = "handled", unavailableHandler = "handler")
        public CompletableFuture<String> handled() {
            return CompletableFuture.completedFuture("ran");
        }

        @DistributedLease("throwing")
        public CompletableFuture<String> throwing() {
            throw new IllegalArgumentException();
        }
    }
}
