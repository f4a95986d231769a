package io.leasekit.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The sample, which the build has processed ahead of time, runs with {@code spring.aot.enabled=true}. */
@Tag("full")
class AheadOfTimeIT {

    private static final Logger log = LoggerFactory.getLogger(AheadOfTimeIT.class);
    private static final String OFTEN = "sample.report.cron=*/10 * * * * *";
    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");

    private final NodeTable table = new NodeTable();

    @AfterEach
    void endNodes() {
        table.close();
    }

    @Test
    void methodsAndJobsRunUnderTheirLeases() throws Exception {
        NodeProcess node = table.startProcessed(OFTEN).awaitStart();

        assertThat(node.logs("Starting AOT-processed SampleApplication"))
                .as(node.toString())
                .isTrue();
        checkLeases(node);
    }

    /** Returns no test without a native image, so none is reported as skipped. The profile {@code native} builds it. */
    @TestFactory
    Stream<DynamicTest> nativeImage() {
        String image = System.getProperty("sample.native-image");
        if (image == null) {
            log.info("No native image of the sample is tried: it needs GraalVM and the Maven profile 'native'");
            return Stream.of();
        }
        return Stream.of(dynamicTest(
                "runs under its leases",
                () -> checkLeases(table.startNative(image, OFTEN).awaitStart())));
    }

    private void checkLeases(NodeProcess node) throws Exception {
        assertThat(post(node, "/orders/17/ship?seconds=0")).contains("Order 17 was shipped");
        assertThat(post(node, "/orders/17/pack?seconds=0")).contains("Order 17 was packed under token");
        node.await(PATIENCE, "Lease 'order-17' acquired");
        node.await(PATIENCE, "Report of 20"); // the release that follows records the run
        Awaitility.await("a recorded run")
                .atMost(PATIENCE)
                .until(() -> table.find("report").lastRun() != null);
    }

    @Test
    void leasesAreSwitchedOffAtRunTime() throws Exception {
        NodeProcess node = table.startProcessed("lease.enabled=false").awaitStart();

        assertThat(node.logs("Leases are switched off by 'lease.enabled=false'"))
                .as(node.toString())
                .isTrue();
        assertThat(post(node, "/orders/17/ship?seconds=0")).contains("Order 17 was shipped");
    }

    private static String post(NodeProcess node, String path) throws Exception {
        node.await(PATIENCE, "Tomcat started on port");
        Matcher port = PORT.matcher(node.lines("Tomcat started on port").get(0).text());
        assertThat(port.find()).as(node.toString()).isTrue();
        URI uri = URI.create("http://127.0.0.1:" + port.group(1) + path);
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(uri)
                                .POST(HttpRequest.BodyPublishers.noBody())
                                .build(),
                        BodyHandlers.ofString())
                .body();
    }
}
