package io.leasekit.docs;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** The poms of the project, as they stand in the files. */
final class Poms {

    private Poms() {}

    /** Returns the root element of a module's pom. The parent's module is {@code "."}. */
    static Element pom(String module) {
        try {
            return DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(DocumentPages.ROOT.resolve(module).resolve("pom.xml").toFile())
                    .getDocumentElement();
        } catch (Exception e) {
            throw new IllegalStateException("The pom of '" + module + "' cannot be read", e);
        }
    }

    /** Returns the version of the build. */
    static String version() {
        return texts(pom("."), "version").findFirst().orElseThrow();
    }

    /** Returns the folders of the modules that a release publishes as jars, in the order of the parent's pom. */
    static List<String> publishedJars() {
        return texts(pom("."), "module")
                .filter(module -> texts(pom(module), "maven.deploy.skip").noneMatch("true"::equals))
                .filter(module -> texts(pom(module), "packaging").noneMatch("pom"::equals))
                .toList();
    }

    /** Returns the artifacts that a release publishes as jars, which are named as their folders. */
    static List<String> publishedArtifacts() {
        return publishedJars().stream()
                .map(module -> module.substring(module.lastIndexOf('/') + 1))
                .toList();
    }

    /** Returns the texts of all elements of a name below another element. */
    static Stream<String> texts(Element root, String name) {
        return elements(root, name).map(element -> element.getTextContent().trim());
    }

    static Stream<Element> elements(Element root, String name) {
        NodeList nodes = root.getElementsByTagName(name);
        return IntStream.range(0, nodes.getLength()).mapToObj(i -> (Element) nodes.item(i));
    }
}
