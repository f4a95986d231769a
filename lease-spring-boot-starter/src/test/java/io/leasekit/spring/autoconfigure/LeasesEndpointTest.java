package io.leasekit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;
import static org.assertj.core.api.InstanceOfAssertFactories.MAP;

import io.leasekit.Lease;
import io.leasekit.LeaseInfo;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.OnceOrder;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.actuate.LeasesEndpoint;
import io.leasekit.spring.actuate.NextRuns;
import io.leasekit.store.LeaseStore;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.Mockito;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** The endpoint as an operator calls it, on any version of Spring Boot. */
class LeasesEndpointTest {

    private static final String NASTY = "own/a\nb\u202e\u0000 " + "ä".repeat(1_018);

    private ConfigurableApplicationContext node;

    private void start(String... properties) {
        start(Application.class, properties);
    }

    private void start(Class<?> application, String... properties) {
        node = new SpringApplicationBuilder(application)
                .initializers(new FurtherManager("slow", builder -> builder.owner("slow")))
                .properties(ActuatorMBeans.PROPERTIES)
                .properties("lease.owner=here", "lease.key-prefix=own/", "lease.close-timeout=0s")
                .properties(properties)
                .run();
    }

    @AfterEach
    void stop() {
        if (node != null) {
            node.close();
        }
    }

