package io.leasekit.sample;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static io.leasekit.sample.ConsolePages.CONSOLE;
import static io.leasekit.sample.ConsolePages.DESKTOP;
import static io.leasekit.sample.ConsolePages.PHONE;
import static io.leasekit.sample.ConsolePages.SLOWLY;
import static io.leasekit.sample.ConsolePages.address;
import static io.leasekit.sample.ConsolePages.button;
import static io.leasekit.sample.ConsolePages.dialog;
import static io.leasekit.sample.ConsolePages.failure;
import static io.leasekit.sample.ConsolePages.row;
import static io.leasekit.sample.ConsolePages.section;
import static io.leasekit.sample.ConsolePages.take;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The consoles of two nodes in a browser, while a lease moves from one node to the other. */
class ConsoleTwoNodesIT {

    @RegisterExtension
    private static final ChromiumBrowser browser = new ChromiumBrowser();

    private final NodeTable table = new NodeTable();

    @AfterEach
    void close() {
        table.close();
        browser.closePages();
    }

    @Test
    void aLeaseMovesAfterAForcedReleaseAndAfterACrash() throws Exception {
        NodeProcess one = table.start("lease.owner=one", "sample.demo.ttl=10s");
        NodeProcess two =
                table.start("lease.owner=two", "sample.demo.ttl=10s", "management.endpoint.leases.access=read-only");
        Page first = browser.open(address(one), DESKTOP, ColorScheme.LIGHT);
        Page second = browser.open(address(two), DESKTOP, ColorScheme.LIGHT);

        button(first, "Long job, 2 min").click();
        assertThat(section(first, "Held by this node")).containsText("long-job");
        button(second, "Long job, 2 min").click();
        assertThat(section(second, "Waiting on this node")).containsText("long-job");
        assertThat(section(second, "Nodes")).containsText("one");

        releaseByForce(second);
        assertThat(dialog(second)).containsText("Not released: The endpoint only reads.");
        button(dialog(second), "Close").click();
        Page reading = browser.open(address(two) + CONSOLE, DESKTOP, ColorScheme.LIGHT);
        button(section(reading, "All held leases"), "long-job").click();
        assertThat(dialog(reading)).containsText("Fencing token");
        assertThat(button(dialog(reading), "Release by force …")).isHidden();

        releaseByForce(first);
        assertThat(dialog(first)).containsText("Released by force.");
        button(dialog(first), "Close").click();
        assertThat(section(second, "Held by this node")).containsText("long-job", SLOWLY);
        assertThat(one.logs("Forced release of lease 'long-job'")).isTrue();

        button(first, "Long job, 2 min").click();
        assertThat(section(first, "Waiting on this node")).containsText("long-job");
        button(second, "Crash this node").click();
        assertThat(two.awaitEnd(Duration.ofSeconds(60))).isTrue();
        assertThat(section(first, "Held by this node")).containsText("long-job", SLOWLY);
        assertThat(section(second, "Held by this node")).isVisible();
        assertThat(failure(second)).containsText("The page shows what it read last");
        photograph(first, address(one));
    }

    @Test
    void theLeaseOfAHangingNodeMovesAndItsPageRecovers() throws Exception {
        NodeProcess one = table.start("lease.owner=one", "sample.demo.ttl=10s");
        NodeProcess two = table.start("lease.owner=two", "sample.demo.ttl=10s");
        Page first = browser.open(address(one), DESKTOP, ColorScheme.LIGHT);
        Page second = browser.open(address(two), DESKTOP, ColorScheme.LIGHT);
        button(first, "Long job, 2 min").click();
        assertThat(section(first, "Held by this node")).containsText("long-job");
        button(second, "Long job, 2 min").click();
        assertThat(section(second, "Waiting on this node")).containsText("long-job");

        button(first, "Hang for 20 s").click();
        assertThat(failure(first))
                .containsText("The node has not answered within 10 s. The page shows what it read last.");
        assertThat(section(second, "Held by this node")).containsText("long-job", SLOWLY);
        assertThat(row(section(second, "All held leases"), "long-job")).containsText("two");

        assertThat(row(section(first, "All held leases"), "long-job")).containsText("two", SLOWLY);
        assertThat(failure(first)).isEmpty();
    }

    private void photograph(Page page, String address) {
        assertThat(row(section(page, "All held leases"), "long-job")).containsText("one");
        take(page, "take-over", false);
        button(section(page, "Held by this node"), "long-job").click();
        assertThat(dialog(page)).containsText("Fencing token");
        take(page, "key", false);
        Page phone = browser.open(address, PHONE, ColorScheme.DARK);
        assertThat(section(phone, "All held leases")).containsText("long-job");
        take(phone, "phone", true);
    }

    private static void releaseByForce(Page page) {
        button(section(page, "All held leases"), "long-job").click();
        Locator dialog = dialog(page);
        button(dialog, "Release by force …").click();
        button(dialog.locator(".confirm"), "Release by force").click();
    }
}
