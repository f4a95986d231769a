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

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
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

/** What the console says about a cooldown, firings and ignored pauses, at an address with a user. */
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
    void theFiringsOfAJobAreListedWithTheirOutcomes() {
        try (ConfigurableApplicationContext node = startHere(table)) {
            Page page = browser.open(address(node) + CONSOLE, DESKTOP, ColorScheme.LIGHT);
            Locator firings = row(section(page, "Jobs"), "DemoJob.run").getByRole(AriaRole.BUTTON);
            assertThat(firings.locator("i").first()).isVisible();

            firings.click();

            assertThat(dialog(page)).containsText("DemoJob.run");
            assertThat(dialog(page).locator("li").first()).containsText(Pattern.compile("here|elsewhere|waits|answer"));
            button(dialog(page), "Close").click();
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
}
