package io.leasekit.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The workflows of GitHub Actions keep to its schema, and run only commands that the project has. */
class WorkflowsTest {

    /** SnakeYAML reads YAML 1.1, where "on" is a boolean. */
    private static final Object ON = true;

    private static final Pattern ACTION = Pattern.compile("actions/[a-z-]+@v\\d+");
    private static final Pattern MATRIX = Pattern.compile("\\$\\{\\{ matrix\\.(\\w+) }}");
    private static final Pattern MODULES = Pattern.compile(" -pl (\\S+)");
    private static final Pattern PROFILE = Pattern.compile(" -P(\\S+)");
    private static final Pattern TEST = Pattern.compile(" -D(?:it\\.)?test=(\\S+)");
    private static final Pattern PROPERTY = Pattern.compile(" -D(leasekit\\.[\\w.]+)=");
    private static final Pattern SETTING = Pattern.compile(" -D(?!leasekit\\.|test=|it\\.test=)(\\w[\\w.]*)");

    static List<Path> workflows() {
        return GitHubFiles.in("workflows");
    }

    static List<String> commands() {
        return workflows().stream()
                .flatMap(workflow -> jobs(workflow).stream())
                .flatMap(job -> Stream.concat(
                        steps(job).map(step -> (String) step.get("run")),
                        included(job).map(entry -> (String) entry.get("command"))))
                .filter(Objects::nonNull)
                .filter(command -> !MATRIX.matcher(command).matches())
                .toList();
    }

    @ParameterizedTest
    @MethodSource("workflows")
    void aWorkflowCanOnlyReadTheRepository(Path file) {
        Map<Object, Object> workflow = GitHubFiles.read(file);

        assertThat(workflow).containsOnlyKeys("name", ON, "permissions", "concurrency", "jobs");
        assertThat(GitHubFiles.map(workflow, "permissions")).isEqualTo(Map.of("contents", "read"));
        assertThat(GitHubFiles.map(workflow, "concurrency")).containsOnlyKeys("group", "cancel-in-progress");
        assertThat(GitHubFiles.map(workflow, ON))
                .isNotEmpty()
                .allSatisfy((event, settings) ->
                        assertThat(event).isIn("push", "pull_request", "schedule", "workflow_dispatch"));
        assertThat(DocumentPages.read(file)).doesNotContain("://", "secrets.");
    }

    @ParameterizedTest
    @MethodSource("workflows")
    void aJobEndsInTimeAndItsStepsKeepToTheSchema(Path file) {
        assertThat(jobs(file)).isNotEmpty().allSatisfy(job -> {
            assertThat(job).containsOnlyKeys("name", "runs-on", "timeout-minutes", "strategy", "steps");
            assertThat((Integer) job.get("timeout-minutes")).isBetween(1, 360); // GitHub's limit
            assertThat(steps(job)).isNotEmpty().allSatisfy(step -> {
                assertThat(step.keySet()).isSubsetOf("name", "if", "uses", "with", "run");
                assertThat(step.containsKey("uses")).isNotEqualTo(step.containsKey("run"));
            });
        });
    }

    @ParameterizedTest
    @MethodSource("workflows")
    void anActionIsGitHubsOwnInAMajorVersion(Path file) {
        assertThat(jobs(file))
                .flatExtracting(job -> steps(job)
                        .map(step -> step.get("uses"))
                        .filter(Objects::nonNull)
                        .toList())
                .isNotEmpty()
                .allSatisfy(action -> assertThat(action).asString().matches(ACTION));
    }

    @ParameterizedTest
    @MethodSource("workflows")
    void theMatrixHasWhatItsJobUses(Path file) {
        assertThat(jobs(file)).allSatisfy(job -> {
            Map<String, Object> matrix = GitHubFiles.map(GitHubFiles.map(job, "strategy"), "matrix");
            assertThat(MATRIX.matcher(job.toString()).results().map(name -> name.group(1)))
                    .isNotEmpty()
                    .allSatisfy(name -> assertThat(matrix.containsKey(name)
                                    || included(job).allMatch(entry -> entry.containsKey(name)))
                            .as(name)
                            .isTrue());
        });
    }

    @ParameterizedTest
    @MethodSource("commands")
    void aCommandExists(String command) {
        Path program = DocumentPages.ROOT.resolve(command.split(" ", 2)[0]);

        assertThat(program).isRegularFile();
        assertThat(DocumentPages.ROOT.getFileSystem().getSeparator().equals("\\") || Files.isExecutable(program))
                .as("executable")
                .isTrue();
        assertThat(found(PROFILE, command).flatMap(names -> Stream.of(names.split(","))))
                .allSatisfy(profile -> assertThat(profiles(command)).contains(profile));
        assertThat(modules(command))
                .allSatisfy(module ->
                        assertThat(Poms.texts(Poms.pom("."), "module")).contains(module));
        assertThat(found(SETTING, command)).isSubsetOf("skipTests");
    }

