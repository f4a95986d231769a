package io.leasekit.docs;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.AbstractConstruct;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.ScalarNode;

/** The YAML blocks of a page, parsed. */
final class YamlBlocks {

    private static final Pattern BLOCK = Pattern.compile("```yaml\n(.*?)\n```", Pattern.DOTALL);

    private YamlBlocks() {}

    /** Reads a tag of CloudFormation as text: {@code !Ref Table} is "!Ref Table". */
    private static final class Tags extends SafeConstructor {
        Tags() {
            super(options());
            yamlMultiConstructors.put("!", new AbstractConstruct() {
                @Override
                public Object construct(Node node) {
                    return node.getTag().getValue() + " " + ((ScalarNode) node).getValue();
                }
            });
        }

        private static LoaderOptions options() {
            LoaderOptions options = new LoaderOptions();
            options.setAllowDuplicateKeys(false);
            return options;
        }
    }

    /** Returns the blocks of a page, in their order. */
    static List<Map<String, Object>> of(Path page) {
        return BLOCK.matcher(DocumentPages.read(page))
                .results()
                .map(block -> new Yaml(new Tags()).<Map<String, Object>>load(block.group(1)))
                .toList();
    }

    /** Returns the value at a path of map keys and list positions. */
    static Object at(Object root, Object... path) {
        Object value = root;
        for (Object step : path) {
            value = step instanceof Integer index ? ((List<?>) value).get(index) : ((Map<?, ?>) value).get(step);
            if (value == null) {
                throw new IllegalArgumentException("There is no '" + step + "' in " + root);
            }
        }
        return value;
    }

    /** Returns the leaves of a block of {@code application.yml}, by the names of their properties. */
    static Map<String, String> properties(Map<String, Object> block) {
        Map<String, String> properties = new TreeMap<>();
        flatten("", block, properties::put);
        return properties;
    }

    private static void flatten(String prefix, Map<?, ?> block, BiConsumer<String, String> leaves) {
        block.forEach((key, value) -> {
            String name = prefix + key;
            if (value instanceof Map<?, ?> inner) {
                flatten(name + ".", inner, leaves);
            } else {
                leaves.accept(name, String.valueOf(value));
            }
        });
    }
}
