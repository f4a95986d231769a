package io.leasekit.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.leasekit.Lease;
import io.leasekit.LeaseAlreadyRanException;
import io.leasekit.LeaseException;
import io.leasekit.LeaseRequest;
import io.leasekit.OnceOrder;
import io.leasekit.Progress;
import io.leasekit.ProgressCodec;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.core.annotation.AliasFor;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Methods that save how far their work has come. */
class ProgressMethodsTest {

    private final LeasedBeans beans = new LeasedBeans(new InMemoryLeaseStore());
    private final Imports imports = beans.advise(new Imports());

    @AfterEach
    void closeTheManagers() {
        beans.close();
    }

    @Test
    void theNextCallGoesOnWhereAFailedOneStopped() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> imports.load(null, null, progress -> {
                    assertThat(progress.last()).isEmpty();
                    progress.save(5);
                    throw new IllegalArgumentException();
                }));
        imports.load(null, null, progress -> assertThat(progress.last()).contains(5));
        imports.load(
                null,
                null,
                progress -> assertThat(progress.last()).as("after a success").isEmpty());
    }

    @Test
    void anotherProcessGoesOnToo() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> imports.load(null, null, progress -> {
                    progress.save(5);
                    throw new IllegalArgumentException();
                }));

        try (Lease lease = beans.other.acquire(LeaseRequest.of("import").resumable())) {
            assertThat(lease.progress(ProgressCodec.text()).last()).contains("5");
        }
    }

    @Test
    void aStageSavesUntilItCompletes() {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> failed = imports.stage(null, progress -> {
            progress.save("half");
            return work;
        });
        work.completeExceptionally(new IllegalArgumentException());

        assertThatExceptionOfType(CompletionException.class).isThrownBy(failed::join);
        assertThat(imports.stage(null, progress -> CompletableFuture.completedFuture(last(progress)))
                        .join())
                .isEqualTo("half");
        assertThat(imports.stage(null, progress -> CompletableFuture.completedFuture(last(progress)))
                        .join())
                .as("after a success")
                .isEqualTo("none");
    }

    private static String last(Progress<String> progress) {
        return progress.last().orElse("none");
    }

    @Test
    void eachSubscriptionOfAPublisherHasItsOwn() {
        List<String> seen = new ArrayList<>();
        Mono<String> mono = imports.mono(null, progress -> {
            seen.add(last(progress));
            return Mono.fromCompletionStage(progress.saveAsync("at " + seen.size()))
                    .then(seen.size() < 3 ? Mono.error(new IllegalArgumentException()) : Mono.just("done"));
        });

        assertThat(mono.retry(2).block()).isEqualTo("done");
        assertThat(mono.block()).isEqualTo("done");
        assertThat(seen).containsExactly("none", "at 1", "at 2", "none");
    }

    @Test
    void aFluxSavesWhatItHasEmitted() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> imports.flux(null, true).blockLast());

        assertThat(imports.flux(null, false).collectList().block()).containsExactly("2");
    }

    @Test
    void theProgressIsThatOfTheRun() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> imports.day("2026-11-25", null, progress -> {
                    progress.save("half");
                    throw new IllegalArgumentException();
                }));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> imports.day("2026-11-26", null, progress -> {
                    assertThat(progress.last()).as("of another run").isEmpty();
                    progress.save("a third");
                    throw new IllegalArgumentException();
                }));
        imports.day("2026-11-26", null, progress -> assertThat(progress.last()).contains("a third"));

        assertThatExceptionOfType(LeaseAlreadyRanException.class)
                .isThrownBy(() -> imports.day("2026-11-26", null, progress -> {}));
    }

    @Test
    void aNestedCallHasTheProgressOfTheOuterOne() {
        imports.load(null, null, outer -> {
            outer.save(5);
            imports.nested(null, inner -> inner.save(7));
            assertThat(beans.own.held()).hasSize(1);
        });
        assertThatIllegalArgumentException()
                .isThrownBy(() -> imports.load(null, null, outer -> {
                    assertThat(outer.last())
                            .as("the success of the outer call ends the run")
                            .isEmpty();
                    imports.nested(null, inner -> inner.save(7));
                    throw new IllegalArgumentException();
                }));
        imports.load(null, null, progress -> assertThat(progress.last()).contains(7));
    }

    @Test
    void aNestedCallIsRefusedIfTheOuterOneSavesNone() {
        imports.without(() -> {
            assertThatExceptionOfType(LeaseException.class)
                    .isThrownBy(() -> imports.nested(null, progress -> {}))
                    .withMessage(
                            "Method '" + Imports.class.getName()
                                    + ".nested' saves its progress, but was called within a call that holds 'import' without"
                                    + " progress. Set 'resumable' on the outer method too, or give one of the two leases another key");
            assertThat(imports.reactiveNested(null)
                            .onErrorReturn(LeaseException.class, "refused")
                            .block())
                    .isEqualTo("refused");
        });
        assertThat(beans.isFree("import")).isTrue();
    }

    @Test
    void aResumableMethodFindsItsProgressInTheContext() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> imports.resumable(progress -> {
                    assertThat(progress.last()).isEmpty();
                    progress.save("5");
                    throw new IllegalArgumentException();
                }));
        imports.resumable(progress -> assertThat(progress.last()).contains("5"));
        imports.resumable(
                progress -> assertThat(progress.last()).as("after a success").isEmpty());
    }

    @Test
    void aResumableMethodSharesTheProgressOfTheLeaseThatItJoins() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> imports.load(null, null, outer -> {
                    imports.resumable(inner -> inner.save("7"));
                    throw new IllegalArgumentException();
                }));
        imports.resumable(outer -> {
            assertThat(outer.last()).contains("7");
            imports.nested(null, inner -> inner.save(8));
            throughTheContext();
        });
    }

    private static void throughTheContext() {
        assertThat(LeaseContext.current().progress(ProgressCodec.text()).last()).contains("7");
    }

    @Test
    void aResumableMethodIsRefusedIfTheOuterOneSavesNone() {
        imports.without(() -> assertThatExceptionOfType(LeaseException.class)
                .isThrownBy(() -> imports.resumable(progress -> {}))
                .withMessageEndingWith(
                        "Set 'resumable' on the outer method too, or give one of the two leases another key"));
        assertThat(beans.isFree("import")).isTrue();
    }

    @Test
    void theContextOfAnotherMethodHasNoProgress() {
        imports.without(() -> assertThatIllegalStateException()
                .isThrownBy(() -> LeaseContext.current().progress(ProgressCodec.text()))
                .withMessage(
                        "Lease 'import' saves no progress, expected a request that is 'resumable', or an annotated method"
                                + " with 'resumable = true' or a parameter of type Progress"));
    }

    @Test
    void aComposedAnnotationMayBeResumable() {
        imports.composed();
    }

    @Retention(RetentionPolicy.RUNTIME)
    @DistributedLease
    @interface Resumed {

        @AliasFor(annotation = DistributedLease.class, attribute = "resumable")
        boolean fromTheMiddle();
    }

    @Test
    void theProgressOfTheCallerIsPassedOn() {
        imports.load(
                null,
                null,
                outer -> imports.nested(outer, inner -> assertThat(inner).isSameAs(outer)));
    }

    @Test
    void theParameterIsClearedForAdviceThatRetries() {
        ProxyFactory factory = new ProxyFactory(new Imports());
        factory.setProxyTargetClass(true);
        factory.addAdvice((MethodInterceptor) invocation -> {
            Object result = invocation.proceed();
            assertThat(invocation.getArguments()).startsWith(null, null);
            return result;
        });
        factory.addAdvisor(beans.advisor);

        ((Imports) factory.getProxy()).load(null, null, progress -> progress.note(1));
    }

    static class Imports {

        @DistributedLease("import")
        public void load(
                @Nullable Progress<Integer> progress, @Nullable Lease lease, Consumer<Progress<Integer>> work) {
            assertThat(lease).isNotNull();
            work.accept(progress);
        }

        @DistributedLease("import")
        public void nested(@Nullable Progress<Integer> progress, Consumer<Progress<Integer>> work) {
            work.accept(progress);
        }

        @DistributedLease("import")
        public Mono<String> reactiveNested(@Nullable Progress<Integer> progress) {
            return Mono.just("not refused");
        }

        @DistributedLease(key = "import", resumable = true)
        public void resumable(Consumer<Progress<String>> work) {
            work.accept(LeaseContext.current().progress(ProgressCodec.text()));
        }

        @Resumed(fromTheMiddle = true)
        public void composed() {
            assertThat(LeaseContext.current().progress(ProgressCodec.text()).last())
                    .isEmpty();
        }

        @DistributedLease("import")
        public void without(Runnable work) {
            work.run();
        }

        @DistributedLease(key = "day", once = "#{#day}", onceOrder = OnceOrder.GROWING)
        public void day(String day, @Nullable Progress<String> progress, Consumer<Progress<String>> work) {
            work.accept(progress);
        }

        @DistributedLease("stage")
        public CompletableFuture<String> stage(
                @Nullable Progress<String> progress, Function<Progress<String>, CompletableFuture<String>> work) {
            return work.apply(progress);
        }

        @DistributedLease("mono")
        public Mono<String> mono(@Nullable Progress<String> progress, Function<Progress<String>, Mono<String>> work) {
            return work.apply(progress);
        }

        @DistributedLease("flux")
        public Flux<String> flux(@Nullable Progress<Long> progress, boolean failing) {
            long next = progress.last().orElse(0L) + 1;
            return Flux.just(String.valueOf(next))
                    .delayUntil(value -> Mono.fromCompletionStage(progress.saveAsync(next)))
                    .concatWith(failing ? Mono.error(new IllegalArgumentException()) : Mono.empty());
        }
    }
}
