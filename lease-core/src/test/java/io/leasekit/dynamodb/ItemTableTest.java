package io.leasekit.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.records.RecordTable;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The tables of the item, in the class documentation and in the protocol, list the attributes with their types. */
class ItemTableTest {

    private static final Pattern ROW_OF_CLASS =
            Pattern.compile("<tr><td>(\\{@code .+?)</td>[\\s*]*<td>(.+?)</td>", Pattern.DOTALL);
    private static final Pattern ROW_OF_PAGE = Pattern.compile("(?m)^\\| (`[^|]+`) \\| ([^|]+) \\|");
    private static final Pattern NAME = Pattern.compile("(?:\\{@code |`)(\\w+)[}`]");
    private static final Pattern TYPE = Pattern.compile("\\b[SNB]\\b");

    @Test
    void theClassDocumentationListsTheAttributes() throws IOException {
        String source = Files.readString(Path.of("src/main/java/io/leasekit/dynamodb/DynamoDbLeaseStore.java"));

        assertThat(typesByName(ROW_OF_CLASS, source)).containsOnlyKeys(attributes());
    }

    @Test
    void theProtocolListsTheAttributesWithTheSameTypes() throws IOException {
        String source = Files.readString(Path.of("src/main/java/io/leasekit/dynamodb/DynamoDbLeaseStore.java"));
        String page = Files.readString(Path.of("..", "docs", "protocol.md"));
        String section = page.substring(page.indexOf("## The item"), page.indexOf("## Time"));

        Map<String, String> shown = typesByName(ROW_OF_PAGE, section);
        shown.put(Attributes.KEY, "S"); // in the sentence before the table

        assertThat(section).contains("partition key `" + Attributes.KEY + "` (S)");
        assertThat(shown).containsExactlyInAnyOrderEntriesOf(typesByName(ROW_OF_CLASS, source));
    }

    private static Map<String, String> typesByName(Pattern row, String text) {
        Map<String, String> types = new LinkedHashMap<>();
        row.matcher(text).results().forEach(match -> {
            List<String> names = all(NAME, match.group(1), 1);
            List<String> each = all(TYPE, match.group(2), 0);
            for (int i = 0; i < names.size(); i++) {
                types.put(names.get(i), each.get(each.size() == 1 ? 0 : i));
            }
        });
        return types;
    }

    private static List<String> all(Pattern pattern, String text, int group) {
        return pattern.matcher(text)
                .results()
                .map((MatchResult match) -> match.group(group))
                .toList();
    }

    private static List<String> attributes() {
        List<String> names = new ArrayList<>(RecordTable.names());
        Arrays.stream(Attributes.class.getDeclaredFields())
                .filter(field -> !field.isSynthetic() && field.getType() == String.class)
                .map(ItemTableTest::valueOf)
                .forEach(names::add);
        return names;
    }

    private static String valueOf(Field constant) {
        try {
            return (String) constant.get(null);
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }
}
