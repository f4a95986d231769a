package io.leasekit.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import io.leasekit.spring.ReactiveLeaseContext;
import io.leasekit.spring.autoconfigure.LeaseAutoConfiguration;
import jakarta.annotation.PostConstruct;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.beans.factory.BeanNameAware;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.Ordered;
import org.springframework.scheduling.annotation.Scheduled;
import reactor.core.publisher.Mono;

/** The table of docs/what-may-i-annotate.md: each row is a kind of method whose guard is tested. */
@ExtendWith(OutputCaptureExtension.class)
class WhatMayIAnnotateTest {

    private static final Path PAGE = DocumentPages.all().stream()
            .filter(page -> page.endsWith("what-may-i-annotate.md"))
            .findFirst()
            .orElseThrow();

    /** The treatment of a kind of method. */
    private enum Effect {
        GUARDED,
        WARNED_OF,
        START_FAILS,
        CALL_FAILS,
        /** Tested in Kotlin, by the module testing/kotlin-tests. */
        IN_KOTLIN
    }

    private enum Row {
        PUBLIC("public method of a bean", Effect.GUARDED, Public.class, Public::run),
        PACKAGE_PRIVATE(
                "protected or package-private method", Effect.GUARDED, PackagePrivate.class, PackagePrivate::run),
        PRIVATE("private, static or final method", Effect.START_FAILS, Private.class, bean -> {}),
        ON_THIS("call on `this`", Effect.WARNED_OF, OnThis.class, OnThis::outer),
        CLASS("class or interface", Effect.GUARDED, OfClass.class, OfClass::onEvent),
        GUARDS_NOTHING("class in which the annotation guards no method", Effect.START_FAILS, Nothing.class, bean -> {}),
        FINAL("final class, Java `record`", Effect.START_FAILS, Final.class, bean -> {}),
        INTERFACE(
                "interface of a Spring Data repository, an HTTP interface, Feign, a gateway, a lambda",
                Effect.GUARDED,
                Repositories.class,
                Repository.class,
                bean -> bean.find("7")),
        MAKER("`@Bean` method, factory method, `FactoryBean`", Effect.START_FAILS, Maker.class, bean -> {}),
        AT_START(
                "`@PostConstruct`, `@PreDestroy`, `afterPropertiesSet()`, init and destroy methods",
                Effect.START_FAILS,
                AtStart.class,
                bean -> {}),
        INJECTED("`@Autowired` method, `setBeanName` and the like", Effect.START_FAILS, Injected.class, bean -> {}),
        ASKED(
                "`getOrder`, `getPhase`, `isRunning`, `supportsEventType`, `stop` and the like",
                Effect.START_FAILS,
                Asked.class,
                bean -> {}),
        LISTENER("`@EventListener`, `ApplicationRunner.run`", Effect.GUARDED, Listener.class, bean -> bean.run(null)),
        SCHEDULED("`@Scheduled` method", Effect.GUARDED, Ticking.class, Ticking::tick),
        CIRCULAR(
                "`@Scheduled` method or message listener of a bean in a circular reference",
                Effect.START_FAILS,
                Circular.class,
                bean -> {}),
        STAGE(
                "method that returns `CompletableFuture` or `CompletionStage`",
                Effect.GUARDED,
                Stages.class,
                bean -> bean.begin().join()),
        REACTIVE(
                "method that returns `Mono`, `Flux`, a type of RxJava 3 or Mutiny, or `Flow.Publisher`",
                Effect.GUARDED,
                Reactive.class,
                bean -> bean.begin().block()),
        KOTLIN("Kotlin `suspend fun`, or function that returns `Flow`", Effect.IN_KOTLIN, Public.class, bean -> {}),
        FUTURE(
                "method that returns `Future`, `Stream`, `Iterator`, `Callable`, `DeferredResult` or similar",
                Effect.START_FAILS,
                Futures.class,
                bean -> {}),
        OBJECT(
                "method with return type `Object` that returns a publisher or unfinished work",
                Effect.CALL_FAILS,
                Objects.class,
                Objects::run);

        private final String text;
        private final Effect effect;
        private final Class<?> bean;
        private final Consumer<Object> call;

        <T> Row(String text, Effect effect, Class<T> bean, Consumer<T> call) {
            this(text, effect, bean, bean, call);
        }

        <T> Row(String text, Effect effect, Class<?> bean, Class<T> called, Consumer<T> call) {
            this.text = text;
            this.effect = effect;
            this.bean = bean;
            this.call = object -> call.accept(called.cast(object));
        }
    }

