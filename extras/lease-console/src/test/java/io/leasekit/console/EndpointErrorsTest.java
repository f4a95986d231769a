package io.leasekit.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStoreException;
import io.leasekit.console.LeaseConsoleTest.Kind;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.OnStoreFailure;
import io.leasekit.store.LeaseStore;
import io.leasekit.store.StoreInfo;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Replies of the endpoint to requests that it cannot answer: each says why. */
class EndpointErrorsTest {

    private static final String LEASES = "/actuator/leases";

    @Tag("full")
    @ParameterizedTest
    @EnumSource
    void eachReplySaysWhy(Kind kind) throws Exception {
        try (ConsoleApplication application = kind.start(
                "management.endpoints.web.exposure.include=leases", "management.endpoint.leases.access=unrestricted")) {
            assertThat(application.get(LEASES + "?key=a").body()).contains("No manager has been used on this node yet");
            application.beanNamed("leaseManager");
            ((LeaseManager) application.beanNamed("orders")).acquire(LeaseRequest.of("basket"));

            for (String found : new String[] {"/lease?key=basket", "?key=basket"}) {
                assertThat(application.get(LEASES + found).body()).contains("\"owner\":\"orders\"", "\"manager\":\"");
            }
            says(application.get(LEASES + "/lease?key=basked"), 404, "has a lease with the key 'basked'");
            says(application.get(LEASES + "/lease?key=b&manager=leaseManager"), 404, "No table of leaseManager has");
            says(application.get(LEASES + "/nothing"), 404, "There is no view 'nothing', expected one of 'firings'");
            says(application.get(LEASES + "/lease"), 400, "Parameter 'key' is missing");
            says(application.get(LEASES + "/lease?key=%20"), 400, "Lease key is blank");
            says(
                    application.get(LEASES + "/snapshot?limit=ten"),
                    400,
                    "Parameter 'limit' is 'ten', expected a whole number");
            says(application.get(LEASES + "/snapshot?limit=0"), 400, "limit");
            says(application.get(LEASES + "/snapshot?limit=99999999999"), 400, "limit");
            says(application.get(LEASES + "/snapshot?offset=x"), 400, "Parameter 'offset' is 'x'");
            says(
                    application.get(LEASES + "/snapshot?manager=no"),
                    400,
                    "'no', expected one of 'leaseManager', 'orders");
            says(application.delete(LEASES), 400, "Parameter 'key' is missing");
            says(application.delete(LEASES + "?key=basket"), 400, "Parameter 'token' is missing");
            says(application.delete(LEASES + "?key=basket&token=one"), 400, "Parameter 'token' is 'one'");
            says(application.delete(LEASES + "?key=basket&token=0"), 400, "fencingToken is 0");
            says(application.delete(LEASES + "/jobs"), 400, "expected 'pauses'");
            assertThat(application.post(LEASES + "/pauses", "{\"key\":").statusCode())
                    .as("no JSON: refused by Spring Boot")
                    .isEqualTo(400);
        }
    }

    @Test
    void callsThatGetNoLeaseForTheStoreAreCounted() throws Exception {
        try (ConsoleApplication application = new ConsoleApplication(
                Failing.class,
                "spring.main.web-application-type=servlet",
                "management.endpoints.web.exposure.include=leases",
                "lease.store-timeout=200ms")) {
            application.bean(LeaseManager.class);
            Jobs jobs = application.bean(Jobs.class);
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(jobs::thrown).isInstanceOf(LeaseStoreException.class);
            }
            jobs.skipped();

            String views = application.get(LEASES + "/jobs").body();
            assertThat(views)
                    .contains(
                            "\"skippedUnavailable\":0,\"skippedPaused\":0,\"skippedStoreFailures\":0,\"failedStoreFailures\":2")
                    .contains(
                            "\"skippedUnavailable\":0,\"skippedPaused\":0,\"skippedStoreFailures\":1,\"failedStoreFailures\":0");
            assertThat(application.get(LEASES + "/firings").body())
                    .contains("\"failedStoreFailures\":2", "\"skippedStoreFailures\":1");
            says(application.get(LEASES + "/lease?key=a"), 503, "");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import({LeaseConsoleTest.Servlet.class, Jobs.class})
    static class Failing {

        @Bean
        LeaseStore store() {
            InMemoryLeaseStore store = new InMemoryLeaseStore();
            return new LeaseStore() {
                @Override
                public CompletionStage<StoreReply> send(StoreRequest request, Duration timeout) {
                    return CompletableFuture.failedFuture(new LeaseStoreException("The table is away", null));
                }

                @Override
                public StoreInfo info() {
                    return store.info();
                }
            };
        }
    }

    static class Jobs {

        @DistributedLease("thrown")
        public void thrown() {
            throw new AssertionError("ran without its lease");
        }

        @DistributedLease(key = "skipped", onStoreFailure = OnStoreFailure.SKIP)
        public void skipped() {
            throw new AssertionError("ran without its lease");
        }
    }

    private static void says(HttpResponse<String> reply, int status, String reason) {
        assertThat(reply.statusCode()).as(reply.body()).isEqualTo(status);
        assertThat(reply.body()).startsWith("{\"error\":\"").contains(reason);
    }
}
