package io.leasekit.sample;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static io.leasekit.sample.ConsolePages.CONSOLE;
import static io.leasekit.sample.ConsolePages.DESKTOP;
import static io.leasekit.sample.ConsolePages.address;
import static io.leasekit.sample.ConsolePages.button;
import static io.leasekit.sample.ConsolePages.choose;
import static io.leasekit.sample.ConsolePages.dialog;
import static io.leasekit.sample.ConsolePages.row;
import static io.leasekit.sample.ConsolePages.section;
import static io.leasekit.sample.ConsolePages.startHere;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.ColorScheme;
import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** The console of a node with two managers and two tables: what it shows and changes is of the chosen one. */
class ConsoleManagersIT {

    @RegisterExtension
    private static final ChromiumBrowser browser = new ChromiumBrowser();

    private static final String ORDERS = "orders";
    private static final String LEADER = "ingest"; // of the default manager

    private final String table = "managers-" + UUID.randomUUID();
    private final ConfigurableApplicationContext node = startHere(table);
    private final List<Route> held = new ArrayList<>();
    private Lease books;
    private Page page;

    @BeforeEach
    void open() {
        books = of("leaseManager").tryAcquire("books").orElseThrow();
        assertThat(of(ORDERS).tryAcquire("order-1")).isPresent();
        page = browser.open(address(node) + CONSOLE, DESKTOP, ColorScheme.LIGHT);
        assertThat(section(page, "All held leases")).containsText("books");
        assertThat(row(section(page, "Leaders"), LEADER)).containsText("leads");
    }

    private LeaseManager of(String manager) {
        return node.getBean(manager, LeaseManager.class);
    }

    @AfterEach
    void close() {
        browser.closePages();
        node.close();
    }

    @Test
    void aLateReplyOfThePreviousManagerIsNotShown() {
        holdBack("/snapshot\\?.*manager=leaseManager");
        page.waitForCondition(() -> !held.isEmpty());
        choose(page, ORDERS);
        assertThat(section(page, "All held leases")).containsText("order-1");

        letArrive();
        // without a wait, since the next reading of the table repairs the page
        assertThat(section(page, "All held leases").textContent())
                .contains("order-1")
                .doesNotContain("books");
    }

    @Test
    void latePausesOfThePreviousManagerAreNotShown() {
        LeaseManager leases = of("leaseManager");
        leases.pause("report", leases.time().plus(Duration.ofHours(1)), "Month-end closing");
        holdBack("/pauses\\?manager=leaseManager");
        page.waitForCondition(() -> !held.isEmpty());
        page.waitForResponse(Pattern.compile("/pauses\\?manager=" + ORDERS), () -> choose(page, ORDERS));

        letArrive();
        assertThat(section(page, "Pauses").textContent()).doesNotContain("Month-end closing");
    }

    @Test
    void leasesOfThePreviousManagerAreGoneAtOnce() {
        holdBack("/snapshot\\?.*manager=" + ORDERS);
        choose(page, ORDERS);
        page.waitForCondition(() -> !held.isEmpty());

        assertThat(section(page, "All held leases")).containsText("Reading …");
        assertThat(button(section(page, "All held leases"), "books")).hasCount(0);
    }

    @Test
    void theDialogOfALeaderIsThatOfItsManager() {
        choose(page, ORDERS);
        assertThat(section(page, "All held leases")).containsText("order-1");
        button(section(page, "Leaders"), LEADER).click();
        Locator dialog = dialog(page);
        assertThat(dialog).containsText("ingest, leaseManager");

        button(dialog, "Release by force …").click();
        button(dialog.locator(".confirm"), "Release by force").click();
        assertThat(dialog).containsText("Released by force.");
    }

    @Test
    void theEndpointFindsAKeyInTheTableOfAnyManager() {
        for (String path : List.of("/actuator/leases/lease?key=", "/actuator/leases?key=")) {
            String found = address(node) + path;
            assertThat(page.request().get(found + "books").text()).contains("\"manager\":\"leaseManager\"");
            assertThat(page.request().get(found + "order-1").text()).contains("\"manager\":\"" + ORDERS + "\"");
            assertThat(page.request()
                            .get(found + "order-1&manager=leaseManager")
                            .status())
                    .isEqualTo(404);
            assertThat(page.request().get(found + "nowhere").text()).contains("No table of leaseManager, " + ORDERS);
        }
    }

    @Test
    void aLateReplyIsNotShownInTheDialogOfAnotherKey() {
        books.close();
        of("leaseManager").acquire("books"); // later, as leases of the same millisecond have the same token
        String token = token(LEADER);
        holdBack("/lease\\?key=books");
        button(section(page, "All held leases"), "books").click();
        page.waitForCondition(() -> !held.isEmpty());
        button(dialog(page), "Close").click();
        button(section(page, "All held leases"), LEADER).click();
        assertThat(dialog(page)).containsText(token);

        letArrive();
        assertThat(dialog(page).locator("dl").textContent()).contains(token).doesNotContain(token("books"));
    }

    private String token(String key) {
        return Long.toString(of("leaseManager").find(key).orElseThrow().fencingToken());
    }

    /** Keeps the replies to requests with this pattern away from the page. */
    private void holdBack(String pattern) {
        page.route(Pattern.compile(pattern), held::add);
    }

    /** Lets the first reply arrive that was held back, and the page show it. */
    private void letArrive() {
        Route first = held.get(0);
        page.waitForRequestFinished(
                new Page.WaitForRequestFinishedOptions()
                        .setPredicate(
                                request -> request.url().equals(first.request().url())),
                first::resume);
        page.evaluate("() => new Promise(done => setTimeout(done, 200))");
    }
}