    @Test
    void theTableHasARowForEachKindThatIsTested() {
        List<String> kinds = DocumentPages.read(PAGE)
                .lines()
                .dropWhile(line -> !line.startsWith("|---"))
                .skip(1)
                .takeWhile(line -> line.startsWith("|"))
                .map(line -> line.split("\\|")[1].strip())
                .toList();

        assertThat(kinds)
                .containsExactlyElementsOf(
                        Stream.of(Row.values()).map(row -> row.text).toList());
    }

    @ParameterizedTest
    @EnumSource(Row.class)
    void aKindOfMethodIsGuardedAsItsRowSays(Row row, CapturedOutput output) {
        Bean.CALLS.clear();
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LeaseAutoConfiguration.class))
                .withBean(InMemoryLeaseStore.class)
                .withAllowCircularReferences(true)
                .withBean("job", row.bean)
                .run(context -> {
                    switch (row.effect) {
                        case GUARDED -> {
                            row.call.accept(context.getBean("job"));
                            assertThat(Bean.CALLS).isNotEmpty().containsOnly(true);
                        }
                        case WARNED_OF -> {
                            row.call.accept(context.getBean("job"));
                            assertThat(Bean.CALLS).containsOnly(false);
                            assertThat(output).contains("WARN").contains("on its own object: this call takes no lease");
                        }
                        case START_FAILS -> assertThat(context).hasFailed();
                        case CALL_FAILS ->
                            assertThat(catchThrowable(() -> row.call.accept(context.getBean("job"))))
                                    .hasMessageContaining("its work would go on without the lease");
                        case IN_KOTLIN -> {}
                    }
                });
    }

    /** A bean that notes whether its calls ran under a lease. */
    static class Bean {
        static final List<Boolean> CALLS = new CopyOnWriteArrayList<>();

        static void note() {
            CALLS.add(LeaseContext.find().isPresent());
        }
    }

    static class Public {
        @DistributedLease("public")
        public void run() {
            Bean.note();
        }
    }

    static class PackagePrivate {
        @DistributedLease("package-private")
        void run() {
            Bean.note();
        }
    }

    static class Private {
        @DistributedLease("private")
        private void run() {}

        public void other() {
            run();
        }
    }

    static class OnThis {
        public void outer() {
            run();
        }

        @DistributedLease("on-this")
        public void run() {
            Bean.note();
        }
    }

    @DistributedLease("class")
    static class OfClass {
        @EventListener(ContextRefreshedEvent.class)
        void onEvent() {
            Bean.note();
        }

        public void run() {
            Bean.note();
        }
    }

    @DistributedLease("nothing")
    static class Nothing {
        void run() {}
    }

    interface Repository {
        @DistributedLease("repository-#{#id}")
        void find(String id);
    }

    static class Repositories implements FactoryBean<Repository> {
        @Override
        public Repository getObject() {
            return id -> Bean.note();
        }

        @Override
        public Class<?> getObjectType() {
            return Repository.class;
        }
    }

    static class Maker {
        @org.springframework.context.annotation.Bean
        @DistributedLease("maker")
        public Repository repository() {
            return id -> {};
        }
    }

    static class Injected implements BeanNameAware {
        @Override
        @DistributedLease("injected")
        public void setBeanName(String name) {}
    }

    static class Asked implements Ordered {
        @Override
        @DistributedLease("asked")
        public int getOrder() {
            return 0;
        }
    }

    static final class Final {
        @DistributedLease("final")
        public void run() {}
    }

    static class AtStart {
        @PostConstruct
        @DistributedLease("at-start")
        public void begin() {}
    }

    static class Listener implements ApplicationRunner {
        @EventListener(ContextRefreshedEvent.class)
        @DistributedLease("on-event")
        public void begin() {
            Bean.note();
        }

        @Override
        @DistributedLease("runner")
        public void run(ApplicationArguments arguments) {
            Bean.note();
        }
    }

    static class Circular {
        @Autowired
        Circular self;

        @Scheduled(cron = "0 0 3 * * *")
        @DistributedLease("circular")
        public void run() {
            Bean.note();
        }
    }

    static class Ticking {
        @Scheduled(fixedRate = 60_000)
        @DistributedLease("ticking")
        public void tick() {
            Bean.note();
        }
    }

    static class Stages {
        @DistributedLease("stage")
        public CompletableFuture<Void> begin() {
            Bean.note();
            return CompletableFuture.completedFuture(null);
        }
    }

    static class Reactive {
        @DistributedLease("reactive")
        public Mono<Void> begin() {
            return ReactiveLeaseContext.find()
                    .map(context -> true)
                    .defaultIfEmpty(false)
                    .doOnNext(Bean.CALLS::add)
                    .then();
        }
    }

    static class Futures {
        @DistributedLease("future")
        public Future<Integer> begin() {
            return CompletableFuture.completedFuture(7);
        }
    }

    static class Objects {
        @DistributedLease("object")
        public Object run() {
            return Mono.just(7);
        }
    }
}
