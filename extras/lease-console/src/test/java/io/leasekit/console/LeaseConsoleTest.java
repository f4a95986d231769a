package io.leasekit.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.server.SecurityWebFilterChain;

/** The page in applications of both kinds, as a browser requests it. */
class LeaseConsoleTest {

    private static final String EXPOSED = "management.endpoints.web.exposure.include=health,leases";
    private static final String PAGE = "/actuator/leases/console";
    private static final String TOMCAT = "org.springframework.boot.tomcat.autoconfigure.actuate.web.server."
            + "TomcatReactiveManagementContextAutoConfiguration";
    private static final Pattern REFERENCE = Pattern.compile("(?:src|href)=\"([^\"]*)\"");
    private static final Pattern IMPORT = Pattern.compile("from '\\./([^']*)'");

    /** The kinds of web applications. */
    enum Kind {
        SERVLET(Servlet.class),
        REACTIVE(Reactive.class);

        private final Class<?> configuration;

        Kind(Class<?> configuration) {
            this.configuration = configuration;
        }

        ConsoleApplication start(String... properties) {
            List<String> all = new ArrayList<>(List.of(properties));
            all.add("spring.main.web-application-type=" + name().toLowerCase(Locale.ROOT));
            return new ConsoleApplication(configuration, all.toArray(String[]::new));
        }
    }

    @ParameterizedTest
    @EnumSource
    void thePageAndItsFilesHaveAStrictPolicy(Kind kind) throws Exception {
        try (ConsoleApplication application = kind.start(EXPOSED)) {
            HttpResponse<String> page = application.get(PAGE);
            assertThat(page.statusCode()).isEqualTo(200);
            assertThat(header(page, "Content-Type")).isEqualToIgnoringCase("text/html;charset=utf-8");
            assertThat(page.body()).contains("data-writable=\"false\"");
            List<String> files = matches(REFERENCE, page.body());
            assertThat(files).contains("console/console.js", "console/console.css", "console/icon.svg");

            for (String file : files) {
                HttpResponse<String> reply = application.get("/actuator/leases/" + file);
                assertThat(reply.statusCode()).as(file).isEqualTo(200);
                assertThat(header(reply, "Content-Type")).matches("(text/javascript|text/css|image/svg\\+xml).*");
                assertThat(header(reply, "Content-Security-Policy")).isEqualTo(ConsoleFiles.POLICY);
                assertThat(header(reply, "X-Content-Type-Options")).isEqualTo("nosniff");
            }
            String script = application.get(PAGE + "/console.js").body();
            for (String module : matches(IMPORT, script)) {
                assertThat(application.get(PAGE + "/" + module).statusCode())
                        .as(module)
                        .isEqualTo(200);
            }
            assertThat(header(page, "Content-Security-Policy"))
                    .isEqualTo(ConsoleFiles.POLICY)
                    .contains("default-src 'none'", "frame-ancestors 'none'")
                    .doesNotContain("unsafe");

            assertThat(application.get(PAGE + "/package-info.class").statusCode())
                    .isEqualTo(404);
            assertThat(application.get(PAGE + "/index.html").statusCode()).isEqualTo(404);
            assertThat(application.send("POST", "local.server.port", PAGE).statusCode())
                    .isEqualTo(405);
            assertThat(application
                            .send("DELETE", "local.server.port", "/actuator/leases?key=a&token=1")
                            .statusCode())
                    .as("read-only by default")
                    .isEqualTo(405);
            assertThat(application.get("/actuator/leases").body()).contains("\"managers\"");
        }
    }

    @Tag("full")
    @ParameterizedTest
    @EnumSource
    void theManagementPathsAreThoseOfTheEndpoint(Kind kind) throws Exception {
        try (ConsoleApplication application = kind.start(
                EXPOSED,
                "management.server.port=0",
                "management.server.address=127.0.0.1",
                "management.server.base-path=/ops",
                "management.endpoints.web.base-path=/manage",
                "management.endpoints.web.path-mapping.leases=who",
                "management.endpoint.leases.access=unrestricted")) {
            HttpResponse<String> page = application.manage("/ops/manage/who/console");
            assertThat(page.statusCode()).isEqualTo(200);
            assertThat(page.body()).contains("data-writable=\"true\"");
            assertThat(application.manage("/ops/manage/who/console/console.js").statusCode())
                    .isEqualTo(200);
            assertThat(application.manage("/ops/manage/who").body()).contains("\"managers\"");
            assertThat(application.get("/manage/who/console").statusCode()).isEqualTo(404);
        }
    }

    @Tag("full")
    @Test
    void aPathOfTheDispatcherServletIsKept() throws Exception {
        try (ConsoleApplication application = Kind.SERVLET.start(EXPOSED, "spring.mvc.servlet.path=/app")) {
            assertThat(application.get("/app" + PAGE).statusCode()).isEqualTo(200);
            assertThat(application.get("/app" + PAGE + "/console.js").statusCode())
                    .isEqualTo(200);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "SERVLET,  management.endpoints.web.exposure.include=health",
        "REACTIVE, management.endpoints.web.exposure.include=health",
        "SERVLET,  management.endpoint.leases.access=none",
        "SERVLET,  lease.enabled=false"
    })
    void withoutTheExposedEndpointThereIsNoPage(Kind kind, String property) throws Exception {
        String exposed = property.contains("exposure") ? property : EXPOSED;
        try (ConsoleApplication application = kind.start(exposed, property)) {
            assertThat(application.get(PAGE).statusCode()).isEqualTo(404);
            assertThat(application.get(PAGE + "/console.js").statusCode()).isEqualTo(404);
        }
    }

    private static String header(HttpResponse<?> reply, String name) {
        return reply.headers().firstValue(name).orElse("");
    }

    private static List<String> matches(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(match -> match.group(1)).toList();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Servlet {

        @Bean
        SecurityFilterChain open(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .csrf(csrf -> csrf.disable())
                    .build();
        }
    }

    // the tests have Tomcat for servlets beside Netty, and Boot takes only one of them for the management port
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(excludeName = TOMCAT)
    static class Reactive {

        @Bean
        SecurityWebFilterChain open(ServerHttpSecurity http) {
            return http.authorizeExchange(requests -> requests.anyExchange().permitAll())
                    .csrf(csrf -> csrf.disable())
                    .build();
        }
    }
}
