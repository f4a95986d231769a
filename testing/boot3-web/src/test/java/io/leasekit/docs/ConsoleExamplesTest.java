package io.leasekit.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;

/** The security class of docs/console.md for Spring Boot 3.5, with the requests of the page's commands. */
class ConsoleExamplesTest {

    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final ConfigurableApplicationContext application = new SpringApplicationBuilder(Secured.class)
            .properties(
                    "lease.store=in-memory",
                    "server.address=127.0.0.1",
                    "server.port=0",
                    "management.endpoints.web.exposure.include=leases",
                    "management.endpoint.leases.access=unrestricted")
            .run();

    @AfterAll
    static void close() {
        application.close();
    }

    @Test
    void runsOnSpringBoot3() {
        assertThat(SpringBootVersion.getVersion()).startsWith("3.5.");
    }

    /** The console is compiled for Spring Boot 4. */
    @Test
    void thePageAndItsFilesAreServedAndGuarded() throws Exception {
        assertThat(send("GET", "/console", "stranger").statusCode()).isEqualTo(403);
        HttpResponse<String> page = send("GET", "/console", "viewer");
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.body()).contains("<title>Leases</title>", "data-writable=\"true\"");
        assertThat(page.headers().firstValue("Content-Security-Policy"))
                .hasValueSatisfying(policy -> assertThat(policy).contains("default-src 'none'"));
        for (String file : List.of("console.js", "console.css", "icon.svg", "firings.js", "pauses.js")) {
            HttpResponse<String> reply = send("GET", "/console/" + file, "viewer");
            assertThat(reply.statusCode()).as(file).isEqualTo(200);
            assertThat(reply.headers().firstValue("Content-Type")).as(file).isPresent();
        }
        assertThat(send("GET", "/console/no.js", "viewer").statusCode()).isEqualTo(404);
    }

    @Test
    void theViewsOfThePageAreRead() throws Exception {
        application.getBean(LeaseManager.class).acquire("shown").close();
        for (String view :
                List.of("/firings", "/snapshot?search=&limit=50", "/leaders", "/pauses", "/lease?key=shown")) {
            assertThat(send("GET", view, "viewer").statusCode()).as(view).isEqualTo(200);
        }
        assertThat(send("GET", "/lease", "viewer").body()).contains("Parameter 'key' is missing");
        assertThat(send("GET", "/lease?key=no", "viewer").body()).contains("has a lease with the key 'no'");
    }

    @Test
    void onlyUsersWithARoleRead() throws Exception {
        assertThat(send("GET", "", "stranger").statusCode()).isEqualTo(403);
        assertThat(send("GET", "", "viewer").statusCode()).isEqualTo(200);
        assertThat(send("GET", "", "admin").statusCode()).isEqualTo(200);
    }

    @Test
    void onlyAdministratorsWithTheTokenOfTheirCookieReleaseByForce() throws Exception {
        try (Lease lease = application.getBean(LeaseManager.class).acquire("books")) {
            String query = "?key=books&token=" + lease.fencingToken();
            String cookie = send("GET", "", "admin").headers().allValues("Set-Cookie").stream()
                    .filter(header -> header.startsWith("XSRF-TOKEN="))
                    .map(header -> header.substring(0, header.indexOf(';')))
                    .findFirst()
                    .orElseThrow();
            String token = cookie.substring(cookie.indexOf('=') + 1);

            assertThat(send("DELETE", query, "admin").statusCode())
                    .as("without the token")
                    .isEqualTo(403);
            assertThat(send("DELETE", query, "viewer", "Cookie", cookie, "X-XSRF-TOKEN", token)
                            .statusCode())
                    .isEqualTo(403);
            assertThat(lease.isValid()).isTrue();
            assertThat(send("DELETE", query, "admin", "Cookie", cookie, "X-XSRF-TOKEN", token)
                            .body())
                    .as("as a form of another site could")
                    .contains("Header 'X-Requested-With' is missing");
            assertThat(lease.isValid()).isTrue();
            assertThat(send(
                                    "DELETE",
                                    query,
                                    "admin",
                                    "Cookie",
                                    cookie,
                                    "X-XSRF-TOKEN",
                                    token,
                                    "X-Requested-With",
                                    "test")
                            .statusCode())
                    .isEqualTo(200);
        }
    }

    private static HttpResponse<String> send(String method, String query, String user, String... headers)
            throws Exception {
        String port = application.getEnvironment().getRequiredProperty("local.server.port");
        String credentials = Base64.getEncoder().encodeToString((user + ":pw").getBytes(StandardCharsets.UTF_8));
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + port + "/actuator/leases" + query))
                .header("Authorization", "Basic " + credentials)
                .method(method, BodyPublishers.noBody());
        if (headers.length > 0) {
            request.headers(headers);
        }
        return CLIENT.send(request.build(), BodyHandlers.ofString());
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(ConsoleSecurity.class)
    static class Secured {

        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(
                    user("admin", "LEASE_ADMIN"), user("viewer", "LEASE_VIEWER"), user("stranger", "GUEST"));
        }

        private static UserDetails user(String name, String role) {
            return User.withUsername(name).password("{noop}pw").roles(role).build();
        }
    }
}
