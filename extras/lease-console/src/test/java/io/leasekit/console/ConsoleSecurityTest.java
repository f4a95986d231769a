package io.leasekit.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.docs.ConsoleSecurityExample;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;

/** The example of docs/console.md: viewers read, administrators release by force, others see nothing. */
@ExtendWith(OutputCaptureExtension.class)
class ConsoleSecurityTest {

    private static final String ENDPOINT = "/actuator/leases";
    private static final String PORT = "local.server.port";
    private static final Pattern COMMAND = Pattern.compile("(?ms)^```\n(curl .*?)\n```$");

    private static ConsoleApplication application;

    @BeforeAll
    static void start() {
        application = new ConsoleApplication(
                Secured.class,
                "management.endpoints.web.exposure.include=leases",
                "management.endpoint.leases.access=unrestricted");
    }

    @AfterAll
    static void close() {
        application.close();
    }

    private static String[] as(String user) {
        String credentials = Base64.getEncoder().encodeToString((user + ":pw").getBytes(StandardCharsets.UTF_8));
        return new String[] {"Authorization", "Basic " + credentials, "Cookie", "XSRF-TOKEN=own", "X-XSRF-TOKEN", "own"
        };
    }

    private int release(Lease lease, String... headers) throws Exception {
        String query = "?key=" + lease.key() + "&token=" + lease.fencingToken();
        return application.send("DELETE", PORT, ENDPOINT + query, headers).statusCode();
    }

    @Test
    void onlyUsersWithARoleSeeThePage() throws Exception {
        for (String path : new String[] {ENDPOINT, ENDPOINT + "/console", ENDPOINT + "/console/console.js"}) {
            assertThat(application.get(path).statusCode()).as(path).isEqualTo(401);
            assertThat(application.get(path, as("stranger")).statusCode())
                    .as(path)
                    .isEqualTo(403);
            assertThat(application.get(path, as("viewer")).statusCode())
                    .as(path)
                    .isEqualTo(200);
        }
        assertThat(application
                        .get(ENDPOINT + "/console", as("viewer"))
                        .headers()
                        .allValues("Content-Security-Policy"))
                .containsExactly(ConsoleFiles.POLICY);
        String authorization = as("viewer")[1];
        assertThat(application
                        .get(ENDPOINT, "Authorization", authorization)
                        .headers()
                        .allValues("Set-Cookie"))
                .as("the page needs the token for its writes")
                .anyMatch(cookie -> cookie.startsWith("XSRF-TOKEN=") && !cookie.contains("HttpOnly"));
    }

    @Test
    void onlyAdministratorsReleaseByForceAndTheLogNamesThem(CapturedOutput output) throws Exception {
        Lease lease = application.bean(LeaseManager.class).acquire(LeaseRequest.of("books"));

        assertThat(release(lease)).isIn(401, 403);
        assertThat(release(lease, as("viewer"))).isEqualTo(403);
        assertThat(release(lease, "Authorization", as("admin")[1]))
                .as("without the token")
                .isEqualTo(403);
        assertThat(lease.isValid()).isTrue();

        assertThat(release(lease, as("admin"))).isEqualTo(200);
        assertThat(output)
                .contains("Forced release of lease 'books' with token " + lease.fencingToken()
                        + ", requested by user 'admin': released");
    }

    @Test
    void theCommandsOfThePageReadAndReleaseByForce(@TempDir Path folder, CapturedOutput output) throws Exception {
        Lease lease = application.bean(LeaseManager.class).acquire(LeaseRequest.of("magazines"));
        List<String> commands = COMMAND.matcher(Files.readString(Path.of("../../docs/console.md")))
                .results()
                .map(found -> here(found.group(1), lease))
                .toList();
        assertThat(commands).hasSize(2);

        assertThat(run(folder, commands.get(0))).contains("\"magazines\"");
        assertThat(run(folder, commands.get(1).replaceFirst(" -H \"X-XSRF[^\\n]*\"", "")))
                .as("without the token")
                .contains("403");
        assertThat(lease.isValid()).isTrue();
        run(folder, commands.get(1));
        assertThat(output)
                .contains("Forced release of lease 'magazines' with token " + lease.fencingToken()
                        + ", requested by user 'admin': released");
    }

    private static String here(String command, Lease lease) {
        return command.replace("-u ada", "-sS -u admin:pw")
                .replace("127.0.0.1:8080", "127.0.0.1:" + application.property(PORT))
                .replace("key=books", "key=" + lease.key())
                .replaceFirst("token=\\d+", "token=" + lease.fencingToken());
    }

    private static String run(Path folder, String command) throws Exception {
        Process process = new ProcessBuilder("bash", "-c", command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(ConsoleSecurityExample.class)
    static class Secured {

        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(
                    User.withUsername("admin")
                            .password("{noop}pw")
                            .roles("LEASE_ADMIN")
                            .build(),
                    User.withUsername("viewer")
                            .password("{noop}pw")
                            .roles("LEASE_VIEWER")
                            .build(),
                    User.withUsername("stranger")
                            .password("{noop}pw")
                            .roles("GUEST")
                            .build());
        }
    }
}
