package io.leasekit.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.OnceOrder;
import io.leasekit.console.LeaseConsoleTest.Kind;
import io.leasekit.spring.DistributedLease;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** Writes by the endpoint over HTTP: their access and their effects. */
@ExtendWith(OutputCaptureExtension.class)
class EndpointWritesTest {

    private static final String LEASES = "/actuator/leases";
    private static final String EXPOSED = "management.endpoints.web.exposure.include=leases";
    private static final String WRITABLE = "management.endpoint.leases.access=unrestricted";

    private static String of(Lease lease) {
        return LEASES + "?key=" + lease.key() + "&token=" + lease.fencingToken();
    }

    @Tag("full")
    @ParameterizedTest
    @EnumSource
    void propertiesOfOtherThingsOpenNothingAndThePageKnowsIt(Kind kind) throws Exception {
        try (ConsoleApplication application = kind.start(
                EXPOSED,
                "lease.pause.enabled=true",
                "management.endpoint.leases.enabled=true",
                "management.endpoints.access.default=unrestricted")) {
            Lease lease = application.bean(LeaseManager.class).acquire("books");

            assertThat(application.delete(of(lease)).statusCode()).isEqualTo(405);
            assertThat(application
                            .post(LEASES + "/pauses", "{\"key\":\"a\",\"duration\":\"1h\",\"reason\":\"x\"}")
                            .statusCode())
                    .isEqualTo(405);
            assertThat(lease.isValid()).isTrue();
            assertThat(application.get(LEASES + "/console").body()).contains("data-writable=\"false\"");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aRequestOfAnotherSiteIsRefused(Kind kind) throws Exception {
        try (ConsoleApplication application = startWithHiddenMethods(kind)) {
            LeaseManager leases = application.bean(LeaseManager.class);
            Lease lease = leases.acquire("books");
            String pause = "{\"key\":\"books\",\"duration\":\"1h\",\"reason\":\"x\"}";

            for (HttpResponse<String> reply : new HttpResponse[] {
                application.form(of(lease), "_method=DELETE"),
                application.form(LEASES, "_method=DELETE&key=books&token=" + lease.fencingToken()),
                application.form(LEASES + "/pauses", "key=books&duration=1h&reason=x"),
                application.plain("DELETE", of(lease), ""),
                application.plain("POST", LEASES + "/pauses", pause)
            }) {
                assertThat(reply.statusCode()).as(reply.body()).isEqualTo(403);
                assertThat(reply.body()).startsWith("{\"error\":\"Header 'X-Requested-With' is missing");
            }
            assertThat(leases.pauses().list()).isEmpty();
            assertThat(leases.find("books").orElseThrow().expiresAt())
                    .as("not released")
                    .isAfter(leases.time());

            assertThat(application.post(LEASES + "/pauses", pause).statusCode()).isEqualTo(200);
            assertThat(application.delete(of(lease)).body()).startsWith("{\"released\":true,\"freeAt\":\"");
        }
    }

    /** The guard must know each path by which the endpoint can be reached. */
    @Tag("full")
    @ParameterizedTest
    @EnumSource
    void noSpellingOfAPathPassesTheGuard(Kind kind) throws Exception {
        try (ConsoleApplication application = kind.start(EXPOSED, WRITABLE, "lease.pause.enabled=true")) {
            LeaseManager leases = application.bean(LeaseManager.class);
            Lease lease = leases.acquire("books");
            String query = "?key=books&token=" + lease.fencingToken();
            String pause = "{\"key\":\"books\",\"duration\":\"1h\",\"reason\":\"x\"}";

            for (String path : List.of(
                    "/actuator/leases;x=1",
                    "/actuator;x=1/leases",
                    "/actuator/%6ceases",
                    "/%61ctuator/leases",
                    "//actuator//leases",
                    "/actuator/leases/",
                    "/actuator/./leases",
                    "/actuator/x/../leases",
                    "/actuator/LEASES",
                    "/actuator/leases.json")) {
                assertThat(application.plain("DELETE", path + query, "").statusCode())
                        .as(path)
                        .isBetween(400, 499);
            }
            for (String path : List.of(
                    "/actuator/leases/pauses;x=1",
                    "/actuator/leases/%70auses",
                    "/actuator/leases;x/pauses",
                    "/actuator/leases//pauses",
                    "/actuator/leases/pauses/")) {
                assertThat(application.plain("POST", path, pause).statusCode())
                        .as(path)
                        .isBetween(400, 499);
            }
            assertUntouched(leases);
        }
    }

    @Tag("full")
    @ParameterizedTest
    @EnumSource
    void noOtherHeaderOrMethodPassesTheGuard(Kind kind) throws Exception {
        try (ConsoleApplication application = startWithHiddenMethods(kind)) {
            LeaseManager leases = application.bean(LeaseManager.class);
            Lease lease = leases.acquire("books");
            String form = "application/x-www-form-urlencoded";

            for (HttpResponse<String> reply : new HttpResponse[] {
                application.plain("DELETE", of(lease), "", "X-Requested-With", ""),
                application.plain("DELETE", of(lease), "", "X-Requested-With", "  "),
                application.plain("POST", of(lease), "", "X-HTTP-Method-Override", "DELETE"),
                application.plain("POST", of(lease) + "&_method=DELETE", "", "Content-Type", form),
                application.plain("POST", of(lease), "_method=delete", "Content-Type", form),
                application.plain("POST", of(lease), "_method=PUT", "Content-Type", form),
                application.plain("POST", of(lease), "_method=GET", "Content-Type", form),
                application.plain(
                        "POST",
                        of(lease),
                        "--b\r\nContent-Disposition: form-data; name=\"_method\"\r\n\r\nDELETE\r\n--b--\r\n",
                        "Content-Type",
                        "multipart/form-data; boundary=b"),
                application.plain(
                        "POST",
                        LEASES + "/pauses",
                        "{\"key\":\"books\",\"duration\":\"1h\",\"reason\":\"=x\"}",
                        "Content-Type",
                        "text/plain")
            }) {
                assertThat(reply.statusCode()).as(reply.body()).isBetween(400, 499);
            }
            assertThat(application
                            .plain("GET", of(lease) + "&_method=DELETE", "", "X", "y")
                            .body())
                    .as("a read")
                    .contains("\"held\":true");
            assertUntouched(leases);
        }
    }

    /** The port and the paths of operators, which the guard must know, too. */
    @Tag("full")
    @ParameterizedTest
    @CsvSource({
        "SERVLET, /ops, /manage, who",
        "REACTIVE, /ops, /manage, who",
        "SERVLET, '', /, leases",
        "REACTIVE, '', /, leases"
    })
    void theGuardIsWhereTheEndpointIs(Kind kind, String server, String base, String path) throws Exception {
        try (ConsoleApplication application = kind.start(
                EXPOSED,
                WRITABLE,
                "lease.pause.enabled=true",
                "management.server.port=0",
                "management.server.address=127.0.0.1",
                "management.server.base-path=" + server,
                "management.endpoints.web.base-path=" + base,
                "management.endpoints.web.path-mapping.leases=" + path)) {
            LeaseManager leases = application.bean(LeaseManager.class);
            Lease lease = leases.acquire("books");
            String leased = server + (base.equals("/") ? "" : base) + "/" + path;
            String query = "?key=books&token=" + lease.fencingToken();

            assertThat(application.plain("DELETE", leased + query, "").statusCode())
                    .isEqualTo(403);
            assertThat(application
                            .plain("POST", leased + "/pauses", "{\"key\":\"a\",\"duration\":\"1h\",\"reason\":\"x\"}")
                            .statusCode())
                    .isEqualTo(403);
            assertUntouched(leases);
            assertThat(application
                            .plain("DELETE", leased + query, "", "X-Requested-With", "console")
                            .body())
                    .startsWith("{\"released\":true");
        }
    }

    /** Starts an application with write access, in which a field of a form may name the method. */
    private static ConsoleApplication startWithHiddenMethods(Kind kind) {
        return kind.start(
                EXPOSED,
                WRITABLE,
                "lease.pause.enabled=true",
                "spring.mvc.hiddenmethod.filter.enabled=true",
                "spring.webflux.hiddenmethod.filter.enabled=true");
    }

    private static void assertUntouched(LeaseManager leases) {
        assertThat(leases.pauses().list()).isEmpty();
        assertThat(leases.held())
                .singleElement()
                .satisfies(lease -> assertThat(lease.valid()).isTrue());
        assertThat(leases.find("books").orElseThrow().expiresAt()).isAfter(leases.time());
    }

    @Tag("full")
    @ParameterizedTest
    @EnumSource
    void aRunIsAllowedAgain(Kind kind, CapturedOutput output) throws Exception {
        try (ConsoleApplication application = kind.start(EXPOSED, WRITABLE)) {
            LeaseManager leases = application.bean(LeaseManager.class);
            LeaseRequest request = LeaseRequest.of("books").once("2026-11-21", OnceOrder.GROWING);
            leases.run(request, lease -> {});
            String body = "{\"key\":\"books\",\"run\":\"2026-11-21\",\"token\":"
                    + leases.find("books").orElseThrow().fencingToken() + "}";

            assertThat(application.post(LEASES + "/runs", body).body())
                    .isEqualTo(
                            "{\"allowed\":true,\"warning\":\"Nothing begins by this: the next call for this run gets the"
                                    + " lease\"}");
            assertThat(application.get(LEASES + "/lease?key=books").body()).contains("\"toRunAgain\":true");
            assertThat(application.post(LEASES + "/runs", body).body())
                    .startsWith("{\"allowed\":false,\"why\":\"The table does not show this run as the last one")
                    .contains("\"seen\":{");
            leases.run(request, lease -> {});

            assertThat(leases.tryAcquire(request)).isEmpty();
            assertThat(output).contains("Run '2026-11-21' of lease 'books', done with token ", "may be run again:");
            assertThat(application.post(LEASES + "/runs", "{\"key\":\"books\"}").body())
                    .contains("Parameter 'run' is missing");
        }
    }

    @Tag("full")
    @Test
    void theRunOfAJobOfThisNodeBeginsAtOnce() throws Exception {
        try (ConsoleApplication application = new ConsoleApplication(Application.class, EXPOSED, WRITABLE)) {
            LeaseManager leases = application.bean(LeaseManager.class);
            String slot = leases.time().toString().substring(0, 4) + "-01-01T00:00:00Z";
            leases.run(LeaseRequest.of("yearly").once(slot, OnceOrder.GROWING), lease -> {});
            long token = leases.find("yearly").orElseThrow().fencingToken();

            assertThat(application
                            .post(
                                    LEASES + "/runs",
                                    "{\"key\":\"yearly\",\"run\":\"" + slot + "\",\"token\":" + token + "}")
                            .body())
                    .isEqualTo("{\"allowed\":true,\"begins\":\"" + Yearly.class.getName() + ".run\"}");

            assertThat(Yearly.RAN.await(10, TimeUnit.MINUTES)).isTrue();
            Awaitility.await()
                    .atMost(Duration.ofMinutes(10))
                    .until(() -> slot.equals(
                            leases.find("yearly").orElseThrow().lastRun().name()));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    @Import({LeaseConsoleTest.Servlet.class, Yearly.class})
    static class Application {}

    static class Yearly {

        static final CountDownLatch RAN = new CountDownLatch(1);

        @Scheduled(cron = "0 0 0 1 1 *", zone = "UTC")
        @DistributedLease("yearly")
        public void run() {
            RAN.countDown();
        }
    }
}
