package io.leasekit.sample;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static io.leasekit.sample.ConsolePages.CONSOLE;
import static io.leasekit.sample.ConsolePages.DESKTOP;
import static io.leasekit.sample.ConsolePages.PHONE;
import static io.leasekit.sample.ConsolePages.address;
import static io.leasekit.sample.ConsolePages.assertAccessible;
import static io.leasekit.sample.ConsolePages.button;
import static io.leasekit.sample.ConsolePages.dialog;
import static io.leasekit.sample.ConsolePages.failure;
import static io.leasekit.sample.ConsolePages.row;
import static io.leasekit.sample.ConsolePages.section;
import static io.leasekit.sample.ConsolePages.startHere;
import static io.leasekit.sample.ConsolePages.take;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.ColorScheme;
import io.leasekit.LeaseException;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * The console in a browser: each width and colour scheme, its dialogs and its errors. Its screenshots are in
 * {@code target/screenshots}; those in {@code docs/images} are copies.
 */
class ConsoleBrowserIT {

    @RegisterExtension
    private static final ChromiumBrowser browser = new ChromiumBrowser();

    private static final String NASTY = "<script>document.title='bad'</script><img src=x onerror=alert(1)>";

    private static final Pattern ENDPOINT = Pattern.compile("/actuator/leases$");
    private static final Pattern TIME = Pattern.compile("\\d:\\d\\d:\\d\\d");

    @AfterEach
    void close() {
        browser.closePages();
    }

    @Test
    void keysAreShownAsTextAtEachWidthInEachColourSchemeAndByKeyboardOnly() {
        // less than the time for which the page stops requests
        try (ConfigurableApplicationContext node =
                startHere("sample-" + UUID.randomUUID(), "lease.store-timeout=10s")) {
            String address = address(node);
            LeaseManager leases = node.getBean(LeaseManager.class);
            assertThat(leases.tryAcquire(NASTY)).isPresent();
            for (int i = 0; i < 2; i++) {
                assertThat(leases.tryAcquire(LeaseRequest.of("export").permits(2)))
                        .isPresent();
            }
            leases.run("short", () -> {});
            permitsAndNextRuns(browser.open(address + CONSOLE, DESKTOP, ColorScheme.LIGHT));

            for (int width : new int[] {DESKTOP, PHONE}) {
                for (ColorScheme scheme : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
                    look(browser.open(address, width, scheme), width + "-" + scheme);
                }
            }
            IntStream.range(0, 60)
                    .forEach(i -> assertThat(leases.tryAcquire("order-" + i)).isPresent());
            searchAndPages(browser.open(address + CONSOLE, DESKTOP, ColorScheme.LIGHT));
            keyboardOnly(browser.open(address + CONSOLE, DESKTOP, ColorScheme.LIGHT));
            assertThat(browser.errors()).isEmpty(); // requests of the page fail from here on
            stopHeartbeats(browser.open(address, DESKTOP, ColorScheme.LIGHT), node);
        }
    }

    private static void permitsAndNextRuns(Page page) {
        for (String part : List.of("Held by this node", "All held leases")) {
            assertThat(row(section(page, part), "permit 1 of 2")).containsText("export");
            assertThat(row(section(page, part), "permit 2 of 2")).containsText("export");
        }
        button(row(section(page, "Held by this node"), "permit 2 of 2"), "export")
                .click();
        assertThat(dialog(page)).containsText("export, permit 2 of 2");
        assertThat(dialog(page)).containsText("Fencing token");
        assertThat(dialog(page)).containsText("acquired");
        Locator jobs = section(page, "Jobs");
        assertThat(row(jobs, "CleanUpJob.cleanUp")).containsText(TIME);
        assertThat(row(jobs, "DemoJob.run")).not().containsText(TIME);
        assertThat(row(jobs, "ExportService.export")).containsText("export, 2 permits");
        page.context().close();
    }

