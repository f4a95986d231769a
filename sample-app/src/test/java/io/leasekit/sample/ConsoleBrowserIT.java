package io.leasekit.sample;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.deque.html.axecore.playwright.AxeBuilder;
import com.deque.html.axecore.results.Rule;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions.ContainsTextOptions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import io.leasekit.LeaseException;
import io.leasekit.LeaseManager;
import io.leasekit.dynamodb.local.LocalDynamoDb;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * The console in a browser: each width and colour scheme, its dialogs, and a take-over between two nodes. Its screenshots
 * are in {@code target/screenshots}; those in {@code docs/images} are copies.
 */
class ConsoleBrowserIT {

    private static final String CONSOLE = "/actuator/leases/console";
    private static final String NASTY = "<script>document.title='bad'</script><img src=x onerror=alert(1)>";
    private static final Pattern PORT = Pattern.compile("started on port (\\d+)");
    private static final ContainsTextOptions SLOWLY = new ContainsTextOptions().setTimeout(30_000);
    private static final int DESKTOP = 1280;
    private static final int PHONE = 390;

    private final ChromiumBrowser browser = new ChromiumBrowser();
    private final NodeTable table = new NodeTable();

    @AfterEach
    void close() {
        table.close();
        browser.close();
    }

    @Test
    void keysAreShownAsTextAtEachWidthInEachColourSchemeAndByKeyboardOnly() {
        try (ConfigurableApplicationContext node = startHere()) {
            String address = "http://127.0.0.1:" + node.getEnvironment().getProperty("local.server.port");
            LeaseManager leases = node.getBean(LeaseManager.class);
            assertThat(leases.tryAcquire(NASTY)).isPresent();
            leases.run("short", () -> {});

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
        assertThat(all).containsText("1 to 50 of 62");
        button(all, "Next").click();
        assertThat(all).containsText("51 to 62 of 62");
        page.getByLabel("Search by key or owner").fill("ORDER-59");
        assertThat(all).containsText("1 to 1 of 1");
        assertThat(button(all, "order-59")).isVisible();
    }

    private static void keyboardOnly(Page page) {
        Locator dialog = page.getByRole(AriaRole.DIALOG);
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
    void aLeaseMovesAfterAForcedReleaseAndAfterACrash() throws Exception {
        NodeProcess one = table.start("lease.owner=one", "sample.demo.ttl=4s");
        NodeProcess two =
                table.start("lease.owner=two", "sample.demo.ttl=4s", "management.endpoint.leases.access=read-only");
        Page first = browser.open(address(one), DESKTOP, ColorScheme.LIGHT);
        Page second = browser.open(address(two), DESKTOP, ColorScheme.LIGHT);

        button(first, "Long job, 2 min").click();
        assertThat(section(first, "Held by this node")).containsText("long-job");
        button(second, "Long job, 2 min").click();
        assertThat(section(second, "Waiting on this node")).containsText("long-job");
        assertThat(section(second, "Nodes")).containsText("one");

        releaseByForce(second);
        assertThat(second.getByRole(AriaRole.DIALOG)).containsText("Not released: The endpoint only reads.");
        button(second.getByRole(AriaRole.DIALOG), "Close").click();
        Page reading = browser.open(address(two) + CONSOLE, DESKTOP, ColorScheme.LIGHT);
        button(section(reading, "All held leases"), "long-job").click();
        assertThat(reading.getByRole(AriaRole.DIALOG)).containsText("Fencing token");
        assertThat(button(reading.getByRole(AriaRole.DIALOG), "Release by force …"))
                .isHidden();

        releaseByForce(first);
        assertThat(first.getByRole(AriaRole.DIALOG)).containsText("Released by force.");
        button(first.getByRole(AriaRole.DIALOG), "Close").click();
        assertThat(section(first, "Losses")).containsText("revoked", SLOWLY);
        assertThat(section(second, "Held by this node")).containsText("long-job", SLOWLY);
        assertThat(one.logs("Forced release of lease 'long-job'")).isTrue();

        button(first, "Long job, 2 min").click();
        assertThat(section(first, "Waiting on this node")).containsText("long-job");
        button(second, "Crash this node").click();
        assertThat(two.awaitEnd(Duration.ofSeconds(20))).isTrue();
        assertThat(section(first, "Held by this node")).containsText("long-job", SLOWLY);
        assertThat(section(second, "Held by this node")).isVisible();
        assertThat(second.locator("#lease-console > [role=status]")).containsText("The page shows what it read last");
        photograph(first, address(one));
    }

    private void photograph(Page page, String address) {
        Locator rows = section(page, "All held leases").getByRole(AriaRole.ROW);
        assertThat(rows.filter(new Locator.FilterOptions().setHasText("long-job")))
                .containsText("one");
        take(page, "take-over", false);
        button(section(page, "Held by this node"), "long-job").click();
        assertThat(page.getByRole(AriaRole.DIALOG)).containsText("force released");
        take(page, "history", false);
        Page phone = browser.open(address, PHONE, ColorScheme.DARK);
        assertThat(section(phone, "All held leases")).containsText("long-job");
        take(phone, "phone", true);
    }

    private static void releaseByForce(Page page) {
        button(section(page, "All held leases"), "long-job").click();
        Locator dialog = page.getByRole(AriaRole.DIALOG);
        button(dialog, "Release by force …").click();
        button(dialog.getByRole(AriaRole.GROUP), "Release by force").click();
    }

    private static void openFirstKey(Page page) {
        page.locator("button.key").first().click();
        assertThat(page.getByRole(AriaRole.DIALOG)).containsText("Fencing token");
    }

    private static Locator section(Page page, String title) {
        return page.getByRole(
                AriaRole.REGION, new Page.GetByRoleOptions().setName(title).setExact(true));
    }

    private static Locator button(Locator part, String name) {
        return part.getByRole(
                AriaRole.BUTTON, new Locator.GetByRoleOptions().setName(name).setExact(true));
    }

    private static Locator button(Page page, String name) {
        return page.getByRole(
                AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    private static void assertAccessible(Page page) {
        List<Rule> violations = new AxeBuilder(page).analyze().getViolations();
        assertThat(violations)
                .filteredOn(rule -> List.of("serious", "critical").contains(rule.getImpact()))
                .extracting(rule -> rule.getId() + " " + rule.getImpact() + ": " + rule.getNodes())
                .isEmpty();
    }

    private static void take(Page page, String name, boolean wholePage) {
        page.screenshot(new Page.ScreenshotOptions()
                .setPath(Path.of("target", "screenshots", name + ".png"))
                .setFullPage(wholePage));
    }

    private static String address(NodeProcess node) {
        node.awaitStart();
        var port = PORT.matcher(node.lines("started on port").get(0).text());
        assertThat(port.find()).isTrue();
        return "http://127.0.0.1:" + port.group(1);
    }

    private static ConfigurableApplicationContext startHere() {
        return SpringApplication.run(
                SampleApplication.class,
                "--sample.dynamodb-local.port=" + LocalDynamoDb.endpoint().getPort(),
                "--lease.table.name=sample-" + UUID.randomUUID(),
                "--lease.owner=node-1",
                "--sample.report.cron=-",
                "--sample.clean-up.initial-delay=1h",
                "--server.port=0");
    }
}
