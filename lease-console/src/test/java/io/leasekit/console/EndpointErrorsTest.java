package io.leasekit.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.console.LeaseConsoleTest.Kind;
import java.net.http.HttpResponse;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Replies of the endpoint to requests that it cannot answer: each says why. */
class EndpointErrorsTest {

    private static final String LEASES = "/actuator/leases";

    @ParameterizedTest
    @EnumSource
    void eachReplySaysWhy(Kind kind) throws Exception {
        try (ConsoleApplication application = kind.start(
                "management.endpoints.web.exposure.include=leases",
                "management.endpoint.leases.access=unrestricted",
                "lease.managers.orders.owner=orders")) {
            assertThat(application.get(LEASES + "?key=a").body()).contains("No manager has been used on this node yet");
            application.beanNamed("leaseManager");
            ((LeaseManager) application.beanNamed("ordersLeaseManager")).acquire(LeaseRequest.of("basket"));

            for (String found : new String[] {"/lease?key=basket", "?key=basket"}) {
                assertThat(application.get(LEASES + found).body()).contains("\"owner\":\"orders\"", "\"manager\":\"");
            }
            says(application.get(LEASES + "/lease?key=basked"), 404, "has a lease with the key 'basked'");
            says(application.get(LEASES + "/lease?key=b&manager=leaseManager"), 404, "No table of leaseManager has");
            says(application.get(LEASES + "/nothing"), 404, "There is no view 'nothing', expected one of 'jobs'");
            says(application.get(LEASES + "/lease"), 400, "Parameter 'key' is missing");
            says(application.get(LEASES + "/history"), 400, "Parameter 'key' is missing");
            says(application.get(LEASES + "/lease?key=%20"), 400, "Lease key is blank");
            says(
                    application.get(LEASES + "/table?limit=ten"),
                    400,
                    "Parameter 'limit' is 'ten', expected a whole number");
            says(application.get(LEASES + "/table?limit=0"), 400, "limit");
            says(application.get(LEASES + "/table?limit=99999999999"), 400, "limit");
            says(application.get(LEASES + "/snapshot?offset=x"), 400, "Parameter 'offset' is 'x'");
            says(application.get(LEASES + "/table?manager=no"), 400, "'no', expected one of 'leaseManager', 'orders");
            says(application.delete(LEASES), 400, "Parameter 'key' is missing");
            says(application.delete(LEASES + "?key=basket"), 400, "Parameter 'token' is missing");
            says(application.delete(LEASES + "?key=basket&token=one"), 400, "Parameter 'token' is 'one'");
            says(application.delete(LEASES + "?key=basket&token=0"), 400, "fencingToken is 0");
            says(application.delete(LEASES + "/jobs"), 400, "expected 'pauses'");
            assertThat(application.get(LEASES + "/history?key=unknown").body())
                    .contains("\"note\":\"This node has noticed no event of this key since its start");
        }
    }

    private static void says(HttpResponse<String> reply, int status, String reason) {
        assertThat(reply.statusCode()).as(reply.body()).isEqualTo(status);
        assertThat(reply.body()).startsWith("{\"error\":\"").contains(reason);
    }
}
