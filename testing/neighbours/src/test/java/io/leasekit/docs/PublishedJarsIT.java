package io.leasekit.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.jar.JarFile;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;

/** The published jars, as Maven built them: all are on the class path of this module. */
class PublishedJarsIT {

    private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
    private static final Pattern JAR = Pattern.compile("(lease-[a-z0-9-]+?)-\\d+\\.\\d.*\\.jar");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `(lease-[a-z0-9-]+)` \\|.*\\| `([a-z0-9.]+)` \\|$");

    private final List<Path> jars = Stream.of(
                    System.getProperty("java.class.path").split(File.pathSeparator))
            .map(Path::of)
            .filter(path -> JAR.matcher(path.getFileName().toString()).matches())
            .toList();

    @Test
    void eachModuleOfTheBomHasTheNameThatThePageTells() throws Exception {
        Set<String> expected = ROW.matcher(Files.readString(ROOT.resolve("docs/support.md")))
                .results()
                .map(row -> row.group(1) + " " + row.group(2))
                .collect(Collectors.toSet());

        assertThat(jars.stream().map(PublishedJarsIT::artifactAndName)).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(jars.stream().map(PublishedJarsIT::artifact))
                .containsExactlyInAnyOrderElementsOf(artifactsOfTheBom());
    }

    /** On the module path, two modules with one package do not start. */
    @Test
    void noPackageIsInTwoJars() {
        assertThat(jars.stream().flatMap(jar -> descriptor(jar).packages().stream()))
                .isNotEmpty()
                .doesNotHaveDuplicates();
    }

    @Test
    void eachJarContainsTheLicence() throws Exception {
        byte[] licence = Files.readAllBytes(ROOT.resolve("LICENSE"));
        assertThat(jars).isNotEmpty();
        for (Path path : jars) {
            try (JarFile jar = new JarFile(path.toFile())) {
                ZipEntry entry = jar.getEntry("META-INF/LICENSE");
                assertThat(entry).as("licence in %s", path).isNotNull();
                assertThat(jar.getInputStream(entry).readAllBytes())
                        .as("licence in %s", path)
                        .isEqualTo(licence);
            }
        }
    }

    private static String artifactAndName(Path jar) {
        return artifact(jar) + " " + descriptor(jar).name();
    }

    private static String artifact(Path jar) {
        return JAR.matcher(jar.getFileName().toString())
                .results()
                .findFirst()
                .orElseThrow()
                .group(1);
    }

    /** Returns the descriptor of a jar, whose name comes from its manifest; otherwise it would be that of the file. */
    private static ModuleDescriptor descriptor(Path jar) {
        return ModuleFinder.of(jar).findAll().stream()
                .map(ModuleReference::descriptor)
                .findFirst()
                .orElseThrow();
    }

    private static List<String> artifactsOfTheBom() throws Exception {
        String bom = Files.readString(ROOT.resolve("extras/lease-bom/pom.xml"));
        return Pattern.compile("<artifactId>([^<]+)</artifactId>")
                .matcher(bom.substring(bom.indexOf("<dependencyManagement>"), bom.indexOf("</dependencyManagement>")))
                .results()
                .map((MatchResult match) -> match.group(1))
                .toList();
    }
}