    @ParameterizedTest
    @MethodSource("commands")
    void theTestsAndPropertiesOfACommandExist(String command) {
        assertThat(found(TEST, command).filter(test -> !test.equals("none")))
                .allSatisfy(test ->
                        assertThat(sources(command, test + ".java")).as(test).isNotEmpty());
        assertThat(found(PROPERTY, command))
                .allSatisfy(property -> assertThat(sources(command, ".java"))
                        .as(property)
                        .anyMatch(source -> DocumentPages.read(source).contains('"' + property + '"')));
    }

    /** Newer JDKs than those of the matrix are in the profile "untried-jdk". */
    @Test
    void theGateRunsOnTheOldestAndOnTheNewestJdkOfTheBuild() {
        int oldest = Integer.parseInt(
                Poms.texts(Poms.pom("."), "maven.compiler.release").findFirst().orElseThrow());
        int newest = Poms.elements(Poms.pom("."), "profile")
                .filter(profile -> Poms.texts(profile, "id").anyMatch("untried-jdk"::equals))
                .flatMap(profile -> Poms.texts(profile, "jdk"))
                .map(range -> Integer.parseInt(range.replaceAll("\\D", "")) - 1)
                .findFirst()
                .orElseThrow();

        assertThat(GitHubFiles.map(GitHubFiles.map(gate(), "strategy"), "matrix"))
                .isEqualTo(Map.of("java", List.of(oldest, newest)));
        assertThat(DocumentPages.read(DocumentPages.ROOT.resolve("CONTRIBUTING.md")))
                .contains("Run the gate on JDK " + oldest + " and on JDK " + newest);
        assertThat(DocumentPages.read(GitHubFiles.FOLDER.resolve("pull_request_template.md")))
                .contains("JDK " + oldest + " and on JDK " + newest);
    }

    @Test
    void theGateRunsOnBothLinesOfSpringBoot() {
        assertThat((String) gate().get("name"))
                .endsWith("Spring Boot " + line("boot.version") + " and " + line("boot3.version"));
        assertThat(steps(gate()).map(step -> step.get("run"))).contains(".ci/run");
        assertThat(Poms.texts(Poms.pom("."), "module")).contains("testing/boot3-tests", "testing/boot3-web");
    }

    @Test
    void longTestsAndBenchmarksRunEachNight() {
        assertThat(found(PROFILE, String.join(" ", commands())))
                .contains("long-simulation", "storm", "fuzz", "benchmarks");
    }

    private static String line(String property) {
        return Poms.texts(Poms.pom("."), property).findFirst().orElseThrow().replaceAll("\\.\\d+$", "");
    }

    private static Map<String, Object> gate() {
        return jobs(GitHubFiles.FOLDER.resolve("workflows/build.yml")).get(0);
    }

    private static List<Map<String, Object>> jobs(Path workflow) {
        Map<String, Object> jobs = GitHubFiles.map(GitHubFiles.read(workflow), "jobs");
        return jobs.keySet().stream().map(job -> GitHubFiles.map(jobs, job)).toList();
    }

    private static Stream<Map<String, Object>> steps(Map<String, Object> job) {
        return GitHubFiles.maps(job, "steps").stream();
    }

    private static Stream<Map<String, Object>> included(Map<String, Object> job) {
        return GitHubFiles.maps(GitHubFiles.map(GitHubFiles.map(job, "strategy"), "matrix"), "include").stream();
    }

    private static Stream<String> found(Pattern option, String command) {
        return option.matcher(command).results().map((MatchResult match) -> match.group(1));
    }

    private static List<String> modules(String command) {
        return found(MODULES, command)
                .flatMap(names -> Stream.of(names.split(",")))
                .toList();
    }

    private static List<String> profiles(String command) {
        return Stream.concat(Stream.of("."), modules(command).stream())
                .flatMap(module -> Poms.elements(Poms.pom(module), "profile"))
                .flatMap(profile -> Poms.texts(profile, "id"))
                .toList();
    }

    private static List<Path> sources(String command, String end) {
        return modules(command).stream()
                .map(module -> DocumentPages.ROOT.resolve(module).resolve("src"))
                .flatMap(DocumentPages::walk)
                .filter(source -> source.toString().endsWith(end))
                .toList();
    }
}
