package io.leasekit.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Issue forms, the template of pull requests and Dependabot's settings keep to GitHub's schemas. */
class IssueFormsTest {

    private static final Pattern ID = Pattern.compile("[A-Za-z0-9_-]+");
    private static final Pattern PAGE = Pattern.compile("(https?://[^)\\s]+)/blob/main/([\\w./-]+)(?:#([\\w-]+))?");
    private static final Pattern ADDRESS = Pattern.compile("https?://[^)\\s]+");

    static List<Path> forms() {
        return GitHubFiles.in("ISSUE_TEMPLATE").stream()
                .filter(file -> !file.endsWith("config.yml"))
                .toList();
    }

    static List<Path> filesWithLinks() {
        Path folder = GitHubFiles.FOLDER;
        return List.of(
                folder.resolve("ISSUE_TEMPLATE/bug.yml"),
                folder.resolve("ISSUE_TEMPLATE/config.yml"),
                folder.resolve("pull_request_template.md"));
    }

    @ParameterizedTest
    @MethodSource("forms")
    void aFormKeepsToTheSchema(Path file) {
        Map<Object, Object> form = GitHubFiles.read(file);

        assertThat(form).containsKeys("name", "description", "body");
        assertThat(form.keySet()).isSubsetOf("name", "description", "body", "labels", "title", "assignees");
        assertThat(GitHubFiles.maps(form, "body")).isNotEmpty().allSatisfy(IssueFormsTest::assertElement);
        assertThat(GitHubFiles.maps(form, "body").stream().map(e -> e.get("id")).filter(Objects::nonNull))
                .isNotEmpty()
                .doesNotHaveDuplicates();
        assertThat(labels(form)).isNotEmpty().doesNotHaveDuplicates();
    }

    @Test
    void aReportOfABugNamesVersionLogTableAndBothBehaviours() {
        Map<Object, Object> form = GitHubFiles.read(GitHubFiles.FOLDER.resolve("ISSUE_TEMPLATE/bug.yml"));

        assertThat(GitHubFiles.maps(form, "body").stream()
                        .filter(element -> Boolean.TRUE.equals(
                                GitHubFiles.map(element, "validations").get("required")))
                        .map(element -> element.get("id")))
                .contains("version", "log", "table", "expected", "seen");
    }

    @Test
    void theChooserNamesThePrivateWayForVulnerabilities() {
        Map<Object, Object> chooser = GitHubFiles.read(GitHubFiles.FOLDER.resolve("ISSUE_TEMPLATE/config.yml"));

        assertThat(chooser).containsOnlyKeys("blank_issues_enabled", "contact_links");
        assertThat(GitHubFiles.maps(chooser, "contact_links"))
                .isNotEmpty()
                .allSatisfy(link -> assertThat(link).containsOnlyKeys("name", "url", "about"));
    }

    @ParameterizedTest
    @MethodSource("filesWithLinks")
    void aLinkLeadsIntoThisRepository(Path file) {
        String text = DocumentPages.read(file);
        String repository = Poms.elements(Poms.pom("."), "scm")
                .flatMap(scm -> Poms.texts(scm, "url"))
                .findFirst()
                .orElseThrow();

        assertThat(ADDRESS.matcher(text).results())
                .isNotEmpty()
                .allSatisfy(address -> assertThat(address.group()).startsWith(repository + "/"));
        assertThat(PAGE.matcher(text).results()).allSatisfy(link -> {
            Path page = DocumentPages.ROOT.resolve(link.group(2));
            assertThat(page).exists();
            if (link.group(3) != null) {
                assertThat(DocumentLinksTest.anchors(page)).contains(link.group(3));
            }
        });
    }

    @Test
    void dependabotUpdatesMavenAndTheActions() {
        Map<Object, Object> settings = GitHubFiles.read(GitHubFiles.FOLDER.resolve("dependabot.yml"));

        assertThat(settings).containsOnlyKeys("version", "updates").containsEntry("version", 2);
        assertThat(GitHubFiles.maps(settings, "updates").stream().map(update -> update.get("package-ecosystem")))
                .containsExactlyInAnyOrder("maven", "github-actions");
        assertThat(GitHubFiles.maps(settings, "updates")).allSatisfy(update -> {
            assertThat(update).containsEntry("directory", "/");
            assertThat(GitHubFiles.map(update, "schedule").get("interval")).isIn("daily", "weekly", "monthly");
            assertThat(update.keySet())
                    .isSubsetOf(
                            "package-ecosystem",
                            "directory",
                            "schedule",
                            "open-pull-requests-limit",
                            "groups",
                            "ignore");
        });
    }

    /** A name that no pom has would ignore nothing. */
    @Test
    void dependabotIgnoresOnlyDependenciesOfTheBuild() {
        String pom = DocumentPages.read(DocumentPages.ROOT.resolve("pom.xml"));

        assertThat(GitHubFiles.maps(GitHubFiles.read(GitHubFiles.FOLDER.resolve("dependabot.yml")), "updates").stream()
                        .flatMap(update -> GitHubFiles.maps(update, "ignore").stream())
                        .map(ignored -> ((String) ignored.get("dependency-name")).split(":")))
                .isNotEmpty()
                .allSatisfy(name -> assertThat(pom)
                        .containsPattern("<groupId>" + Pattern.quote(name[0]) + "</groupId>\\s*<artifactId>"
                                + (name[1].equals("*") ? "" : Pattern.quote(name[1]) + "<")));
    }

    private static void assertElement(Map<String, Object> element) {
        Map<String, Object> attributes = GitHubFiles.map(element, "attributes");
        assertThat(element.keySet()).isSubsetOf("type", "id", "attributes", "validations");
        if (element.get("type").equals("markdown")) {
            assertThat(element).doesNotContainKeys("id", "validations");
            assertThat(attributes).containsOnlyKeys("value");
            return;
        }
        assertThat((String) element.get("id")).matches(ID);
        assertThat(attributes).containsKey("label");
        assertThat(GitHubFiles.map(element, "validations").keySet()).isSubsetOf("required");
        switch ((String) element.get("type")) {
            case "input" -> assertThat(attributes.keySet()).isSubsetOf("label", "description", "placeholder", "value");
            case "textarea" ->
                assertThat(attributes.keySet()).isSubsetOf("label", "description", "placeholder", "value", "render");
            case "dropdown" -> {
                assertThat(attributes.keySet()).isSubsetOf("label", "description", "multiple", "options", "default");
                assertThat((List<?>) attributes.get("options")).isNotEmpty().doesNotHaveDuplicates();
            }
            default -> throw new AssertionError("The type '" + element.get("type") + "' is not one of GitHub's");
        }
    }

    private static List<Object> labels(Map<Object, Object> form) {
        return GitHubFiles.maps(form, "body").stream()
                .map(element -> GitHubFiles.map(element, "attributes").get("label"))
                .filter(Objects::nonNull)
                .toList();
    }
}
