package io.leasekit.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The documents of the project: the Markdown files of its top folder and of {@code docs}. */
final class DocumentPages {

    static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
    static final Path DOCS = ROOT.resolve("docs");

    private static final List<Path> EXAMPLES = List.of(
            Path.of("src/test/java/io/leasekit/docs"),
            ROOT.resolve("extras/lease-console/src/test/java/io/leasekit/docs"), // needs Spring Security
            ROOT.resolve("testing/boot3-web/src/test/java/io/leasekit/docs"), // needs Spring Boot 3.5
            ROOT.resolve("testing/neighbours/src/test/java/io/leasekit/docs")); // need other libraries
    private static final String EXAMPLES_SUFFIX = "Examples.java";
    private static final Pattern PAGE = Pattern.compile("(?:docs/[a-z-]+|[A-Z]+)\\.md");
    private static final Pattern FENCE = Pattern.compile("(?ms)^ *```.*?^ *```$");

    private DocumentPages() {}

    /** Returns all pages, in the order of their paths. */
    static List<Path> all() {
        return Stream.concat(markdown(ROOT), markdown(DOCS)).toList();
    }

    private static Stream<Path> markdown(Path folder) {
        return files(folder).filter(file -> file.toString().endsWith(".md"));
    }

    private static Stream<Path> files(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns all files below a folder, in the order of their paths. */
    static Stream<Path> walk(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).sorted().toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the files with the compiled examples of pages. */
    static List<Path> examples() {
        return EXAMPLES.stream()
                .flatMap(DocumentPages::files)
                .filter(file -> file.toString().endsWith(EXAMPLES_SUFFIX))
                .toList();
    }

    /** Returns the page whose examples a file has: the one that its class comment names first. */
    static Path pageOf(Path examples) {
        return PAGE.matcher(read(examples))
                .results()
                .findFirst()
                .map(page -> ROOT.resolve(page.group()))
                .orElseThrow(() -> new AssertionError(examples + " names no page"));
    }

    static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns a page without its fenced blocks. */
    static String prose(Path page) {
        return FENCE.matcher(read(page)).replaceAll("");
    }
}
