package io.leasekit.spring.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.leasekit.LeaseRequest;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.OnceOrder;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.OnUnavailable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.core.annotation.AliasFor;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.util.PropertyPlaceholderHelper;

class LeasePoliciesTest {

    private static final String TYPE = LeasePoliciesTest.class.getName() + "$";

    private final DefaultListableBeanFactory beanFactory = new DefaultListableBeanFactory();
    private String prefix = "";
    private final LeasePolicies policies = new LeasePolicies(beanFactory, () -> prefix);

    LeasePoliciesTest() {
        Map<String, String> properties = Map.of("job.ttl", "90s", "job.manager", "other");
        beanFactory.addEmbeddedValueResolver(text ->
                new PropertyPlaceholderHelper("${", "}", ":", null, false).replacePlaceholders(text, properties::get));
    }

    @Test
    void allDurationsReachTheRequest() {
        LeaseRequest request = policy(Good.class, "timed").request(new Good(), new Object[0]);

        assertThat(request.key()).isEqualTo("timed");
        assertThat(request.ttl()).isEqualTo(Duration.ofSeconds(90));
        assertThat(request.waitFor()).isEqualTo(Duration.ofMillis(500));
        assertThat(request.holdAtLeast()).isEqualTo(Duration.ofMinutes(5));
        assertThat(request.cooldown()).isEqualTo(Duration.ofHours(1));
        assertThat(request.holdAtMost()).isEqualTo(Duration.ofHours(2));
    }

    @Test
    void slotsWithoutAZoneAreInThatOfTheClockOfTheMethodsScheduler() {
        beanFactory.registerSingleton("taskScheduler", schedulerIn("Pacific/Kiritimati"));
        beanFactory.registerSingleton("tokyo", schedulerIn("Asia/Tokyo"));
        Instant time = Instant.parse("2026-11-21T00:00:00Z");

        assertThat(policy(Zones.class, "plain").once().schedule().slotNearest(time))
                .isEqualTo("2026-11-20T22:00:00Z");
        assertThat(policy(Zones.class, "ofScheduler").once().schedule().slotNearest(time))
                .isEqualTo("2026-11-21T03:00:00Z");
        assertThat(policy(Zones.class, "ofAnnotation").once().schedule().slotNearest(time))
                .isEqualTo("2026-11-20T12:00:00Z");
    }

    private static TaskScheduler schedulerIn(String zone) {
        ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
        scheduler.setClock(Clock.system(ZoneId.of(zone)));
        return scheduler;
    }

    @Test
    void aMockedSchedulerHasNoClock() {
        beanFactory.registerSingleton(
                "taskScheduler",
                Proxy.newProxyInstance(
                        getClass().getClassLoader(),
                        new Class<?>[] {TaskScheduler.class},
                        (self, method, arguments) -> null));

        assertThat(policy(Zones.class, "plain").once().schedule().hasSlots()).isTrue();
    }

    /** A task of the application may have slots although the annotation has none. */
    @Test
    void aRunThatIsCutOffIsTriedAgainWhateverTheAnnotationSays() {
        LeaseOnce once = policy(Good.class, "scheduled").once();
        LeaseRequest run = LeaseRequest.of("key").once("2026-11-21T12:00:00Z", OnceOrder.GROWING);
        IllegalStateException failure = new IllegalStateException("Broken");

        assertThat(once.isOnce()).isFalse();
        assertThat(once.outcome(run, failure, true)).isEqualTo(LeaseRunOutcome.RETRY);
        assertThat(once.outcome(run, failure, false)).isEqualTo(LeaseRunOutcome.FAILED);
        assertThat(once.outcome(LeaseRequest.of("key"), failure, true)).isEqualTo(LeaseRunOutcome.FAILED);
    }

    @Test
    void waitForMayBeUnlimited() {
        LeaseRequest request = policy(Good.class, "patient").request(new Good(), new Object[0]);

        assertThat(request.waitFor()).isEqualTo(LeaseRequest.UNLIMITED);
        assertThat(request.toString()).contains("unlimited");
    }

    @Test
    void withoutAttributesTheManagersTermsHold() {
        LeaseRequest request = policy(Good.class, "plain").request(new Good(), new Object[0]);

        assertThat(request)
                .hasToString(LeaseRequest.of(TYPE + "Good.plain")
                        .named(TYPE + "Good.plain")
                        .toString());
    }

