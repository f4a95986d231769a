package io.leasekit.sample;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static io.leasekit.sample.ConsolePages.CONSOLE;
import static io.leasekit.sample.ConsolePages.DESKTOP;
import static io.leasekit.sample.ConsolePages.SLOWLY;
import static io.leasekit.sample.ConsolePages.address;
import static io.leasekit.sample.ConsolePages.row;
import static io.leasekit.sample.ConsolePages.section;
import static io.leasekit.sample.ConsolePages.take;
import static io.leasekit.sample.TwoNodesIT.both;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import io.leasekit.dynamodb.local.LocalDynamoDb;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** The sample's import goes on at another node where a killed one stopped, and the console shows how far it has come. */
class ImportJobIT {

    @RegisterExtension
    private static final ChromiumBrowser browser = new ChromiumBrowser();

    private static final int LINES = 10_000;
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private final String imported = "imported-" + UUID.randomUUID();
    private final NodeTable table = new NodeTable();

    @TempDir
    Path folder;

    @AfterEach
    void close() {
        table.close();
        browser.closePages();
    }

    @Test
    void theOtherNodeGoesOnWhereAKilledOneStopped() throws Exception {
        Path file = Files.write(
                folder.resolve("lines.txt"),
                IntStream.range(0, LINES).mapToObj(line -> "line-" + line).toList());
        NodeTable.Firing firing = table.startBeforeAFiring(
                "sample.import.cron",
                "sample.import.file=" + file,
                "sample.import.table=" + imported,
                "sample.import.pause=50ms");
        Awaitility.await("import")
                .atMost(Duration.between(Instant.now(), firing.at()).plus(PATIENCE))
                .until(() -> both(firing.one(), firing.two(), "Import of 10000 lines")
                                .count()
                        == 1);
        NodeProcess killed = firing.one().logs("Import of") ? firing.one() : firing.two();
        NodeProcess other = killed == firing.one() ? firing.two() : firing.one();
        Page page = browser.open(address(other) + CONSOLE, DESKTOP, ColorScheme.LIGHT);
        Locator job = row(section(page, "Jobs"), "ImportJob");
        assertThat(job).containsText(Pattern.compile("\\d{3,4}, saved"), SLOWLY);

        killed.kill();
        other.await(PATIENCE, "Import of 10000 lines goes on after line");
        assertThat(other.logs("goes on after line 0")).as(other.toString()).isFalse();
        other.await(PATIENCE, "Import of 10000 lines has ended");

        assertThat(timesOfLines()).hasSize(LINES).containsOnly("1");
        assertThat(job.getByRole(AriaRole.IMG))
                .hasAttribute("aria-label", Pattern.compile(".*not finished.*succeeded.*"));
        take(page, "import", true);
    }

    private List<String> timesOfLines() {
        try (DynamoDbAsyncClient client = LocalDynamoDb.clientBuilder().build()) {
            List<String> times = Collections.synchronizedList(new ArrayList<>());
            client.scanPaginator(scan -> scan.tableName(imported))
                    .items()
                    .subscribe(item -> times.add(item.get("imports").n()))
                    .join();
            return times;
        }
    }
}
