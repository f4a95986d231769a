package io.leasekit.sample;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType.LaunchOptions;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.ColorScheme;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The Chromium of this machine without a window, for all tests of a class. Collects what pages write to their console as
 * errors.
 */
final class ChromiumBrowser implements BeforeAllCallback, AfterAllCallback {

    private static final List<String> NAMES = List.of("chromium", "chromium-browser", "google-chrome");

    private static final double PATIENCE_MILLIS = 120_000;

    private final List<String> errors = new ArrayList<>();
    private Playwright playwright;
    private Browser browser;

    /** Starts the browser. Skips the tests if the machine has none. */
    @Override
    public void beforeAll(ExtensionContext context) {
        Optional<Path> program = find();
        assumeTrue(program.isPresent(), "No browser: install the package 'chromium'");
        PlaywrightAssertions.setDefaultAssertionTimeout(60_000); // two readings of the table, on a slow machine
        playwright = Playwright.create(
                new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
        browser = playwright
                .chromium()
                .launch(new LaunchOptions()
                        .setExecutablePath(program.get())
                        .setTimeout(PATIENCE_MILLIS)
                        .setArgs(List.of("--no-sandbox", "--disable-dev-shm-usage")));
    }

    private static Optional<Path> find() {
        return Stream.of(Objects.requireNonNullElse(System.getenv("PATH"), "").split(":"))
                .flatMap(folder -> NAMES.stream().map(name -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** Opens a page in a context of its own. */
    Page open(String address, int width, ColorScheme scheme) {
        BrowserContext context = browser.newContext(
                new Browser.NewContextOptions().setViewportSize(width, 844).setColorScheme(scheme));
        context.setDefaultTimeout(PATIENCE_MILLIS);
        Page page = context.newPage();
        page.onPageError(errors::add);
        page.onConsoleMessage(message -> {
            if (message.type().equals("error")) {
                errors.add(message.text());
            }
        });
        page.navigate(address);
        return page;
    }

    List<String> errors() {
        return List.copyOf(errors);
    }

    /** Closes what this test has opened, and forgets the errors. */
    void closePages() {
        browser.contexts().forEach(BrowserContext::close);
        errors.clear();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        if (browser != null) {
            browser.close();
            playwright.close();
        }
    }
}
