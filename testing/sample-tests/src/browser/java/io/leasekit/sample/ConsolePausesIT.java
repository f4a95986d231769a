package io.leasekit.sample;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static io.leasekit.sample.ConsolePages.CONSOLE;
import static io.leasekit.sample.ConsolePages.DESKTOP;
import static io.leasekit.sample.ConsolePages.PHONE;
import static io.leasekit.sample.ConsolePages.SLOWLY;
import static io.leasekit.sample.ConsolePages.address;
import static io.leasekit.sample.ConsolePages.assertAccessible;
import static io.leasekit.sample.ConsolePages.button;
import static io.leasekit.sample.ConsolePages.choose;
import static io.leasekit.sample.ConsolePages.failure;
import static io.leasekit.sample.ConsolePages.row;
import static io.leasekit.sample.ConsolePages.section;
import static io.leasekit.sample.ConsolePages.startHere;
import static io.leasekit.sample.ConsolePages.take;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.ColorScheme;
import io.leasekit.LeaseManager;
import io.leasekit.LeasePause;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Pauses in the console: paused, seen by a reader, and resumed. */
class ConsolePausesIT {

    @RegisterExtension
    private static final ChromiumBrowser browser = new ChromiumBrowser();

    private static final String REASON = "Month-end closing";
    private static final String NASTY = "<b>bold</b>";
    private static final String ORDERS = "orders";
    private static final Pattern SCAN = Pattern.compile("/actuator/leases/snapshot");

    private final String table = "pauses-" + UUID.randomUUID();

    @AfterEach
    void close() {
        browser.closePages();
    }

    @Test
    void pauseAndResume() {
        try (var node = startHere(table, "sample.report.cron=*/2 * * * * *")) {
            Page page = browser.open(address(node), DESKTOP, ColorScheme.LIGHT);
            Locator job = row(section(page, "Jobs"), "ReportJob.make");
            assertThat(job).containsText("succeeded");

            pause(page, "rep*", REASON);
            assertThat(row(section(page, "Pauses"), "rep*")).containsText(REASON);
            assertThat(job).containsText("Paused until");
            assertThat(skipped(job)).not().hasText("0");
            assertThat(row(section(page, "Jobs"), "DemoJob.run")).not().containsText("Paused");
            look(address(node));
            readOnly();

            resume(page, "rep*");
            assertThat(section(page, "Pauses")).containsText("No key is paused.");
            assertThat(job).not().containsText("Paused");
            waitsWhilePaused(page);
            assertThat(browser.errors()).isEmpty();
        }
    }

    /** The page would next read the pauses after an hour, so a change must not wait for that. */
    @Test
    void pausesAreThoseOfTheChosenManager() {
        try (var node = startHere(table, "lease.endpoint.table-max-age=1h")) {
            LeaseManager leases = node.getBean("leaseManager", LeaseManager.class);
            LeaseManager orders = node.getBean(ORDERS, LeaseManager.class);
            leases.pause("report", leases.time().plus(Duration.ofHours(1)), "of the default manager");
            Page page = browser.open(address(node) + CONSOLE, DESKTOP, ColorScheme.LIGHT);
            Locator job = row(section(page, "Jobs"), "ReportJob.make"); // of the default manager
            assertThat(job).containsText("Paused until");

            choose(page, ORDERS);
            pause(page, "report", "report of " + ORDERS, REASON);
            assertThat(orders.pauses().list()).extracting(LeasePause::reason).containsExactly(REASON);
            for (int i = 0; i < 2; i++) { // the second reading of the node begins when the page has shown the first
                page.waitForResponse(response -> response.url().contains("/firings"), () -> {});
            }
            assertThat(job).not().containsText("Paused until");

            resume(page, "report", "report of " + ORDERS);
            assertThat(section(page, "Pauses")).containsText("No key is paused.");
            assertThat(orders.pauses().list()).isEmpty();
            assertThat(leases.pauses().list()).hasSize(1);
        }
    }

