package io.leasekit.sample;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static io.leasekit.sample.ConsolePages.CONSOLE;
import static io.leasekit.sample.ConsolePages.DESKTOP;
import static io.leasekit.sample.ConsolePages.address;
import static io.leasekit.sample.ConsolePages.button;
import static io.leasekit.sample.ConsolePages.dialog;
import static io.leasekit.sample.ConsolePages.section;
import static io.leasekit.sample.ConsolePages.startHere;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.ColorScheme;
import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.dynamodb.DynamoDbLeaseStore;
import io.leasekit.dynamodb.local.LocalDynamoDb;
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
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** The question before a forced release, while the key of its dialog passes to another holder. */
class ConsoleForcedReleaseIT {

    @RegisterExtension
    private static final ChromiumBrowser browser = new ChromiumBrowser();

    private static final String KEY = "books";
    private static final Pattern READING = Pattern.compile("/lease\\?key=" + KEY);

    private final String table = "forced-" + UUID.randomUUID();
    private final ConfigurableApplicationContext node = startHere(table);
    private final DynamoDbAsyncClient client = LocalDynamoDb.clientBuilder().build();
    private final LeaseManager other = LeaseManager.builder(DynamoDbLeaseStore.create(client, table))
            .owner("node-2")
            .closeTimeout(Duration.ZERO)
            .build();
    private Lease asked;
    private Page page;
    private Locator dialog;

    @BeforeEach
    void open() {
        asked = node.getBean(LeaseManager.class).tryAcquire(KEY).orElseThrow();
        page = browser.open(address(node) + CONSOLE, DESKTOP, ColorScheme.LIGHT);
        dialog = dialog(page);
        button(section(page, "Held by this node"), KEY).click();
        assertThat(dialog).containsText(token(asked));
    }

    @AfterEach
    void close() {
        browser.closePages();
        other.close();
        client.close();
        node.close();
    }

    @Test
    void theQuestionIsWithdrawnWhenAnotherHolderIsRead() {
        ask();
        Lease theirs = passOn();
        button(dialog, "Read again").click();
        assertThat(dialog).containsText(token(theirs));

        assertWithdrawn();
        assertThatCode(() -> theirs.extend(Duration.ofSeconds(10))).doesNotThrowAnyException();
    }

    @Test
    void theQuestionIsWithdrawnWhenALateReplyShowsAnotherHolder() {
        List<Route> held = new ArrayList<>();
        page.route(READING, held::add);
        button(dialog, "Read again").click();
        page.waitForCondition(() -> !held.isEmpty());
        ask();
        Lease theirs = passOn();

        page.unroute(READING);
        held.get(0).resume();
        assertThat(dialog).containsText(token(theirs));
        assertWithdrawn();
    }

    @Test
    void theQuestionIsWithdrawnWhenTheLeaseHasBeenReleased() {
        ask();
        asked.close();
        button(dialog, "Read again").click();
        assertThat(dialog).containsText("free");

        assertWithdrawn();
    }

    @Test
    void theQuestionStaysWhenTheSameLeaseIsReadAgain() {
        ask();
        page.waitForResponse(READING, () -> button(dialog, "Read again").click());
        assertThat(question()).isVisible();

        button(question(), "Release by force").click();
        assertThat(dialog).containsText("Released by force.");
    }

    @Test
    void aHolderThatTookTheKeyUnseenKeepsIt() {
        ask();
        Lease theirs = passOn();
        button(question(), "Release by force").click();

        assertThat(dialog).containsText("Not released: the table shows another token by now.");
        assertThatCode(() -> theirs.extend(Duration.ofSeconds(10))).doesNotThrowAnyException();
    }

    private void ask() {
        button(dialog, "Release by force …").click();
        assertThat(question()).containsText("token " + token(asked) + " from node-1?");
    }

    private void assertWithdrawn() {
        assertThat(question()).isHidden();
        assertThat(dialog).containsText("Not asked any more: the table shows another holder or none by now.");
    }

    /** Lets the key pass to another manager. */
    private Lease passOn() {
        asked.close();
        return other.tryAcquire(KEY).orElseThrow();
    }

    private Locator question() {
        return dialog.locator(".confirm");
    }

    private static String token(Lease lease) {
        return Long.toString(lease.fencingToken());
    }
}
