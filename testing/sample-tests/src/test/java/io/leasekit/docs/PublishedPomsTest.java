package io.leasekit.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Element;

/** The poms of the published modules: what repositories require, and what they bring into applications. */
@Tag("full")
class PublishedPomsTest {

    static List<String> modules() {
        return Poms.publishedJars();
    }

    @Test
    void theBomListsThePublishedModules() {
        Element bom = Poms.pom("extras/lease-bom");

        assertThat(Poms.elements(bom, "dependencyManagement").flatMap(managed -> Poms.texts(managed, "artifactId")))
                .isNotEmpty()
                .containsExactlyInAnyOrderElementsOf(Poms.publishedArtifacts());
        assertThat(Poms.elements(bom, "dependency").flatMap(managed -> Poms.texts(managed, "version")))
                .containsOnly("${project.version}");
    }

    @Test
    void theParentHasWhatMavenCentralRequires() {
        assertThat(List.of("name", "description", "url", "licenses", "developers", "scm"))
                .allSatisfy(required -> assertThat(Poms.texts(Poms.pom("."), required))
                        .as(required)
                        .isNotEmpty());
    }

    @ParameterizedTest
    @MethodSource("modules")
    void aPublishedModuleHasANameAndADescription(String module) {
        Element pom = Poms.pom(module);

        assertThat(Poms.elements(pom, "name")
                        .filter(name -> name.getParentNode() == pom) // profiles have names of properties
                        .map(name -> name.getTextContent().trim()))
                .hasSize(1)
                .first()
                .asString()
                .startsWith("Leasekit ");
        assertThat(Poms.texts(pom, "description")).hasSize(1).doesNotContain("");
    }

    @Test
    void allModulesHaveTheVersionOfTheParent() {
        String version = Poms.version();

        assertThat(Poms.texts(Poms.pom("."), "module"))
                .allSatisfy(module -> assertThat(Poms.elements(Poms.pom(module), "parent")
                                .flatMap(parent -> Poms.texts(parent, "version")))
                        .as(module)
                        .containsExactly(version));
    }

    /**
     * At equal depth, Maven takes the first declaration with its exclusions, so an exclusion here could remove what
     * another dependency of the application needs.
     */
    @ParameterizedTest
    @MethodSource("modules")
    void noDependencyOfApplicationsHasExclusions(String module) {
        assertThat(Poms.elements(Poms.pom(module), "dependency")
                        .filter(PublishedPomsTest::reachesApplications)
                        .filter(dependency ->
                                Poms.elements(dependency, "exclusion").findAny().isPresent())
                        .flatMap(dependency -> Poms.texts(dependency, "artifactId")))
                .isEmpty();
    }

    private static boolean reachesApplications(Element dependency) {
        String scope = Poms.texts(dependency, "scope").findFirst().orElse("compile");
        return scope.equals("compile") || scope.equals("runtime");
    }
}
