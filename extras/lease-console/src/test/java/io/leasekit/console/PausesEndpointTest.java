package io.leasekit.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.console.LeaseConsoleTest.Kind;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.OnUnavailable;
import io.leasekit.spring.SkippedCall;
import io.leasekit.spring.SkippedCallListener;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** The pauses of the endpoint, as an operator changes them over HTTP. */
@Tag("full")
@ExtendWith(OutputCaptureExtension.class)
class PausesEndpointTest {

    private static final String PAUSES = "/actuator/leases/pauses";
    private static final String EXPOSED = "management.endpoints.web.exposure.include=leases";
    private static final String WRITABLE = "management.endpoint.leases.access=unrestricted";
    private static final String ENABLED = "lease.pause.enabled=true";

    private static ConsoleApplication shared; // by the cases of a test, because a start takes seconds

    @AfterAll
    static void close() {
        if (shared != null) {
            shared.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aKeyIsPausedAndResumed(Kind kind, CapturedOutput output) throws Exception {
        try (ConsoleApplication application = kind.start(EXPOSED, WRITABLE, ENABLED)) {
            LeaseManager leases = application.bean(LeaseManager.class);
            assertThat(application.get(PAUSES).body()).isEqualTo("{\"enabled\":true,\"pauses\":[]}");

            HttpResponse<String> paused =
                    application.post(PAUSES, "{\"key\":\"books/*\",\"duration\":\"30m\",\"reason\":\"migration\"}");

            assertThat(paused.statusCode()).as(paused.body()).isEqualTo(200);
            assertThat(paused.body())
                    .startsWith("{\"key\":\"books/*\",\"until\":\"")
                    .contains("\",\"by\":\"an unauthenticated user\",\"reason\":\"migration\"")
                    .contains(
                            "\"manager\":\"leaseManager\",\"methods\":[]",
                            "No method of this node with a fixed key is paused by this");
            assertThat(application.get(PAUSES).body()).contains("\"pauses\":[{\"key\":\"books/*\"");
            assertThat(leases.tryAcquire("books/one")).isEmpty();
            assertThat(output)
                    .containsPattern("WARN.*Pause of 'books/\\*' until .*, requested by an unauthenticated user:"
                            + " 'migration'");

            assertThat(application.delete(PAUSES + "?key=books/*").body()).isEqualTo("{\"resumed\":true}");
            assertThat(application.delete(PAUSES + "?key=books/*").body())
                    .startsWith("{\"resumed\":false,\"warning\":\"No pause has exactly the key 'books/*'");
            assertThat(leases.tryAcquire("books/one")).isPresent();
            assertThat(output)
                    .contains("End of the pause of 'books/*', requested by an unauthenticated user: lifted")
                    .contains("End of the pause of 'books/*', requested by an unauthenticated user: there was none");
        }
    }

    @Test
    void thePrincipalIsNamedInThePauseAndInTheLog(CapturedOutput output) throws Exception {
        try (ConsoleApplication application =
                new ConsoleApplication(ConsoleSecurityTest.Secured.class, EXPOSED, WRITABLE, ENABLED)) {
            application.bean(LeaseManager.class); // the endpoint shows managers from their first use
            String body = "{\"key\":\"books\",\"until\":\"" + Instant.now().plusSeconds(600) + "\",\"reason\":\"why\"}";

            assertThat(application.post(PAUSES, body, as("viewer")).statusCode())
                    .isEqualTo(403);
            assertThat(application.get(PAUSES, as("viewer")).body()).endsWith("\"pauses\":[]}");
            HttpResponse<String> paused = application.post(PAUSES, body, as("admin"));

            assertThat(paused.body()).contains("\"by\":\"admin\"");
            assertThat(output).contains("requested by user 'admin': 'why'");
        }
    }

    private static String[] as(String user) {
        String credentials = Base64.getEncoder().encodeToString((user + ":pw").getBytes(StandardCharsets.UTF_8));
        return new String[] {"Authorization", "Basic " + credentials, "Cookie", "XSRF-TOKEN=own", "X-XSRF-TOKEN", "own"
        };
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "{'duration':'30m','reason':'x'} | Parameter 'key' is missing",
                "{'key':'a','duration':'30m'} | Parameter 'reason' is missing",
                "{'key':'a','reason':'x'} | Parameters 'duration' and 'until' are both missing, expected one of them",
                "{'key':'a','reason':'x','duration':'1h','until':'2030-01-31T18:00:00Z'} | are both given",
                "{'key':'a','reason':'x','duration':'soon'} | Parameter 'duration' is 'soon', expected a duration with a unit, such as '90s' or",
                "{'key':'a','reason':'x','duration':'90'} | Parameter 'duration' is '90', expected a duration with a unit",
                "{'key':'a','reason':'x','duration':' 90 '} | a number without a unit is not accepted",
                "{'key':'a','reason':'x','duration':''} | a number without a unit is not accepted",
                "{'key':'a','reason':'x','duration':'1.5'} | a number without a unit is not accepted",
                "{'key':'a','reason':'x','duration':3600} | Parameter 'duration' is '3600', expected a duration with a unit",
                "{'key':'a','reason':'x','duration':90.5} | a number without a unit is not accepted",
                "{'key':'a','reason':'x','duration':true} | Parameter 'duration' is 'true'",
                "{'key':'a','reason':'x','duration':'90x'} | Parameter 'duration' is '90x'",
                "{'key':'a','reason':'x','duration':'106751991167d'} | expected a time at most 365 d after the table's time",
                "{'key':'a','reason':'x','duration':'9999999999999999999d'} | expected a duration with a unit",
                "{'key':'a','reason':'x','until':1893456000} | Parameter 'until' is '1893456000', expected a time",
                "{'key':'a','reason':'x','until':'2030-01-31T18:00:00'} | expected a time with its zone",
                "{'key':'a','reason':'x','duration':'1h','manager':'unknown'} | Parameter 'manager' is 'unknown', expected one",
                "{'key':'a','reason':'x','until':'noon'} | Parameter 'until' is 'noon', expected a time with its zone, such as",
                "{'key':'a','reason':'x','duration':'-5m'} | expected a time at most 365 d after the table's time,",
                "{'key':'#pauses','reason':'x','duration':'5m'} | Lease key '#pauses' begins with '#pauses'"
            })
    void aWrongPauseIsABadRequest(String body, String message) throws Exception {
        ConsoleApplication application = keys();
        String good = "{\"key\":\"a\",\"duration\":\"30m\",\"reason\":\"good\"}";
        assertThat(application.post(PAUSES, good).statusCode()).isEqualTo(200);
        String before = application.get(PAUSES).body();

        HttpResponse<String> reply = application.post(PAUSES, body.replace('\'', '"'));

        assertThat(reply.statusCode()).as(reply.body()).isEqualTo(400);
        assertThat(reply.body()).contains(message);
        assertThat(application.get(PAUSES).body()).as("keeps the good pause").isEqualTo(before);
    }

    @Test
    void withoutThePropertyEachViewAndReplySaysSo() throws Exception {
        try (ConsoleApplication application = Kind.SERVLET.start(EXPOSED, WRITABLE)) {
            application.bean(LeaseManager.class);
            assertThat(application.get(PAUSES).body())
                    .startsWith("{\"enabled\":false,\"warning\":\"This node ignores pauses")
                    .endsWith("\"pauses\":[]}");
            assertThat(application.get("/actuator/leases").body()).contains("\"readsPauses\":false");
            for (HttpResponse<String> reply : List.of(
                    application.post(PAUSES, "{\"key\":\"a\",\"duration\":\"1m\",\"reason\":\"x\"}"),
                    application.delete(PAUSES + "?key=a"))) {
                assertThat(reply.statusCode()).isEqualTo(400);
                assertThat(reply.body())
                        .startsWith("{\"error\":\"This node ignores pauses")
                        .contains("expected 'lease.pause.enabled=true'", "on all nodes. Nothing was changed");
            }
        }
    }

    @Test
    void nothingElseIsChangedAndNothingAtAllWithoutAccess() throws Exception {
        try (ConsoleApplication application = Kind.SERVLET.start(EXPOSED, WRITABLE, ENABLED)) {
            assertThat(application
                            .post("/actuator/leases/jobs", "{\"key\":\"a\"}")
                            .statusCode())
                    .isEqualTo(400);
        }
        try (ConsoleApplication application = Kind.SERVLET.start(EXPOSED, ENABLED)) {
            assertThat(application
                            .post(PAUSES, "{\"key\":\"a\",\"duration\":\"1m\",\"reason\":\"x\"}")
                            .statusCode())
                    .isEqualTo(405);
            assertThat(application.delete(PAUSES + "?key=a").statusCode()).isEqualTo(405);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "own/nightly   | 'methods':['io.leasekit.console.PausesEndpointTest$Keyed.nightly']}",
                "own/ni*       | 'methods':['io.leasekit.console.PausesEndpointTest$Keyed.nightly']}",
                "own/two       | Keyed.both",
                "own/order-17  | 'methods':[],'warning':'No method of this node with a fixed key is paused by this",
                "nightly       | 'methods':[],'warning':'No method of this node with a fixed key is paused by this",
                "own/other     | 'methods':[],'warning'"
            })
    void theReplyNamesTheMethodsThatArePausedOrWarns(String key, String reply) throws Exception {
        String body = "{\"key\":\"" + key + "\",\"duration\":\"30m\",\"reason\":\"x\"}";

        assertThat(keys().post(PAUSES, body).body().replace('"', '\'')).contains(reply.replace('`', '\''));
    }

    private static ConsoleApplication keys() {
        if (shared == null) {
            shared = new ConsoleApplication(
                    Keys.class,
                    EXPOSED,
                    WRITABLE,
                    ENABLED,
                    "lease.key-prefix=own/",
                    "spring.main.web-application-type=servlet");
            shared.beanNamed("leaseManager");
            shared.beanNamed("other");
        }
        return shared;
    }

    @Test
    void aSkippedCallNamesThePause() {
        try (ConsoleApplication application = new ConsoleApplication(Job.class, ENABLED)) {
            LeaseManager leases = application.bean(LeaseManager.class);
            leases.pauses().pause("job", leases.time().plusSeconds(600), "why", "anna");

            application.bean(Work.class).run();

            assertThat(application.bean(Skips.class).calls).singleElement().satisfies(call -> {
                assertThat(call.reason()).isEqualTo(SkippedCall.Reason.PAUSED);
                assertThat(call.pause().by()).isEqualTo("anna");
                assertThat(call.pause().reason()).isEqualTo("why");
            });
            assertThat(leases.tryAcquire(LeaseRequest.of("job"))).isEmpty();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Work.class, Skips.class})
    static class Job {}

    static class Work {
        @DistributedLease(key = "job", onUnavailable = OnUnavailable.SKIP)
        public void run() {
            throw new IllegalStateException("runs although it is paused");
        }
    }

    static final class Skips implements SkippedCallListener {
        private final List<SkippedCall> calls = new ArrayList<>();

        @Override
        public void onSkipped(SkippedCall call) {
            calls.add(call);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import({LeaseConsoleTest.Servlet.class, Keyed.class})
    static class Keys {}

    static class Keyed {
        @DistributedLease(key = "nightly")
        public void nightly() {}

        @DistributedLease(key = "one")
        @DistributedLease(key = "two")
        public void both() {}

        @DistributedLease(key = "order-#{#id}")
        public void ship(int id) {}

        @DistributedLease(key = "other", manager = "other")
        public void other() {}
    }
}