    @Test
    void theDefaultKeyOfAProxyOrLambdaIsItsInterfaces() throws NoSuchMethodException {
        Object proxy = Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Job.class}, (self, method, arguments) -> null);
        Job lambda = () -> {};
        Method run = Job.class.getMethod("run");

        assertThat(policies.of(run, proxy.getClass()).keys().get(0).resolve(proxy, new Object[0]))
                .isEqualTo(TYPE + "Job.run");
        assertThat(policies.of(run, lambda.getClass()).keys().get(0).resolve(lambda, new Object[0]))
                .isEqualTo(TYPE + "Job.run");
    }

    @Test
    void autoSkipsScheduledMethodsAndThrowsElsewhere() {
        assertThat(policy(Good.class, "scheduled").skipUnavailable()).isTrue();
        assertThat(policy(Good.class, "plain").skipUnavailable()).isFalse();
        assertThat(policy(Good.class, "scheduledButThrows").skipUnavailable()).isFalse();
    }

    @Test
    void theManagersNameMayBeAPlaceholder() {
        assertThat(policy(Good.class, "managed").manager()).isEqualTo("other");
        assertThat(policy(Good.class, "plain").manager()).isEmpty();
    }

    @Test
    void aPolicyIsReadOnce() {
        assertThat(policy(Good.class, "plain")).isSameAs(policy(Good.class, "plain"));
    }

    @Test
    void allPoliciesOfAClassAreFound() {
        assertThat(policies.allOf(Good.class)).hasSize(7);
        assertThat(policies.allOf(Object.class)).isEmpty();
    }

    @Test
    void aFutureResultIsTaken() {
        assertThat(policy(Future.class, "future")).isNotNull();
    }

    @Test
    void theKeyPrefixStandsBeforeEachKeyAndIsNotParsed() {
        prefix = "${shop}#{1}-";

        assertThat(key("timed")).isEqualTo("${shop}#{1}-timed");
        assertThat(key("plain")).isEqualTo("${shop}#{1}-" + TYPE + "Good.plain");
        assertThat(policy(Keys.class, "dynamic")
                        .request(new Keys(), new Object[] {7})
                        .key())
                .isEqualTo("${shop}#{1}-order-7");
    }

    private String key(String method) {
        return policy(Good.class, method).request(new Good(), new Object[0]).key();
    }

    @Test
    void aMethodsOwnTtlLeavesTheHeartbeatToTheManagerWhichShortensIt() {
        assertThat(policy(Good.class, "timed")
                        .request(new Good(), new Object[0])
                        .heartbeatInterval())
                .isNull();
    }

    @Test
    void aComposedAnnotationsAttributesReachTheRequest() {
        LeaseRequest request = policy(Keys.class, "composed").request(new Keys(), new Object[0]);

        assertThat(request.key()).isEqualTo("report");
        assertThat(request.ttl()).isEqualTo(Duration.ofMinutes(5));
        assertThat(policy(Keys.class, "composed").skipUnavailable()).isTrue();
    }

    @Test
    void aBlankKeyOfACallIsRefusedWithTheMethodsName() {
        assertThatIllegalStateException()
                .isThrownBy(() -> policy(Keys.class, "argument").request(new Keys(), new Object[] {" "}))
                .withMessage("The lease key of '" + TYPE
                        + "Keys.argument' is invalid: Lease key is blank, expected a text with a visible character");
    }

    private LeasePolicy policy(Class<?> type, String name) {
        Method found = Arrays.stream(type.getDeclaredMethods())
                .filter(method -> method.getName().equals(name))
                .findFirst()
                .orElseThrow();
        return policies.of(found, type);
    }

    @FunctionalInterface
    interface Job {
        @DistributedLease
        void run();
    }

    static class Zones {

        @Scheduled(cron = "0 0 12 * * *")
        @DistributedLease("zone")
        public void plain() {}

        @Scheduled(cron = "0 0 12 * * *", scheduler = "tokyo")
        @DistributedLease("zone-of-scheduler")
        public void ofScheduler() {}

        @Scheduled(cron = "0 0 12 * * *", zone = "UTC", scheduler = "tokyo")
        @DistributedLease("zone-of-annotation")
        public void ofAnnotation() {}
    }

    static class Good {
        @DistributedLease(
                key = "timed",
                ttl = "${job.ttl}",
                waitFor = "500ms",
                holdAtLeast = "PT5M",
                cooldown = "1h",
                holdAtMost = "2h")
        public void timed() {}

        @DistributedLease(waitFor = "unlimited")
        public void patient() {}

        @DistributedLease
        public void plain() {}

        @DistributedLease
        @Scheduled(fixedDelay = 1000)
        public void scheduled() {}

        @DistributedLease(onUnavailable = OnUnavailable.THROW)
        @Scheduled(fixedDelay = 1000)
        public void scheduledButThrows() {}

        @DistributedLease(manager = "${job.manager}")
        public void managed() {}

        @DistributedLease
        void hidden() {}
    }

    @Retention(RetentionPolicy.RUNTIME)
    @DistributedLease(ttl = "5m", onUnavailable = OnUnavailable.SKIP)
    @interface Nightly {
        @AliasFor(annotation = DistributedLease.class, attribute = "key")
        String name();
    }

    static class Keys {
        @DistributedLease("order-#{#order}")
        public void dynamic(int order) {}

        @DistributedLease("#{#order}")
        public void argument(String order) {}

        @Nightly(name = "report")
        public void composed() {}
    }

    static class Future {
        @DistributedLease
        public CompletableFuture<String> future() {
            return CompletableFuture.completedFuture("");
        }
    }
}