    @Test
    void theQuestionOfThePreviousManagerIsWithdrawn() {
        try (var node = startHere(table)) {
            LeaseManager leases = node.getBean("leaseManager", LeaseManager.class);
            leases.pause("report", leases.time().plus(Duration.ofHours(1)), REASON);
            node.getBean(ORDERS, LeaseManager.class); // the page shows managers that have been used
            Page page = browser.open(address(node) + CONSOLE, DESKTOP, ColorScheme.LIGHT);
            Locator pauses = section(page, "Pauses");
            button(pauses, "Resume … report").click();
            assertThat(pauses.locator(".confirm")).isVisible();

            choose(page, ORDERS);
            assertThat(pauses).containsText("No key is paused.");
            assertThat(pauses.locator(".confirm")).isHidden();
        }
    }

    /** A policy without the statement 'List'. */
    @Test
    void aTableThatMustNotBeScannedHidesNoPause() {
        try (var node = startHere(table)) {
            Page page = browser.open(address(node) + CONSOLE, DESKTOP, ColorScheme.LIGHT);
            page.route(
                    SCAN,
                    route -> route.fulfill(new Route.FulfillOptions()
                            .setStatus(503)
                            .setContentType("application/json")
                            .setBody("{\"error\":\"Not authorized to perform: dynamodb:Scan\"}")));
            page.reload();

            assertThat(failure(page)).containsText("Not authorized to perform: dynamodb:Scan");
            pause(page, "long-job", REASON);
            assertThat(row(section(page, "Pauses"), "long-job")).containsText(REASON);
            assertThat(row(section(page, "Leaders"), "ingest")).containsText("leads");
        }
    }

    private static void pause(Page page, String key, String reason) {
        pause(page, key, key, reason);
    }

    /** By keyboard only, from the first field on. The question names the key and, if there are several, the manager. */
    private static void pause(Page page, String key, String asked, String reason) {
        Locator pauses = section(page, "Pauses");
        pauses.getByLabel("Key or prefix").fill(key);
        pauses.getByLabel("Reason").fill(reason);
        page.keyboard().press("Enter");
        assertThat(pauses.locator(".confirm")).containsText("Pause " + asked + " for 1 h?");
        assertThat(button(pauses.locator(".confirm"), "Pause")).isFocused();
        page.keyboard().press("Enter");
        assertThat(pauses).containsText("Paused until");
    }

    private static void resume(Page page, String key) {
        resume(page, key, key);
    }

    private static void resume(Page page, String key, String asked) {
        Locator pauses = section(page, "Pauses");
        button(pauses, "Resume … " + key).click();
        assertThat(pauses.locator(".confirm")).containsText("Resume " + asked + "?");
        button(pauses.locator(".confirm"), "Cancel").click();
        assertThat(row(pauses, key)).isVisible();
        button(pauses, "Resume … " + key).click();
        button(pauses.locator(".confirm"), "Resume").click();
        assertThat(pauses).containsText("Resumed.");
    }

    /** A call that waits for its lease gets it once its key is resumed. */
    private static void waitsWhilePaused(Page page) {
        pause(page, "long-job", NASTY);
        assertThat(row(section(page, "Pauses"), "long-job")).containsText(NASTY);
        button(page, "Long job, 2 min").click();
        assertThat(section(page, "Waiting on this node")).containsText("long-job");
        resume(page, "long-job");
        assertThat(section(page, "Held by this node")).containsText("long-job", SLOWLY);
    }

    /** Another node of the table shows the pauses, and offers no change. */
    private void readOnly() {
        try (var reader = startHere(table, "management.endpoint.leases.access=read-only", "lease.owner=node-2")) {
            Page page = browser.open(address(reader) + CONSOLE, DESKTOP, ColorScheme.LIGHT);
            Locator pauses = section(page, "Pauses");
            assertThat(row(pauses, "rep*")).containsText(REASON);
            assertThat(pauses.getByLabel("Key or prefix")).isHidden();
            assertThat(pauses.locator("button:visible")).hasCount(0);
            page.context().close();
        }
    }

    private static Locator skipped(Locator job) {
        return job.locator("td").last();
    }

    private void look(String address) {
        for (int width : new int[] {DESKTOP, PHONE}) {
            for (ColorScheme scheme : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
                Page page = browser.open(address, width, scheme);
                assertThat(section(page, "Pauses")).containsText(REASON);
                assertThat(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))
                        .as("fits the width of %d", width)
                        .isEqualTo(true);
                button(section(page, "Pauses"), "Resume … rep*").click();
                assertAccessible(page);
                section(page, "Pauses").scrollIntoViewIfNeeded();
                take(page, "pauses-" + width + "-" + scheme, false);
                page.context().close();
            }
        }
    }
}
