package io.leasekit.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** docs/correctness.md names tests, mutants and searches that exist, and the figures of the present code. */
class CorrectnessTest {

    private static final String PAGE = DocumentPages.read(DocumentPages.DOCS.resolve("correctness.md"));
    private static final Path CORE = DocumentPages.ROOT.resolve("lease-core/src/test");
    private static final Path ENGINE_SIMULATION =
            DocumentPages.ROOT.resolve("lease-core/src/simulation/java/io/leasekit/engine");
    private static final String SEARCHES = engineTest("TlcTest");
    private static final String SIMULATION = engineTest("SimulationTest");
    private static final String MUTANTS = engineTest("ProtocolMutantsTest")
            + engineTest("GroupMutants")
            + engineTest("BatchMutants")
            + engineTest("WatchMutants")
            + engineTest("PermitMutants")
            + engineTest("PauseMutants");

    private static String engineTest(String name) {
        Path simulation = ENGINE_SIMULATION.resolve(name + ".java");
        return DocumentPages.read(
                Files.exists(simulation) ? simulation : CORE.resolve("java/io/leasekit/engine/" + name + ".java"));
    }

    private static long fuzzInputs() {
        return DocumentPages.walk(DocumentPages.ROOT.resolve("testing/fuzz/src/test/java"))
                .filter(source -> source.toString().endsWith("FuzzTest.java"))
                .mapToLong(test -> number("deterministic\\(([\\d_]+)", DocumentPages.read(test)))
                .sum();
    }

    @Test
    void everyNamedTestExists() {
        NamedTests.assertExist(PAGE, 25);
    }

    @Test
    void everyNamedMutantAndSearchExists() {
        assertThat(named("mutant"))
                .isNotEmpty()
                .allSatisfy(name -> assertThat(MUTANTS).contains('"' + name + '"'));
        assertThat(named("TLC"))
                .isNotEmpty()
                .allSatisfy(name -> assertThat(SEARCHES).contains('"' + name + '"'));
    }

    private static List<String> named(String kind) {
        return find(kind + " \"([^\"]+)\"", PAGE).map(match -> match.group(1)).toList();
    }

    @Test
    void theFiguresOfABuildAreThoseOfItsTests() {
        String pom = DocumentPages.read(DocumentPages.ROOT.resolve("pom.xml"));
        List<Integer> states = find("[ ,]([\\d_]+)\\)\\)?[,;]", settings("settings"))
                .map(match -> number(match.group(1)))
                .toList();
        long always = find("arguments\\(", settings("always")).count();

        assertThat(PAGE)
                .contains(row(
                        "random schedules, with fresh seeds | %,d schedules of %,d steps",
                        number("<leasekit.simulation.schedules>(\\d+)<", pom),
                        number("leasekit.simulation.steps\", ([\\d_]+)", SIMULATION)))
                .contains(row(
                        "random schedules of a long run | %,d",
                        number("(?s)<id>long-simulation</id>.*?<leasekit.simulation.schedules>(\\d+)<", pom)))
                .contains(row(
                        "mutants, each found by the schedule of its seed, of %,d steps | %d",
                        number("int STEPS = ([\\d_]+)", MUTANTS),
                        find("(?:mutant|new Mutant)\\(\\s*\"", MUTANTS).count()))
                .contains(row(
                        "settings of the right protocol in TLC | %d with %,d distinct states",
                        always, sum(states.subList(0, (int) always))))
                .contains(
                        row("settings of a long run of TLC | %d with %,d distinct states", states.size(), sum(states)))
                .contains(row(
                        "variants that TLC refutes | %d",
                        find("arguments\\(", settings("brokenProtocols")).count()))
                .contains(row(
                        "assumptions that TLC shows to be necessary | %d",
                        find("arguments\\(", settings("brokenAssumptions")).count()))
                .contains(row(
                        "a storm of three processes, judged | %d s of faults, with a fresh seed",
                        number("<leasekit.storm.duration>PT(\\d+)S<", pom)))
                .contains(row(
                        "a long storm | %d minutes by default",
                        number("(?s)<id>storm</id>.*?<leasekit.storm.duration>PT(\\d+)M<", pom)))
                .contains(row(
                        "Lincheck models | %d",
                        find("@Test", engineTest("InterleavingsTest")).count()
                                + find(
                                                "@Test",
                                                DocumentPages.read(CORE.resolve(
                                                        "java/io/leasekit/requests/InterleavingsTest.java")))
                                        .count()))
                .contains(row("inputs of fuzz tests, the same in each build | %,d", fuzzInputs()));
    }

    @Test
    void theSpecificationsPageHasTheStatesOfAllSearches() {
        String page = DocumentPages.read(CORE.resolve("tla/README.md"));

        assertThat(find("[ ,]([\\d_]+)\\)\\)?[,;]", settings("settings")))
                .hasSizeGreaterThan(10)
                .allSatisfy(states -> assertThat(page).contains("%,d".formatted(number(states.group(1)))));
        assertThat(page.lines().filter(line -> line.matches("\\| .+ \\| .*`\\w+ = .+`.* \\| `\\w+` \\|")))
                .as("rows of refuted variants")
                .hasSize((int) find("arguments\\(", settings("brokenProtocols")).count());
    }

    /** Returns the part of the searches with the arguments of this source; "always": those of each build. */
    private static String settings(String source) {
        int begin = SEARCHES.indexOf(source.equals("always") ? "Stream<Arguments> always" : "Arguments> " + source);
        String end = source.equals("always") ? "Stream<Arguments> larger" : "@ParameterizedTest";
        return SEARCHES.substring(begin, SEARCHES.indexOf(end, begin));
    }

    private static Stream<MatchResult> find(String pattern, String text) {
        return Pattern.compile(pattern).matcher(text).results();
    }

    private static int number(String pattern, String text) {
        return number(find(pattern, text).findFirst().orElseThrow().group(1));
    }

    private static int number(String digits) {
        return Integer.parseInt(digits.replace("_", ""));
    }

    private static int sum(List<Integer> numbers) {
        return numbers.stream().mapToInt(Integer::intValue).sum();
    }

    private static String row(String format, Object... numbers) {
        return "| " + String.format(Locale.ROOT, format, numbers) + " | ";
    }
}