    private LeaseManager leases() {
        return node.getBean(LeaseManager.class);
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> call(String operation, Map<String, ?> parameters) throws Exception {
        return (Map<String, Object>) ActuatorMBeans.call("leases", operation, parameters);
    }

    private static Map<String, Object> view(String view, String... parameters) throws Exception {
        Map<String, Object> all = new HashMap<>(Map.of("view", view));
        for (int i = 0; i < parameters.length; i += 2) {
            all.put(parameters[i], parameters[i + 1]);
        }
        return call("view", all);
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> node() throws Exception {
        Map<String, Object> managers =
                (Map<String, Object>) call("leases", Map.of()).get("managers");
        return (Map<String, Object>) managers.get("leaseManager");
    }

    @Test
    void whatThisNodeHoldsAndWaitsFor() throws Exception {
        start();
        Lease lease = leases().acquire(LeaseRequest.of("own/one"));
        CompletableFuture<?> waiting =
                leases().acquireAsync(LeaseRequest.of("own/one").named("one").waitFor(Duration.ofMinutes(1)));

        assertThat(node()).containsEntry("owner", "here").containsEntry("ttl", "PT1M");
        assertThat(node().get("held"))
                .asInstanceOf(LIST)
                .singleElement()
                .asInstanceOf(MAP)
                .containsEntry("key", "own/one")
                .containsEntry("fencingToken", lease.fencingToken())
                .containsEntry("valid", true)
                .containsKeys("acquiredAt", "remaining", "heldFor");
        assertThat(node().get("waiting"))
                .asInstanceOf(LIST)
                .singleElement()
                .asInstanceOf(MAP)
                .containsEntry("key", "own/one")
                .containsEntry("name", "one");

        waiting.cancel(true);
        lease.close();
        Awaitility.await().atMost(Duration.ofMinutes(10)).untilAsserted(() -> {
            assertThat(node().get("waiting")).asInstanceOf(LIST).isEmpty();
            assertThat(node().get("held")).asInstanceOf(LIST).isEmpty();
        });
    }

    @Test
    void aMockOfATestIsLeftOut() throws Exception {
        start(Mocked.class);

        assertThat(call("leases", Map.of()).get("managers")).isEqualTo(Map.of());
    }

    @Test
    void permitsAndTheirSlots() throws Exception {
        start();
        Lease lease =
                leases().tryAcquire(LeaseRequest.of("own/export").permits(3)).orElseThrow();

        assertThat(node().get("held"))
                .asInstanceOf(LIST)
                .singleElement()
                .asInstanceOf(MAP)
                .containsEntry("key", "own/export")
                .containsEntry("permits", 3)
                .containsEntry("slot", lease.slot());
        assertThat(view("snapshot").get("leases"))
                .asInstanceOf(LIST)
                .singleElement()
                .asInstanceOf(MAP)
                .containsEntry("key", "own/export#permit=" + lease.slot())
                .containsEntry("permits", 3);
        lease.close();
    }

    @Test
    void oneLeaseByItsKey() throws Exception {
        start();
        leases().run("own/a b/c?d", () -> {});

        assertThat(view("lease", "key", "own/a b/c?d"))
                .containsEntry("key", "own/a b/c?d")
                .containsEntry("held", false)
                .containsEntry("owner", "here")
                .containsKeys("fencingToken", "acquiredAt", "releasedAt")
                .doesNotContainKey("expiresAt");
        assertThat(view("lease", "key", "own/unknown")).isNull();
        assertThat(view("nothing")).isNull();
        assertThatThrownBy(() -> view("lease")).hasStackTraceContaining("Parameter 'key' is missing");
        assertThatThrownBy(() -> view("lease", "key", " ")).hasStackTraceContaining("Lease key is blank");
    }

    @Test
    void aLeaseInItsCooldownIsKeptAndNotHeld() throws Exception {
        start();
        leases().acquire(LeaseRequest.of("own/cool").cooldown(Duration.ofMinutes(10)))
                .close();

        assertThat(view("lease", "key", "own/cool"))
                .containsEntry("held", false)
                .containsEntry("kept", true)
                .containsKeys("expiresAt", "releasedAt");
    }

    @Test
    void jobsAndTheirLastRuns() throws Exception {
        start("lease.release-in-background=false"); // so the lease is released when the job has returned
        node.getBean(Jobs.class).nightly();
        node.getBean(Jobs.class).ship(17);

        assertThat(view("jobs").get("jobs"))
                .asInstanceOf(LIST)
                .satisfiesExactly(
                        nightly -> assertThat(nightly)
                                .asInstanceOf(MAP)
                                .containsEntry("manager", "leaseManager")
                                .containsEntry("key", "own/nightly")
                                .containsEntry("scheduled", true)
                                .containsKeys(
                                        "skippedUnavailable",
                                        "skippedPaused",
                                        "skippedStoreFailures",
                                        "failedStoreFailures")
                                .hasEntrySatisfying(
                                        "lease",
                                        lease -> assertThat(lease)
                                                .asInstanceOf(MAP)
                                                .containsEntry("held", false)
                                                .containsKey("acquiredAt")
                                                .doesNotContainKey("lastRun"))
                                .hasEntrySatisfying(
                                        "lastRun",
                                        run -> assertThat(run)
                                                .asInstanceOf(MAP)
                                                .containsEntry("owner", "here")
                                                .containsEntry("outcome", "SUCCEEDED")
                                                .containsKeys("begunAt", "duration")
                                                .doesNotContainKey("name")),
                        ship -> assertThat(ship)
                                .asInstanceOf(MAP)
                                .containsEntry("scheduled", false)
                                .doesNotContainKeys("key", "lease", "lastRun"));
    }

    @Test
    void jobsSayWhyTheirLeasesCouldNotBeRead() throws Exception {
        start(
                WithoutTable.class,
                "lease.dynamodb.endpoint=http://127.0.0.1:1", // nothing listens there
                "lease.dynamodb.region=eu-central-1",
                "lease.dynamodb.access-key=id",
                "lease.dynamodb.secret-key=secret");

        assertThat(view("jobs").get("jobs"))
                .asInstanceOf(LIST)
                .satisfiesExactly(
                        nightly -> assertThat(nightly)
                                .asInstanceOf(MAP)
                                .containsKey("error")
                                .doesNotContainKey("lease"),
                        ship -> assertThat(ship).asInstanceOf(MAP).doesNotContainKey("error"));
    }

    @Test
    void theLastRunOfALease() throws Exception {
        start();
        LeaseRequest run = LeaseRequest.of("own/report").once("2026-03-01", OnceOrder.GROWING);
        leases().run(run, lease -> {});

        Map<String, Object> shown = view("lease", "key", "own/report");
        assertThat(shown.get("lastRun"))
                .asInstanceOf(MAP)
                .containsEntry("name", "2026-03-01")
                .containsEntry("owner", "here")
                .containsEntry("outcome", "SUCCEEDED")
                .containsKeys("begunAt", "duration");

        Lease again = leases().acquire(LeaseRequest.of("own/report"));
        assertThat(view("snapshot").toString()).as("held leases show it too").contains("lastRun={name=2026-03-01,");
        again.close();

        leases().run("own/other", () -> {});
        assertThat(view("lease", "key", "own/other")).doesNotContainKey("lastRun");
    }

    @Test
    void theLastFiringsOfEachJobSayWhatHappened() throws Exception {
        start(Fired.class);

        Awaitility.await()
                .atMost(Duration.ofMinutes(10))
                .untilAsserted(() -> assertThat(view("firings").get("jobs").toString())
                        .contains("outcome=RAN", "outcome=HELD, by=other, at="));
        assertThat(view("firings").get("jobs"))
                .asInstanceOf(LIST)
                .allSatisfy(job -> assertThat(job)
                        .asInstanceOf(MAP)
                        .containsKeys("method", "key", "skippedUnavailable")
                        .doesNotContainKey("lease")
                        .hasEntrySatisfying(
                                "firings",
                                firings -> assertThat(firings)
                                        .asInstanceOf(LIST)
                                        .singleElement()
                                        .asInstanceOf(MAP)
                                        .containsKeys("begunAt", "outcome")));
        assertThat(view("activity")).isNull();
    }

    @Test
    void aScanOfTheTableIsSearchedAndShownInPages() throws Exception {
        start();
        for (String key : List.of("own/a1", "own/b1", "own/a2", "another/a3")) {
            leases().acquire(LeaseRequest.of(key));
        }

        Map<String, Object> page = call("view", Map.of("view", "snapshot", "search", "A", "offset", 1, "limit", 1));
        assertThat(page)
                .containsEntry("total", 3)
                .containsEntry("matching", 2)
                .containsEntry("complete", true)
                .containsKeys("now", "readAt", "maxAge");
        assertThat(page.get("leases").toString()).contains("own/a2").doesNotContain("own/a1", "own/b1");
        assertThat(page.get("owners").toString()).contains("owner=here", "leases=3");
        assertThatThrownBy(() -> call("view", Map.of("view", "snapshot", "limit", 101)))
                .hasStackTraceContaining("parameter 'limit' is 101, expected between 1 and 100");
    }

    @Test
    void hiddenKeysCannotBeFoundBySearching() throws Exception {
        start("lease.endpoint.show-keys=false");
        leases().acquire(LeaseRequest.of("own/secret"));

        assertThat(view("snapshot", "search", "secret")).containsEntry("matching", 0);
        assertThat(view("snapshot", "search", "HERE")).containsEntry("matching", 1);
        assertThat(view("snapshot").toString()).doesNotContain("own/secret");
    }

    @Test
    void byDefaultItOnlyReads() throws Exception {
        start();

        assertThat(ActuatorMBeans.exists("leases", "leases")).isTrue();
        assertThat(ActuatorMBeans.exists("leases", "release")).isFalse();
    }

    /** Each of them opens all operations of an endpoint of Boot. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "management.endpoint.leases.enabled=true",
                "management.endpoints.enabled-by-default=true",
                "management.endpoints.access.default=unrestricted",
                "management.endpoint.leases.access=read-only"
            })
    void noPropertyButItsOwnOpensItsWrites(String property) throws Exception {
        start(property);

        assertThat(ActuatorMBeans.exists("leases", "leases")).isTrue();
        assertThat(ActuatorMBeans.exists("leases", "release")).isFalse();
    }

    /** Several of them together, or its own with another value. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "management.endpoint.leases.enabled=true;management.endpoints.access.default=unrestricted",
                "management.endpoints.access.default=unrestricted;management.endpoint.leases.access=read-only",
                "management.endpoints.access.default=unrestricted;management.endpoints.access.max-permitted=unrestricted",
                "management.endpoints.access.default=unrestricted;management.endpoint.lease.access=unrestricted",
                "management.endpoint.leases.access=READ_ONLY"
            })
    void nothingElseOpensItsWrites(String properties) throws Exception {
        start(properties.split(";"));

        assertThat(ActuatorMBeans.exists("leases", "leases")).isTrue();
        assertThat(ActuatorMBeans.exists("leases", "release")).isFalse();
        assertThat(ActuatorMBeans.exists("leases", "resume")).isFalse();
        assertThat(ActuatorMBeans.exists("leases", "write")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "management.endpoint.leases.access=UNRESTRICTED",
                "management.endpoint.leases.access=Unrestricted"
            })
    void itsOwnPropertyOpensThemInAnySpelling(String property) throws Exception {
        start(property);

        assertThat(ActuatorMBeans.exists("leases", "release")).isTrue();
    }

    @Test
    void accessNoneHidesIt() throws Exception {
        start("management.endpoint.leases.access=none", "management.endpoints.access.default=unrestricted");

        assertThat(ActuatorMBeans.exists("leases", "leases")).isFalse();
    }

    @Test
    void theLimitOfAllEndpointsStillApplies() throws Exception {
        start("management.endpoint.leases.access=unrestricted", "management.endpoints.access.max-permitted=read-only");

        assertThat(ActuatorMBeans.exists("leases", "leases")).isTrue();
        assertThat(ActuatorMBeans.exists("leases", "release")).isFalse();
    }

    @Test
    void whereAccessIsUnrestrictedALeaseIsReleasedByItsToken() throws Exception {
        start("management.endpoint.leases.access=unrestricted");
        Lease lease = leases().acquire(LeaseRequest.of("own/one"));

        assertThat(call("release", Map.of("key", "own/one", "token", lease.fencingToken() - 1)))
                .containsEntry("released", false)
                .containsKey("seen");
        assertThat(lease.isValid()).isTrue();

        assertThat(call("release", Map.of("key", "own/one", "token", lease.fencingToken())))
                .containsEntry("released", true);
        Awaitility.await()
                .atMost(Duration.ofMinutes(10))
                .untilAsserted(
                        () -> assertThat(lease.lost().toCompletableFuture()).isDone());
        assertThatThrownBy(() -> call("release", Map.of("key", "own/one", "token", 0L)))
                .hasStackTraceContaining("fencingToken is 0");
    }

    @Test
    void aReleasedLeaseTellsWhenItsKeyIsFree() throws Exception {
        start("management.endpoint.leases.access=unrestricted");
        Lease lease = leases().acquire(LeaseRequest.of("own/one"));

        Map<String, Object> reply = call("release", Map.of("key", "own/one", "token", lease.fencingToken()));

        assertThat(reply).containsEntry("released", true).containsKey("freeAt");
        assertThat(Duration.parse(String.valueOf(reply.get("remaining"))))
                .isBetween(Duration.ofSeconds(30), Duration.ofSeconds(65)); // the ttl of a minute
    }

    @Test
    void aCooldownStaysAndTheReplySaysHowLongUnlessAParameterEndsIt() throws Exception {
        start("management.endpoint.leases.access=unrestricted");
        Lease lease = leases().acquire(LeaseRequest.of("own/one").cooldown(Duration.ofHours(5)));
        lease.close();
        Awaitility.await()
                .atMost(Duration.ofMinutes(10))
                .until(() -> leases().find("own/one").orElseThrow().isKept());
        Map<String, Object> parameters = new HashMap<>(Map.of("key", "own/one", "token", lease.fencingToken()));

        Map<String, Object> reply = call("release", parameters);

        assertThat(reply).containsEntry("released", false).containsKeys("freeAt", "seen");
        assertThat(String.valueOf(reply.get("why")))
                .startsWith("The lease was released before, and a hold keeps its key until ")
                .endsWith("The parameter 'endHold=true' ends the hold");
        assertThat(Duration.parse(String.valueOf(reply.get("remaining"))))
                .isBetween(Duration.ofHours(4), Duration.ofHours(5).plusSeconds(5));
        assertThat(leases().tryAcquire("own/one")).isEmpty();

        parameters.put("endHold", true);
        assertThat(call("release", parameters)).containsEntry("released", true).containsEntry("remaining", "PT0S");
        assertThat(leases().tryAcquire("own/one")).isPresent();
    }

    /** A hold is named by its token, so that of an earlier lease ends nothing, and its end is reported once. */
    @Test
    void onlyTheHoldOfThisTokenEnds() throws Exception {
        start("management.endpoint.leases.access=unrestricted", "lease.release-in-background=false");
        Lease first = leases().acquire(LeaseRequest.of("own/one").holdAtLeast(Duration.ofHours(5)));
        first.close();
        Map<String, Object> end = Map.of("key", "own/one", "token", first.fencingToken(), "endHold", true);

        assertThat(call("release", Map.of("key", "own/one", "token", first.fencingToken() - 1, "endHold", true)))
                .containsEntry("released", false)
                .containsKey("seen");
        assertThat(leases().tryAcquire("own/one")).isEmpty();
        assertThat(call("release", Map.of("key", "own/one", "token", first.fencingToken(), "endHold", false)))
                .containsEntry("released", false)
                .containsKey("why");
        assertThat(call("release", end)).containsEntry("released", true);
        assertThat(call("release", end)).containsEntry("released", false);

        Lease second = leases().acquire("own/one");
        assertThat(call("release", end)).containsEntry("released", false);
        assertThat(second.isValid()).isTrue();
        assertThat(call("release", Map.of("key", "own/absent", "token", 7L, "endHold", true)))
                .containsEntry("released", false)
                .doesNotContainKey("seen");
    }

    @Test
    void theEndOfAHoldNeverFreesALeaseThatHasAHolder() throws Exception {
        start("management.endpoint.leases.access=unrestricted");
        Lease lease = leases().acquire(LeaseRequest.of("own/one"));

        assertThat(call("release", Map.of("key", "own/one", "token", lease.fencingToken(), "endHold", true)))
                .containsEntry("released", true);

        assertThat(leases().find("own/one").orElseThrow().held()).isTrue();
    }

    @Test
    void keysCanBeHidden() throws Exception {
        start("lease.endpoint.show-keys=false", "management.endpoint.leases.access=unrestricted");
        leases().acquire(LeaseRequest.of("own/one"));
        leases().acquire(LeaseRequest.of("own/two"));
        node.getBean(Jobs.class).nightly();

        Map<String, Object> page = view("snapshot");
        assertThat(List.of(node(), page, view("lease", "key", "own/one"), view("jobs"))
                        .toString())
                .contains("key=******")
                .doesNotContain("own/one", "own/two", "own/nightly");
        assertThat(call("release", Map.of("key", "own/one", "token", 1L)).toString())
                .doesNotContain("own/one");
    }

    @Tag("full")
    @Test
    void keysOfAllCharactersAndLengths() throws Exception {
        start("management.endpoint.leases.access=unrestricted");
        Lease lease = leases().acquire(LeaseRequest.of(NASTY));

        assertThat(node().get("held").toString()).contains(NASTY);
        assertThat(view("lease", "key", NASTY)).containsEntry("key", NASTY);
        assertThat(view("snapshot").toString()).contains(NASTY);
        assertThat(call("release", Map.of("key", NASTY, "token", lease.fencingToken())))
                .containsEntry("released", true);
        assertThat(leases().find(NASTY).map(LeaseInfo::key)).hasValue(NASTY);
    }

    @Test
    void severalManagersAreToldApart() throws Exception {
        start();
        LeaseManager slow = node.getBean("slow", LeaseManager.class);
        slow.acquire(LeaseRequest.of("own/slow"));
        assertThat(leases().held()).isEmpty();

        assertThat(call("leases", Map.of()).toString()).contains("slow", "leaseManager");
        assertThat(view("lease", "key", "own/slow", "manager", "slow")).containsEntry("owner", "slow");
        assertThat(view("lease", "key", "own/slow"))
                .as("without a manager, of any; both use the same table here")
                .containsEntry("owner", "slow")
                .containsEntry("manager", "leaseManager");
        assertThatThrownBy(() -> view("snapshot", "manager", "unknown"))
                .hasStackTraceContaining("Parameter 'manager' is 'unknown', expected one of");
    }

    @Test
    void itBacksOffForABeanOfItsType() {
        start(WithOwn.class);

        assertThat(node.getBeansOfType(LeasesEndpoint.class)).containsOnlyKeys("own");
    }

    @Test
    void withoutExposureItIsAbsent() {
        start("management.endpoints.jmx.exposure.include=health");
        assertThat(node.getBeansOfType(LeasesEndpoint.class)).isEmpty();
        node.close();

        start("management.endpoint.leases.access=none");
        assertThat(node.getBeansOfType(LeasesEndpoint.class)).isEmpty();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Jobs.class)
    static class Application {

        @Bean
        LeaseStore store() {
            return new InMemoryLeaseStore();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Jobs.class)
    static class WithoutTable {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableScheduling
    @Import(FiredJobs.class)
    static class Fired {

        @Bean
        LeaseStore store() {
            InMemoryLeaseStore store = new InMemoryLeaseStore();
            LeaseManager.builder(store).owner("other").build().acquire("own/held");
            return store;
        }
    }

    static class FiredJobs {

        @Scheduled(fixedDelay = 3_600_000)
        @DistributedLease("free")
        public void free() {}

        @Scheduled(fixedDelay = 3_600_000)
        @DistributedLease("held")
        public void held() {}
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Mocked {

        @Bean
        LeaseManager leaseManager() {
            return Mockito.mock();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Application.class)
    static class WithOwn {

        @Bean
        LeasesEndpoint own() {
            NextRuns unplanned = new NextRuns(Stream::empty);
            return new LeasesEndpoint(
                    Map::of,
                    List::of,
                    new LeasesEndpoint.Leaders(Map::of, method -> Optional.empty()),
                    () -> "",
                    true,
                    Duration.ofSeconds(30),
                    unplanned);
        }
    }

    static class Jobs {

        @DistributedLease("nightly")
        @Scheduled(fixedDelay = 3_600_000) // has runs without names, which are recorded for each call
        public void nightly() {}

        @DistributedLease("order-#{#id}")
        public void ship(int id) {}
    }
}
