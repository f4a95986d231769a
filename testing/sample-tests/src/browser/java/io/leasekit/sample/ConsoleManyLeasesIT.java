package io.leasekit.sample;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static io.leasekit.sample.ConsolePages.CONSOLE;
import static io.leasekit.sample.ConsolePages.DESKTOP;
import static io.leasekit.sample.ConsolePages.SLOWLY;
import static io.leasekit.sample.ConsolePages.address;
import static io.leasekit.sample.ConsolePages.button;
import static io.leasekit.sample.ConsolePages.failure;
import static io.leasekit.sample.ConsolePages.row;
import static io.leasekit.sample.ConsolePages.section;
import static io.leasekit.sample.ConsolePages.startHere;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.dynamodb.DynamoDbLeaseStore;
import io.leasekit.dynamodb.local.LocalDynamoDb;
import java.time.Duration;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** The console with as many held leases as it shows. */
class ConsoleManyLeasesIT {

    @RegisterExtension
    private static final ChromiumBrowser browser = new ChromiumBrowser();

    private static final int LEASES = 9_999; // and that of the sample's leader
    private static final int OF_SECOND = 2_500;

    private final String table = "many-" + UUID.randomUUID();
    private final DynamoDbAsyncClient client = LocalDynamoDb.clientBuilder().build();

    @AfterEach
    void close() {
        client.close();
        browser.closePages();
    }

    @Test
    void tenThousandLeasesAreListedSearchedAndTurned() {
        // the first reading of the table is to be the only one, so all leases are there before it
        try (var node = startHere(table, "lease.endpoint.table-max-age=1h", "lease.pause.enabled=false");
                LeaseManager first = manager("first");
                LeaseManager second = manager("second")) {
            IntStream.range(0, LEASES).parallel().forEach(i -> acquire(i < OF_SECOND ? second : first, i));
            Page page = browser.open(address(node) + CONSOLE, DESKTOP, ColorScheme.LIGHT);

            lists(page);
            turns(page);
            searches(page);
            assertThat(failure(page)).isEmpty();
            assertThat(browser.errors()).isEmpty();
        }
    }

    private static void acquire(LeaseManager manager, int number) {
        LeaseRequest request = LeaseRequest.of("order-%05d".formatted(number))
                .ttl(Duration.ofHours(1))
                .passive();
        assertThat(manager.tryAcquire(request)).isPresent();
    }

    private LeaseManager manager(String owner) {
        return LeaseManager.builder(DynamoDbLeaseStore.create(client, table))
                .owner(owner)
                .closeTimeout(Duration.ZERO)
                .build();
    }

    private static void lists(Page page) {
        Locator all = section(page, "All held leases");
        assertThat(all).containsText("10,000 held leases", SLOWLY);
        assertThat(all).not().containsText("The table has more");
        assertThat(all).containsText("1 to 50 of 10,000");
        assertThat(all.locator("tbody tr")).hasCount(50);
        assertThat(row(section(page, "Nodes"), "first")).containsText("7,499");
        assertThat(row(section(page, "Nodes"), "second")).containsText("2,500");
        assertThat(button(all, "Previous")).isDisabled();
        assertThat(section(page, "Pauses")).isVisible(); // says that this node ignores them
    }

    private static void turns(Page page) {
        Locator all = section(page, "All held leases");
        button(all, "Next").click();
        assertThat(all).containsText("51 to 100 of 10,000");
        assertThat(all.locator("button.key").first()).hasText("order-00049");
        assertThat(all.locator("tbody tr")).hasCount(50);
        button(all, "Previous").click();
        assertThat(all).containsText("1 to 50 of 10,000");
    }

    private static void searches(Page page) {
        Locator all = section(page, "All held leases");
        Locator search = page.getByLabel("Search by key or owner");
        button(all, "Next").click();
        search.fill("ORDER-09998");
        assertThat(all).containsText("1 to 1 of 1");
        assertThat(row(all, "order-09998")).containsText("first");
        search.fill("second");
        assertThat(all).containsText("1 to 50 of 2,500");
        search.fill("nowhere");
        assertThat(all).containsText("No lease matches.");
        search.fill("");
        assertThat(all).containsText("1 to 50 of 10,000");
    }
}
