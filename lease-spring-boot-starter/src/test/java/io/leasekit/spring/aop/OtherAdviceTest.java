package io.leasekit.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import io.leasekit.spring.LeaseUnavailableHandler;
import io.leasekit.spring.OnUnavailable;
import io.leasekit.spring.autoconfigure.LeaseAutoConfiguration;
import io.micrometer.core.annotation.Counted;
import io.micrometer.core.annotation.Timed;
import io.micrometer.core.aop.CountedAspect;
import io.micrometer.core.aop.TimedAspect;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.annotation.Observed;
import io.micrometer.observation.aop.ObservedAspect;
import jakarta.validation.ConstraintViolation;
import jakarta.validation.ConstraintViolationException;
import jakarta.validation.Validator;
import jakarta.validation.executable.ExecutableValidator;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCache;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.dao.annotation.PersistenceExceptionTranslationPostProcessor;
import org.springframework.dao.support.PersistenceExceptionTranslator;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.access.prepost.PostAuthorize;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.stereotype.Repository;
import org.springframework.validation.annotation.Validated;
import org.springframework.validation.beanvalidation.MethodValidationPostProcessor;
import reactor.core.publisher.Mono;

/** The position of caches, meters, validation and aspects relative to the lease, by default and when it is changed. */
class OtherAdviceTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LeaseAutoConfiguration.class))
            .withBean(InMemoryLeaseStore.class)
            .withBean("probe", Probe.class);

    @AfterEach
    void logOut() {
        SecurityContextHolder.clearContext();
    }

    @ParameterizedTest
    @ValueSource(strings = {"value", "synced", "stage", "mono"})
    void aCacheHitTakesALease(String method) {
        runner.withUserConfiguration(WithCache.class).withBean(Prices.class).run(context -> {
            Prices prices = context.getBean(Prices.class);
            assertThat(List.of(price(prices, method), price(prices, method), price(prices, method)))
                    .containsOnly(1);
            assertThat(context.getBean(Probe.class).keys)
                    .as("one miss and two hits")
                    .hasSize(3);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"value", "synced", "stage", "mono"})
    void aCacheFurtherOutsideAnswersAHitWithoutALease(String method) {
        runner.withUserConfiguration(WithOuterCache.class)
                .withBean(Prices.class)
                .run(context -> {
                    Prices prices = context.getBean(Prices.class);
                    assertThat(List.of(price(prices, method), price(prices, method), price(prices, method)))
                            .containsOnly(1);
                    assertThat(context.getBean(Probe.class).keys)
                            .as("one miss and two hits")
                            .hasSize(1);
                });
    }

    @Test
    void aCallerThatWaitedForItsLeaseFindsWhatTheHolderCachedUnlessTheCacheIsFurtherOutside() {
        runner.withUserConfiguration(WithCache.class).withBean(Prices.class).run(context -> {
            Prices prices = context.getBean(Prices.class);
            context.getBean(Probe.class).whileAcquiring = prices::value;
            assertThat(prices.value()).as("as another caller computed it").isEqualTo(1);
        });
        runner.withUserConfiguration(WithOuterCache.class)
                .withBean(Prices.class)
                .run(context -> {
                    Prices prices = context.getBean(Prices.class);
                    context.getBean(Probe.class).whileAcquiring = prices::value;
                    assertThat(prices.value()).as("computed again").isEqualTo(2);
                });
    }

    private static int price(Prices prices, String method) {
        return switch (method) {
            case "value" -> prices.value();
            case "synced" -> prices.synced();
            case "stage" -> prices.stage().join();
            default -> prices.mono().blockOptional(Duration.ofSeconds(30)).orElseThrow();
        };
    }

    @Test
    void anEvictionHappensUnderTheLeaseUnlessTheCacheIsFurtherOutside() {
        runner.withUserConfiguration(WithCache.class).withBean(Prices.class).run(context -> {
            context.getBean(Prices.class).change();
            assertThat(context.getBean(SeenCache.class).evicted).containsExactly(true);
        });
        runner.withUserConfiguration(WithOuterCache.class)
                .withBean(Prices.class)
                .run(context -> {
                    context.getBean(Prices.class).change();
                    assertThat(context.getBean(SeenCache.class).evicted).containsExactly(false);
                });
    }

    @Test
    void aRefusedCallIsNotCached() {
        runner.withUserConfiguration(WithOuterCache.class)
                .withBean(Prices.class)
                .run(context -> {
                    Prices prices = context.getBean(Prices.class);
                    try (Lease other = context.getBean(LeaseManager.class).acquire("price")) {
                        assertThatExceptionOfType(LeaseUnavailableException.class)
                                .isThrownBy(() -> prices.value());
                        assertThat(other.isValid()).isTrue();
                    }
                    assertThat(prices.value()).isEqualTo(1);
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"skipped", "handled"})
    void whatReplacesARefusedCallIsCachedOnlyIfTheCacheIsFurtherOutside(String method) {
        runner.withUserConfiguration(WithOuterCache.class)
                .withBean(Quotes.class)
                .withBean("yesterdays", LeaseUnavailableHandler.class, () -> call -> Optional.of("yesterday's"))
                .run(context -> {
                    String replacement = quoteWhileAnotherHolds(context, method);
                    assertThat(quote(context, method)).isEqualTo(replacement);
                });
        runner.withUserConfiguration(WithCache.class)
                .withBean(Quotes.class)
                .withBean("yesterdays", LeaseUnavailableHandler.class, () -> call -> Optional.of("yesterday's"))
                .run(context -> {
                    quoteWhileAnotherHolds(context, method);
                    assertThat(quote(context, method)).isEqualTo("today's");
                });
    }

    private static String quoteWhileAnotherHolds(ApplicationContext context, String method) {
        try (Lease other = context.getBean(LeaseManager.class).acquire("quote")) {
            assertThat(other.isValid()).isTrue();
            return quote(context, method);
        }
    }

    private static String quote(ApplicationContext context, String method) {
        Quotes quotes = context.getBean(Quotes.class);
        return (method.equals("skipped") ? quotes.skipped() : quotes.handled()).orElse("none");
    }

    @Test
    void metersAndObservationsMeasureTheWorkUnderTheLease() {
        runner.withUserConfiguration(WithMeters.class).withBean(Measured.class).run(context -> {
            context.getBean(Measured.class).run();
            assertThat(context.getBean(Probe.class).leased)
                    .containsExactlyInAnyOrder("counted true", "observed true", "timed true");
        });
    }

    @Test
    void metersOfASubclassWithAnOrderMeasureTheWaitToo() {
        runner.withUserConfiguration(WithOuterMeters.class)
                .withBean(Measured.class)
                .run(context -> {
                    context.getBean(Measured.class).run();
                    assertThat(context.getBean(Probe.class).leased)
                            .containsExactlyInAnyOrder("counted false", "observed false", "timed false");
                });
    }

    @Test
    void anAspectWithoutAnOrderIsInsideAndOneWithALowerOrderOutside() {
        runner.withBean(InnerAspect.class)
                .withBean(OuterAspect.class)
                .withBean(Marked.class)
                .run(context -> {
                    context.getBean(Marked.class).run();
                    assertThat(context.getBean(Probe.class).leased).containsExactly("outer false", "inner true");
                });
    }

    @Test
    void anInvalidCallTakesALeaseBeforeItIsRejected() {
        runner.withUserConfiguration(WithValidation.class)
                .withBean(Validating.class)
                .run(context -> {
                    assertThatExceptionOfType(ConstraintViolationException.class)
                            .isThrownBy(() -> context.getBean(Validating.class).accept(-1));
                    assertThat(context.getBean(Probe.class).leased).containsExactly("validated true");
                });
    }

    @Test
    void anInvalidCallTakesNoLeaseWhereValidationIsFurtherOutside() {
        runner.withUserConfiguration(WithOuterValidation.class)
                .withBean(Validating.class)
                .run(context -> {
                    assertThatExceptionOfType(ConstraintViolationException.class)
                            .isThrownBy(() -> context.getBean(Validating.class).accept(-1));
                    assertThat(context.getBean(Probe.class).leased).containsExactly("validated false");
                });
    }

    @Test
    void exceptionsAreTranslatedUnderTheLeaseAndThoseOfLeasesPassUnchanged() {
        runner.withUserConfiguration(WithTranslation.class)
                .withBean(Store.class)
                .run(context -> {
                    Store store = context.getBean(Store.class);
                    assertThatExceptionOfType(InvalidDataAccessApiUsageException.class)
                            .isThrownBy(store::save);
                    assertThat(context.getBean(Probe.class).leased).containsExactly("translated true");
                    try (Lease other = context.getBean(LeaseManager.class).acquire("store")) {
                        assertThatExceptionOfType(LeaseUnavailableException.class)
                                .isThrownBy(store::save);
                        assertThat(other.isValid()).isTrue();
                    }
                });
    }

    @Test
    void aResultIsAuthorizedAfterTheRelease() {
        SecurityContextHolder.getContext().setAuthentication(new TestingAuthenticationToken("user", "", "ROLE_USER"));
        runner.withUserConfiguration(WithMethodSecurity.class)
                .withBean(Secrets.class)
                .run(context -> {
                    assertThatExceptionOfType(AccessDeniedException.class)
                            .isThrownBy(() -> context.getBean(Secrets.class).read());
                    assertThat(context.getBean(Probe.class).keys).hasSize(1);
                    assertThat(context.getBean(Probe.class).leased).containsExactly("authorized false");
                });
    }

    /** Records the acquires, by the keys that are resolved, and whether advice ran under a lease. */
    static class Probe {

        final List<String> keys = new ArrayList<>();
        final List<String> leased = new ArrayList<>();
        Runnable whileAcquiring = () -> {};

        public String key(String key) {
            keys.add(key);
            Runnable once = whileAcquiring;
            whileAcquiring = () -> {};
            once.run();
            return key;
        }

        public boolean see(String advice) {
            leased.add(advice + " " + LeaseContext.find().isPresent());
            return false;
        }
    }

    static class Prices {

        private int calls;

        @Cacheable("prices")
        @DistributedLease("#{@probe.key('price')}")
        public int value() {
            return ++calls;
        }

        @Cacheable(cacheNames = "prices", sync = true)
        @DistributedLease("#{@probe.key('price')}")
        public int synced() {
            return ++calls;
        }

        @Cacheable("prices")
        @DistributedLease("#{@probe.key('price')}")
        public CompletableFuture<Integer> stage() {
            return CompletableFuture.completedFuture(++calls);
        }

        @Cacheable("prices")
        @DistributedLease("#{@probe.key('price')}")
        public Mono<Integer> mono() {
            return Mono.fromSupplier(() -> ++calls);
        }

        @CacheEvict(cacheNames = "prices", allEntries = true)
        @DistributedLease("price")
        public void change() {}
    }

    static class Quotes {

        @Cacheable("skipped")
        @DistributedLease(key = "quote", onUnavailable = OnUnavailable.SKIP)
        public Optional<String> skipped() {
            return Optional.of("today's");
        }

        @Cacheable("handled")
        @DistributedLease(key = "quote", unavailableHandler = "yesterdays")
        public Optional<String> handled() {
            return Optional.of("today's");
        }
    }

    static class SeenCache extends ConcurrentMapCacheManager {

        final List<Boolean> evicted = new ArrayList<>();

        @Override
        protected Cache createConcurrentMapCache(String name) {
            return new ConcurrentMapCache(name) {
                @Override
                public void clear() {
                    evicted.add(LeaseContext.find().isPresent());
                    super.clear();
                }
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableCaching
    static class WithCache {
        @Bean
        CacheManager cacheManager() {
            return new SeenCache();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableCaching(order = Ordered.LOWEST_PRECEDENCE - 2000)
    static class WithOuterCache {
        @Bean
        CacheManager cacheManager() {
            return new SeenCache();
        }
    }

    static class Measured {

        @Timed("timed")
        @Counted("counted")
        @Observed(name = "observed")
        @DistributedLease("measured")
        public void run() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class WithMeters {

        @Bean
        MeterRegistry meters() {
            return new SimpleMeterRegistry();
        }

        @Bean
        TimedAspect timed(MeterRegistry meters, Probe probe) {
            return new TimedAspect(meters, call -> Tags.of("leased", "" + probe.see("timed")), call -> false);
        }

        @Bean
        CountedAspect counted(MeterRegistry meters, Probe probe) {
            return new CountedAspect(meters, call -> Tags.of("leased", "" + probe.see("counted")), call -> false);
        }

        @Bean
        ObservedAspect observed(Probe probe) {
            return new ObservedAspect(seenBy(probe));
        }
    }

    private static ObservationRegistry seenBy(Probe probe) {
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(new ObservationHandler<Observation.Context>() {
            @Override
            public void onStart(Observation.Context context) {
                probe.see("observed");
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }
        });
        return registry;
    }

    @Aspect
    @Order(Ordered.LOWEST_PRECEDENCE - 2000)
    static class OuterTimed extends TimedAspect {
        OuterTimed(MeterRegistry meters, Probe probe) {
            super(meters, call -> Tags.of("leased", "" + probe.see("timed")), call -> false);
        }
    }

    @Aspect
    @Order(Ordered.LOWEST_PRECEDENCE - 2000)
    static class OuterCounted extends CountedAspect {
        OuterCounted(MeterRegistry meters, Probe probe) {
            super(meters, call -> Tags.of("leased", "" + probe.see("counted")), call -> false);
        }
    }

    @Aspect
    @Order(Ordered.LOWEST_PRECEDENCE - 2000)
    static class OuterObserved extends ObservedAspect {
        OuterObserved(Probe probe) {
            super(seenBy(probe));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithOuterMeters {

        @Bean
        MeterRegistry meters() {
            return new SimpleMeterRegistry();
        }

        @Bean
        OuterTimed timed(MeterRegistry meters, Probe probe) {
            return new OuterTimed(meters, probe);
        }

        @Bean
        OuterCounted counted(MeterRegistry meters, Probe probe) {
            return new OuterCounted(meters, probe);
        }

        @Bean
        OuterObserved observed(Probe probe) {
            return new OuterObserved(probe);
        }
    }

    @Retention(RetentionPolicy.RUNTIME)
    @interface Mark {}

    static class Marked {

        @Mark
        @DistributedLease("marked")
        public void run() {}
    }

    @Aspect
    static class InnerAspect {

        private final Probe probe;

        InnerAspect(Probe probe) {
            this.probe = probe;
        }

        @Around("@annotation(io.leasekit.spring.aop.OtherAdviceTest.Mark)")
        Object around(ProceedingJoinPoint call) throws Throwable {
            probe.see("inner");
            return call.proceed();
        }
    }

    @Aspect
    @Order(0)
    static class OuterAspect {

        private final Probe probe;

        OuterAspect(Probe probe) {
            this.probe = probe;
        }

        @Around("@annotation(io.leasekit.spring.aop.OtherAdviceTest.Mark)")
        Object around(ProceedingJoinPoint call) throws Throwable {
            probe.see("outer");
            return call.proceed();
        }
    }

    @Validated
    static class Validating {

        @DistributedLease("validating")
        public void accept(int amount) {}
    }

    /** Finds each call invalid. */
    private static Validator strict(Probe probe) {
        ExecutableValidator executables = (ExecutableValidator) Proxy.newProxyInstance(
                ExecutableValidator.class.getClassLoader(),
                new Class<?>[] {ExecutableValidator.class},
                (proxy, method, arguments) -> {
                    probe.see("validated");
                    throw new ConstraintViolationException("Invalid", Set.<ConstraintViolation<?>>of());
                });
        return (Validator) Proxy.newProxyInstance(
                Validator.class.getClassLoader(),
                new Class<?>[] {Validator.class},
                (proxy, method, arguments) -> method.getName().equals("forExecutables") ? executables : null);
    }

    @Configuration(proxyBeanMethods = false)
    static class WithValidation {
        @Bean
        static MethodValidationPostProcessor validation(Probe probe) {
            MethodValidationPostProcessor validation = new MethodValidationPostProcessor();
            validation.setValidator(strict(probe));
            validation.setProxyTargetClass(true);
            return validation;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithOuterValidation {
        @Bean
        static MethodValidationPostProcessor validation(Probe probe) {
            MethodValidationPostProcessor validation = new MethodValidationPostProcessor();
            validation.setBeforeExistingAdvisors(true);
            validation.setValidator(strict(probe));
            validation.setProxyTargetClass(true);
            return validation;
        }
    }

    @Repository
    static class Store {

        @DistributedLease("store")
        public void save() {
            throw new IllegalStateException("of the database");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithTranslation {

        @Bean
        static PersistenceExceptionTranslationPostProcessor translation() {
            PersistenceExceptionTranslationPostProcessor translation =
                    new PersistenceExceptionTranslationPostProcessor();
            translation.setProxyTargetClass(true);
            return translation;
        }

        @Bean
        PersistenceExceptionTranslator translator(Probe probe) {
            return failure -> translated(failure, probe);
        }

        private static DataAccessException translated(RuntimeException failure, Probe probe) {
            if (!(failure instanceof IllegalStateException)) {
                return null;
            }
            probe.see("translated");
            return new InvalidDataAccessApiUsageException("translated", failure);
        }
    }

    static class Secrets {

        @PostAuthorize("@probe.see('authorized')")
        @DistributedLease("#{@probe.key('secret')}")
        public String read() {
            return "secret";
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableMethodSecurity
    static class WithMethodSecurity {}
}