    private static void look(Page page, String name) {
        assertThat(section(page, "All held leases")).containsText(NASTY);
        assertThat(page).hasTitle("Leases of the sample");
        assertThat(page.locator("#lease-console img")).hasCount(0);
        assertThat(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))
                .as("fits the width of %s", name)
                .isEqualTo(true);
        assertAccessible(page);
        take(page, "console-" + name, true);
        openFirstKey(page);
        assertAccessible(page);
        take(page, "key-" + name, false);
        page.context().close();
    }

    private static void stopHeartbeats(Page page, ConfigurableApplicationContext node) {
        button(page, "Stop heartbeats for 20 s").click();
        assertThat(page.locator("#sample-status")).containsText("No request of this node reaches DynamoDB");
        assertThatThrownBy(() -> node.getBean(LeaseManager.class).tryAcquire("late"))
                .isInstanceOf(LeaseException.class)
                .hasMessageContaining("Heartbeats are stopped by the button of the sample");
        node.getBean(DemoOutage.class).begin(Duration.ZERO);
    }

    private static void searchAndPages(Page page) {
        Locator all = section(page, "All held leases");
        assertThat(all).containsText("1 to 50 of 64");
        button(all, "Next").click();
        assertThat(all).containsText("51 to 64 of 64");
        page.getByLabel("Search by key or owner").fill("ORDER-59");
        assertThat(all).containsText("1 to 1 of 1");
        assertThat(button(all, "order-59")).isVisible();
    }

    private static void keyboardOnly(Page page) {
        Locator dialog = dialog(page);
        assertThat(section(page, "Held by this node")).containsText("order-0");
        tabTo(page, "button.key");
        page.keyboard().press("Enter");
        assertThat(dialog).containsText("acquired");
        page.keyboard().press("Escape");
        assertThat(dialog).isHidden();
        assertThat(focus(page, "button.key")).as("the focus is back on the key").isTrue();

        page.keyboard().press("Enter");
        assertThat(button(dialog, "Release by force …")).isVisible();
        tabTo(page, "dialog .actions .danger");
        page.keyboard().press("Enter");
        assertThat(dialog).containsText("Take this lease");
        assertThat(focus(page, ".confirm .danger"))
                .as("the question has the focus")
                .isTrue();
        page.keyboard().press("Enter");
        assertThat(dialog).containsText("Released by force.");
    }

    private static void tabTo(Page page, String selector) {
        for (int i = 0; i < 20 && !focus(page, selector); i++) {
            page.keyboard().press("Tab");
        }
        assertThat(focus(page, selector)).as("focus on %s", selector).isTrue();
    }

    private static boolean focus(Page page, String selector) {
        return (boolean) page.evaluate("selector => document.activeElement.matches(selector)", selector);
    }

    @Test
    void thePageSaysWhyItReadsNothing() {
        try (ConfigurableApplicationContext node = startHere("sample-" + UUID.randomUUID())) {
            Page page = browser.open(address(node) + CONSOLE, DESKTOP, ColorScheme.LIGHT);
            assertThat(section(page, "This node")).containsText("node-1");
            answer(
                    page,
                    404,
                    "There is no endpoint at /actuator/leases (404). Check that the endpoint 'leases' is exposed");
            answer(page, 401, "Access is refused (401). Sign in");
            answer(page, 403, "Access is refused (403). This user lacks the permission");
            assertThat(failure(page)).containsText("The page shows what it read last");
            assertAccessible(page);

            page.reload();
            assertThat(failure(page)).containsText("Access is refused (403)");
            assertThat(failure(page)).not().containsText("what it read last");
            page.waitForFunction("() => performance.now() > 3000"); // the countdowns have gone on meanwhile
            assertThat(section(page, "Held by this node")).containsText("Not read yet");
            take(page, "refused", false);

            page.unroute(ENDPOINT);
            assertThat(section(page, "This node")).containsText("node-1");
            assertThat(failure(page)).isEmpty();
        }
    }

    private static void answer(Page page, int status, String message) {
        page.unroute(ENDPOINT);
        page.route(ENDPOINT, route -> route.fulfill(new Route.FulfillOptions().setStatus(status)));
        assertThat(failure(page)).containsText(message);
    }

    private static void openFirstKey(Page page) {
        page.locator("button.key").first().click();
        assertThat(dialog(page)).containsText("Fencing token");
    }
}
