package io.leasekit.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.core.util.VersionInfo;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/**
 * Maven resolves applications that declare the starter before or after another library that uses DynamoDB, as
 * {@code spring-cloud-aws-starter-dynamodb} does. Both orders have all HTTP clients of the SDK.
 */
@Tag("full")
class ApplicationPomsIT {

    private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
    private static final String OTHER = "<groupId>example</groupId><artifactId>other-starter</artifactId>";
    private static final String STARTER =
            "<groupId>io.leasekit</groupId><artifactId>lease-spring-boot-starter</artifactId>";

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theApplicationHasTheHttpClientsOfTheSdk(boolean starterFirst) throws Exception {
        String version = version();
        publish("leasekit-parent", ROOT, version);
        publish("lease-core", ROOT.resolve("lease-core"), version);
        publish("lease-spring-boot3-health", ROOT.resolve("extras/lease-spring-boot3-health"), version);
        publish("lease-spring-boot-starter", ROOT.resolve("lease-spring-boot-starter"), version);
        publishOther("other-library", "software.amazon.awssdk", "dynamodb", VersionInfo.SDK_VERSION);
        publishOther(
                "other-starter", "example", "other-library", "1"); // as deep as the SDK is below Leasekit's starter
        String starter = STARTER + "<version>" + version + "</version>";
        String other = OTHER + "<version>1</version>";

        String classPath = classPath(project(
                "<groupId>example</groupId><artifactId>application</artifactId><version>1</version>",
                starterFirst ? starter : other,
                starterFirst ? other : starter));

        assertThat(classPath).contains("apache5-client", "netty-nio-client", "lease-core");
    }

    private static String version() throws IOException {
        Matcher version =
                Pattern.compile("<version>([^<]+)</version>").matcher(Files.readString(ROOT.resolve("pom.xml")));
        assertThat(version.find()).isTrue();
        return version.group(1);
    }

    /** Puts a module into the repository of this test. Its jar is empty, because nothing is compiled against it. */
    private void publish(String artifact, Path module, String version) throws IOException {
        Path target = folder.resolve("repository/io/leasekit/" + artifact + "/" + version);
        String name = artifact + "-" + version;
        write(target.resolve(name + ".pom"), Files.readString(module.resolve("pom.xml")));
        write(target.resolve(name + ".jar"), "");
    }

    private void publishOther(String artifact, String group, String dependency, String version) throws IOException {
        Path target = folder.resolve("repository/example/" + artifact + "/1");
        write(
                target.resolve(artifact + "-1.pom"),
                project(
                        "<groupId>example</groupId><artifactId>" + artifact + "</artifactId><version>1</version>",
                        "<groupId>" + group + "</groupId><artifactId>" + dependency + "</artifactId><version>" + version
                                + "</version>"));
        write(target.resolve(artifact + "-1.jar"), "");
    }

    private static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private static String project(String coordinates, String... dependencies) {
        return "<project xmlns=\"http://maven.apache.org/POM/4.0.0\"><modelVersion>4.0.0</modelVersion>" + coordinates
                + "<dependencies><dependency>" + String.join("</dependency><dependency>", dependencies)
                + "</dependency></dependencies></project>";
    }

    private String classPath(String pom) throws Exception {
        Path application = folder.resolve("application");
        write(application.resolve("pom.xml"), pom);
        boolean windows = System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("windows");
        Path output = folder.resolve("output.txt");
        ProcessBuilder maven = new ProcessBuilder(List.of(
                        ROOT.resolve(windows ? "mvnw.cmd" : "mvnw").toString(),
                        "-B",
                        "-ntp",
                        "-f",
                        application.resolve("pom.xml").toString(),
                        "-Dmaven.repo.local=" + folder.resolve("repository"),
                        "-Dmaven.repo.local.tail=" + localRepository(),
                        "-Dmdep.outputFile=class-path.txt",
                        "org.apache.maven.plugins:maven-dependency-plugin:3.11.0:build-classpath"))
                .directory(ROOT.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        maven.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process process = maven.start();
        try {
            assertThat(process.waitFor(20, TimeUnit.MINUTES)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.exitValue()).as(Files.readString(output)).isZero();
        return Files.readString(application.resolve("class-path.txt"));
    }

    /** Returns the repository from which this test runs: {@code …/software/amazon/awssdk/dynamodb/<version>/<jar>}. */
    private static Path localRepository() throws URISyntaxException {
        Path path = Path.of(DynamoDbAsyncClient.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        for (int i = 0; i < 6; i++) {
            path = path.getParent();
        }
        return path;
    }
}
