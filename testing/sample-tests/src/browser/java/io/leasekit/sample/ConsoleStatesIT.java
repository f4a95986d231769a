package io.leasekit.sample;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static io.leasekit.sample.ConsolePages.CONSOLE;
import static io.leasekit.sample.ConsolePages.DESKTOP;
import static io.leasekit.sample.ConsolePages.address;
import static io.leasekit.sample.ConsolePages.button;
import static io.leasekit.sample.ConsolePages.dialog;
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
import java.time.Duration;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** What the console says about a cooldown, the costs, ignored pauses and a campaign, at an address with a user. */
class ConsoleStatesIT {

    @RegisterExtension
    private static final ChromiumBrowser browser = new ChromiumBrowser();

    private final String table = "states-" + UUID.randomUUID();

    @AfterEach
    void close() {
        browser.closePages();
    }

    @Test
    void aLeaseInItsCooldownIsNotHeld() {
        try (ConfigurableApplicationContext node = startHere(table)) {
            LeaseManager leases = node.getBean(LeaseManager.class);
            leases.acquire(LeaseRequest.of("resting").cooldown(Duration.ofHours(1)))
                    .close();
            Page page = browser.open(address(node) + CONSOLE, DESKTOP, ColorScheme.LIGHT);
            Locator all = section(page, "All held leases");
            assertThat(row(all, "resting")).containsText("cooling down until");

            button(all, "resting").click();
            Locator dialog = dialog(page);
            assertThat(dialog).containsText("cooling down until");
            assertThat(dialog).containsText("Last owner");
            assertThat(button(dialog, "Release by force …")).isHidden();
        }
    }

    @Test
    void theCostOfAMonthFollowsThePrices() {
        try (ConfigurableApplicationContext node = startHere(table)) {
            Page page = browser.open(address(node) + CONSOLE, DESKTOP, ColorScheme.LIGHT);
            Locator cost = section(page, "Cost");
            assertThat(cost.locator("#cost-result"))
                    .containsText(Pattern.compile("\\$\\d+\\.\\d\\d a month: .*[1-9].* write units and .* read units"));
            assertThat(cost.locator("#cost-result")).not().containsText("$0.00 a month");

            cost.getByLabel("Dollars per million write units").fill("0");
            cost.getByLabel("Dollars per million read units").fill("0");
            assertThat(cost.locator("#cost-result")).containsText("$0.00 a month: ");
            cost.getByLabel("Dollars per million write units").fill("1000000");
            assertThat(cost.locator("#cost-result")).not().containsText("$0.00 a month");
        }
    }

    /** A browser refuses requests to an address that has the user and password of the page's own address. */
    @Test
    void aPageWhoseAddressHasAUserReadsTheNode() {
        try (ConfigurableApplicationContext node = startHere(table)) {
            Page page = browser.open(
                    address(node).replace("http://", "http://ada:secret@") + CONSOLE, DESKTOP, ColorScheme.LIGHT);

            assertThat(section(page, "This node")).containsText("node-1");
            assertThat(section(page, "All held leases")).containsText("held lease");
            assertThat(failure(page)).isEmpty();
        }
    }

    @Test
    void aNodeThatIgnoresPausesSaysSo() {
        try (ConfigurableApplicationContext node = startHere(table, "lease.pause.enabled=false")) {
            Page page = browser.open(address(node) + CONSOLE, DESKTOP, ColorScheme.LIGHT);

            assertThat(section(page, "This node")).containsText("ignored by this node");
            Locator pauses = section(page, "Pauses");
            assertThat(pauses).containsText("This node ignores pauses");
            assertThat(pauses).containsText("No pause stops a job of this node");
            assertThat(pauses.getByLabel("Key or prefix")).isHidden();
        }
    }

    @Test
    void theHistoryOfACampaigningNodeSaysWhyItIsEmpty() {
        try (ConfigurableApplicationContext leading = startHere(table);
                ConfigurableApplicationContext other = startHere(table, "lease.owner=node-2")) {
            Page page = browser.open(address(leading) + CONSOLE, DESKTOP, ColorScheme.LIGHT);
            assertThat(row(section(page, "Leaders"), "ingest")).containsText("leads");
            assertThat(page.request()
                            .get(address(leading) + "/actuator/leases/history?key=ingest")
                            .text())
                    .contains("\"leads\":true")
                    .doesNotContain("\"note\"");
            assertThat(page.request()
                            .get(address(other) + "/actuator/leases/history?key=ingest")
                            .text())
                    .contains("\"leads\":false", "\"note\":\"This node campaigns for this key");
        }
    }
}
