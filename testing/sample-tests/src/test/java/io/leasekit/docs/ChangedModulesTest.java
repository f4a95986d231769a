package io.leasekit.docs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The command of CONTRIBUTING.md that tests what a change touches, with a Maven that only prints its arguments. */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "the command is a shell script")
class ChangedModulesTest {

    private static final String TESTS = "src/test/java/io/leasekit/";

    @TempDir
    Path project;

    @BeforeEach
    void createAProject() throws Exception {
        assumeTrue(run("git", "--version").contains("git version"), "git is not installed");
        write("mvnw", "#!/bin/sh\necho \"$@\"\n");
        write(".ci/changed", DocumentPages.read(DocumentPages.ROOT.resolve(".ci/changed")));
        for (String program : List.of("mvnw", ".ci/changed")) {
            assertThat(project.resolve(program).toFile().setExecutable(true)).isTrue();
        }
        write("pom.xml", "<project/>");
        write("core/pom.xml", "<exclude>**/*IT.java</exclude>\n<exclude>**/LongTest.java</exclude>\n");
        write("core/" + TESTS + "ATest.java", "");
        write("core/" + TESTS + "LongTest.java", "");
        write("testing/kotlin/pom.xml", "");
        write("testing/kotlin/src/test/kotlin/io/leasekit/kotlin/KTest.kt", "");
        write("sample-app/pom.xml", "");
        write("sample-app/src/main/java/Job.java", "");
        write("testing/sample-tests/pom.xml", "");
        write("testing/sample-tests/" + TESTS + "docs/PagesTest.java", "");
        write("testing/sample-tests/" + TESTS + "sample/JobsTest.java", "");
        git("init", "-q");
        commit();
    }

    @Test
    void withoutAChangeNothingRuns() throws Exception {
        assertThat(changed()).startsWith("No module has changed since");
    }

    @Test
    void theTestsOfTheChangedModuleRunWithoutTheLongOnes() throws Exception {
        write("core/" + TESTS + "ATest.java", "changed");

        assertThat(changed()).contains(command("core", "io.leasekit.ATest"));
    }

    @Test
    void aFileThatIsNotCommittedIsAChangeToo() throws Exception {
        write("testing/kotlin/src/main/kotlin/New.kt", "");

        assertThat(changed()).contains(command("testing/kotlin", "io.leasekit.kotlin.KTest"));
    }

    @Test
    void aPageRunsTheTestsOfPages() throws Exception {
        write("README.md", "changed");

        assertThat(changed()).contains(command("testing/sample-tests", "io.leasekit.docs.PagesTest"));
    }

    @Test
    void severalModulesRunTogether() throws Exception {
        write("README.md", "changed");
        write("core/pom.xml", "changed");
        write("sample-app/pom.xml", "changed");

        assertThat(changed())
                .contains(
                        command(
                                "core,testing/sample-tests",
                                "io.leasekit.ATest,io.leasekit.LongTest,io.leasekit.docs.PagesTest,io.leasekit.sample.JobsTest"));
    }

    @Test
    void commitsSinceTheGivenOneAreChanges() throws Exception {
        write("core/new.txt", "");
        commit();

        assertThat(changed()).startsWith("No module has changed");
        assertThat(changed("HEAD~1")).contains(command("core", "io.leasekit.ATest"));
    }

    @Test
    void aChangeOfTheParentIsLeftToTheGate() throws Exception {
        write("pom.xml", "changed");

        assertThat(changed()).contains("pom.xml changed: only the gate tests what depends on it", "No module");
    }

    @Test
    void contributorsFindTheCommand() {
        assertThat(DocumentPages.read(DocumentPages.ROOT.resolve("CONTRIBUTING.md")))
                .contains("`.ci/changed`");
        assertThat(Files.isExecutable(DocumentPages.ROOT.resolve(".ci/changed")))
                .isTrue();
    }

    private static String command(String modules, String tests) {
        return "-q -B -ntp -pl " + modules + " -am spotless:apply test -Dtest=" + tests
                + " -Dmaven.test.redirectTestOutputToFile\nPassed";
    }

    private String changed(String... arguments) throws Exception {
        return run(concat(project.resolve(".ci/changed").toString(), arguments));
    }

    private void commit() throws Exception {
        git("add", "-A");
        git("-c", "user.name=Test", "-c", "user.email=test@localhost", "commit", "-q", "-m", "A change");
    }

    private void git(String... arguments) throws Exception {
        run(concat("git", arguments));
    }

    private void write(String file, String text) throws IOException {
        Files.createDirectories(project.resolve(file).getParent());
        Files.writeString(project.resolve(file), text);
    }

    private String run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .directory(project.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor(10, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).as(output).isZero();
        return output;
    }

    private static String[] concat(String first, String... others) {
        return Stream.concat(Stream.of(first), Stream.of(others)).toArray(String[]::new);
    }
}
