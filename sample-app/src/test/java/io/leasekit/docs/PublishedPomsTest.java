package io.leasekit.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/**
 * The dependencies that the published modules bring into applications. At equal depth, Maven takes the first declaration
 * with its exclusions, so an exclusion here could remove what another dependency of the application needs.
 */
class PublishedPomsTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "lease-core",
                "lease-spring-boot-starter",
                "lease-spring-boot3-health",
                "lease-spring-integration",
                "lease-shedlock"
            })
    void noDependencyOfApplicationsHasExclusions(String module) throws Exception {
        Element project = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(Path.of("..", module, "pom.xml").toFile())
                .getDocumentElement();

        assertThat(elements(project.getElementsByTagName("dependency"))
                        .filter(PublishedPomsTest::reachesApplications)
                        .filter(dependency ->
                                dependency.getElementsByTagName("exclusion").getLength() > 0)
                        .map(PublishedPomsTest::name))
                .isEmpty();
    }

    private static boolean reachesApplications(Element dependency) {
        NodeList scope = dependency.getElementsByTagName("scope");
        String text = scope.getLength() == 0 ? "compile" : scope.item(0).getTextContent();
        return text.equals("compile") || text.equals("runtime");
    }

    private static String name(Element dependency) {
        return dependency.getElementsByTagName("artifactId").item(0).getTextContent();
    }

    private static Stream<Element> elements(NodeList nodes) {
        return IntStream.range(0, nodes.getLength()).mapToObj(i -> (Element) nodes.item(i));
    }
}
