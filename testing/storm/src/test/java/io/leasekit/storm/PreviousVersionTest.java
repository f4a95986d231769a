package io.leasekit.storm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.leasekit.previous.PreviousVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

@EnabledIf(value = "hasGit", disabledReason = PreviousVersion.ABSENT)
class PreviousVersionTest {

    @TempDir
    Path root;

    private Path work;

    @BeforeEach
    void nameTheFolderOfTheClasses() {
        work = root.resolve("previous");
    }

    static boolean hasGit() throws InterruptedException {
        try {
            return new ProcessBuilder("git", "--version").start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void outsideAGitHistoryThereIsNone() throws Exception {
        assertThat(PreviousVersion.find(root, work, "3dc03aa")).isEmpty();
    }

    @Test
    void aCommitThatTheHistoryDoesNotHaveIsNone() throws Exception {
        git("init", "-q");
        commit("class First {}");

        assertThat(PreviousVersion.find(root, work, "3dc03aa")).isEmpty();
        assertThat(PreviousVersion.find(root, work, "")).isEmpty();
    }

    @Test
    void withoutATagTheNamedCommitIsCompiled() throws Exception {
        git("init", "-q");
        commit("class First {}");
        commit("class Second {}");

        PreviousVersion found = PreviousVersion.find(root, work, "HEAD~1").orElseThrow();

        assertThat(found.commit()).matches("[0-9a-f]{40}");
        assertThat(classes(found)).containsExactly("First.class");
        assertThat(found.classPath()).startsWith(found.classes().toString());
        assertThat(found.classPath()).doesNotContain(PreviousVersion.core() + ":");
        assertThat(PreviousVersion.find(root, work, "HEAD~1")).contains(found);
    }

    @Test
    void theNewestEarlierTagCountsAndThatOfThisCommitDoesNot() throws Exception {
        git("init", "-q");
        commit("class First {}");
        git("tag", "v0.9.0");
        commit("class Second {}");
        git("tag", "v0.10.0");
        git("tag", "other");
        commit("class Third {}");
        git("tag", "v0.11.0");

        assertThat(classes(PreviousVersion.find(root, work, "HEAD~2").orElseThrow()))
                .containsExactly("Second.class");
    }

    @Test
    void sourcesThatDoNotCompileAreAnErrorAndNoReasonToSkip() throws Exception {
        git("init", "-q");
        commit("class First extends Missing {}");

        assertThatIllegalStateException()
                .isThrownBy(() -> PreviousVersion.find(root, work, "HEAD"))
                .withMessageContaining("Missing");
    }

    private static List<String> classes(PreviousVersion version) throws IOException {
        try (Stream<Path> files = Files.list(version.classes())) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    /** Commits this as the only source of the core. */
    private void commit(String source) throws Exception {
        Path sources = Files.createDirectories(root.resolve(PreviousVersion.SOURCES));
        Files.writeString(sources.resolve("Source.java"), source);
        git("add", "lease-core");
        git("-c", "user.name=test", "-c", "user.email=test@localhost", "commit", "-q", "-m", "test");
    }

    private void git(String... arguments) throws Exception {
        Process git = new ProcessBuilder(
                        Stream.concat(Stream.of("git"), Stream.of(arguments)).toList())
                .directory(root.toFile())
                .inheritIO()
                .start();
        assertThat(git.waitFor()).isZero();
    }
}
