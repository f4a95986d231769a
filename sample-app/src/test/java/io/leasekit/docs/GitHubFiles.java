package io.leasekit.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;

/** The files in {@code .github}: workflows, issue forms and other settings of the repository. */
final class GitHubFiles {

    static final Path FOLDER = DocumentPages.ROOT.resolve(".github");

    private GitHubFiles() {}

    /** Returns the YAML files of a folder below {@code .github}, in the order of their names. */
    static List<Path> in(String folder) {
        try (Stream<Path> files = Files.list(FOLDER.resolve(folder))) {
            return files.filter(file -> file.toString().endsWith(".yml"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the content of a YAML file. A key that occurs twice is an error. */
    static Map<Object, Object> read(Path file) {
        LoaderOptions options = new LoaderOptions();
        options.setAllowDuplicateKeys(false);
        return new Yaml(options).load(DocumentPages.read(file));
    }

    /** Returns the map that a key has as its value, or an empty one. */
    @SuppressWarnings("unchecked")
    static Map<String, Object> map(Map<?, ?> parent, Object key) {
        Object value = parent.get(key);
        return value == null ? Map.of() : (Map<String, Object>) value;
    }

    /** Returns the list of maps that a key has as its value, or an empty one. */
    @SuppressWarnings("unchecked")
    static List<Map<String, Object>> maps(Map<?, ?> parent, Object key) {
        Object value = parent.get(key);
        return value == null ? List.of() : (List<Map<String, Object>>) value;
    }
}
