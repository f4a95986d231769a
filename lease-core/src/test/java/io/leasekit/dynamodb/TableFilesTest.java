package io.leasekit.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;

import com.bertramlabs.plugins.hcl4j.HCLParser;
import com.jayway.jsonpath.JsonPath;
import io.leasekit.limits.Checks;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.AbstractConstruct;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.ScalarNode;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.CreateTableRequest;

/** The files for operators have the table that the library creates and the permissions that it needs. */
class TableFilesTest {

    private static final Path DOCS = Path.of("..", "docs");
    private static final CreateTableRequest TABLE = new TableSchema("leases").createTable();

    /** Reads a tag of CloudFormation as the name of its target. */
    private static final class CloudFormation extends SafeConstructor {
        CloudFormation() {
            super(new LoaderOptions());
            yamlMultiConstructors.put("!", new AbstractConstruct() {
                @Override
                public Object construct(Node node) {
                    return node.getTag().getValue() + " " + ((ScalarNode) node).getValue();
                }
            });
        }
    }

    private static String read(String file) throws IOException {
        return Files.readString(DOCS.resolve(file));
    }

    @Test
    void theTableForCloudFormation() throws IOException {
        Map<String, Object> template = new Yaml(new CloudFormation()).load(read("leases-table.cloudformation.yaml"));

        Object table = at(template, "Resources", "Leases");
        assertThat(at(table, "Type")).isEqualTo("AWS::DynamoDB::Table");
        assertThat(at(table, "DeletionPolicy")).isEqualTo("Retain");
        assertThat(at(table, "Properties", "TableName")).isEqualTo("!Ref TableName");
        assertThat(at(template, "Parameters", "TableName", "Default")).isEqualTo(TABLE.tableName());
        assertThat(at(table, "Properties", "BillingMode")).isEqualTo(TABLE.billingModeAsString());
        assertThat(at(table, "Properties", "KeySchema"))
                .isEqualTo(TABLE.keySchema().stream()
                        .map(key -> Map.of("AttributeName", key.attributeName(), "KeyType", key.keyTypeAsString()))
                        .toList());
        assertThat(at(table, "Properties", "AttributeDefinitions"))
                .isEqualTo(TABLE.attributeDefinitions().stream()
                        .map(attribute -> Map.of(
                                "AttributeName",
                                attribute.attributeName(),
                                "AttributeType",
                                attribute.attributeTypeAsString()))
                        .toList());
        assertThat(at(table, "Properties", "TimeToLiveSpecification"))
                .isEqualTo(Map.of(
                        "AttributeName",
                        TableSchema.ttl().attributeName(),
                        "Enabled",
                        TableSchema.ttl().enabled()));
    }

    @Test
    void theTableForTerraform() throws Exception {
        Map<String, Object> file = new HCLParser().parse(new StringReader(read("leases-table.tf")));

        Object table = at(file, "resource", "aws_dynamodb_table", "leases");
        assertThat(at(file, "variable", "lease_table_name", "default")).isEqualTo(TABLE.tableName());
        assertThat(at(table, "billing_mode")).isEqualTo(BillingMode.PAY_PER_REQUEST.toString());
        assertThat(TABLE.billingMode()).isEqualTo(BillingMode.PAY_PER_REQUEST);
        assertThat(TABLE.keySchema()).hasSize(1);
        assertThat(at(table, "hash_key")).isEqualTo(TABLE.keySchema().get(0).attributeName());
        assertThat(TABLE.attributeDefinitions()).hasSize(1);
        assertThat(at(table, "attribute", "name"))
                .isEqualTo(TABLE.attributeDefinitions().get(0).attributeName());
        assertThat(at(table, "attribute", "type"))
                .isEqualTo(TABLE.attributeDefinitions().get(0).attributeTypeAsString());
        assertThat(at(table, "ttl", "attribute_name"))
                .isEqualTo(TableSchema.ttl().attributeName());
        assertThat(at(table, "ttl", "enabled")).isEqualTo(true);
        assertThat(at(table, "deletion_protection_enabled")).isEqualTo(true);
    }

    @SuppressWarnings("unchecked")
    private static Object at(Object root, String... path) {
        Object value = root;
        for (String name : path) {
            assertThat(value).as(name).isInstanceOf(Map.class);
            value = ((Map<String, Object>) value).get(name);
        }
        return value;
    }

    @Test
    void thePolicyAllowsWhatIsSentAndNothingElse() throws IOException {
        List<String> actions = JsonPath.read(read("leases-iam-policy.json"), "$.Statement[*].Action[*]");
        Set<String> allowed = Set.copyOf(actions);

        Set<String> sent = new TreeSet<>(Set.of(
                "dynamodb:ConditionCheckItem", // in transactions of users
                "dynamodb:PartiQLUpdate")); // in batches of renewals, whose statements are updates
        for (String source : List.of("DynamoDbLeaseStore", "LeaseTable", "TableTtl")) {
            Pattern.compile("\\bclient\\s*\\.([a-z]+[A-Za-z]+(?:Item|Table|Live))\\(|\\bclient\\s*\\.(scan|query)\\(")
                    .matcher(Files.readString(Path.of("src/main/java/io/leasekit/dynamodb/" + source + ".java")))
                    .results()
                    .map(call -> call.group(1) == null ? call.group(2) : call.group(1))
                    .forEach(call -> sent.add("dynamodb:" + Character.toUpperCase(call.charAt(0)) + call.substring(1)));
        }
        assertThat(allowed).containsExactlyInAnyOrderElementsOf(sent);
    }

    @Test
    void thePolicyBindsWhateverTouchesItemsToAPrefix() throws IOException {
        List<Map<String, Object>> statements = JsonPath.read(read("leases-iam-policy.json"), "$.Statement[*]");

        assertThat(statements)
                .allSatisfy(statement -> assertThat(statement).containsEntry("Effect", "Allow"))
                .allSatisfy(statement ->
                        assertThat(String.valueOf(statement.get("Resource"))).endsWith(":table/leases"))
                .filteredOn(statement ->
                        String.valueOf(statement.get("Action")).matches(".*(Item|PartiQL).*")) // a Scan cannot be
                .hasSizeGreaterThan(3)
                .allSatisfy(statement ->
                        assertThat(String.valueOf(statement.get("Condition"))).contains("dynamodb:LeadingKeys"));
    }

    /** The keys that the library uses itself, with and without the prefix of the policy. */
    @ParameterizedTest
    @CsvSource({
        Checks.TIME_KEY + ", GetItem",
        Checks.PAUSES_ITEM + ", GetItem UpdateItem",
        "my-application/" + Checks.PERMISSIONS_MARK + ", GetItem UpdateItem PartiQLUpdate DeleteItem",
        "my-application/import" + Checks.RUN_MARK + "17, GetItem UpdateItem",
        "my-application/import" + Checks.PERMIT_MARK + "2, GetItem UpdateItem PartiQLUpdate BatchGetItem",
    })
    void theKeysOfTheLibraryAreAllowed(String key, String actions) throws IOException {
        List<Map<String, Object>> statements = JsonPath.read(read("leases-iam-policy.json"), "$.Statement[*]");
        Set<String> allowed = statements.stream()
                .filter(statement -> allows(statement, key))
                .flatMap(statement -> ((List<?>) statement.get("Action")).stream())
                .map(String::valueOf)
                .collect(Collectors.toSet());

        assertThat(allowed)
                .containsAll(Stream.of(actions.split(" "))
                        .map(action -> "dynamodb:" + action)
                        .toList());
    }

    private static boolean allows(Map<String, Object> statement, String key) {
        List<String> patterns = JsonPath.read(statement, "$..['dynamodb:LeadingKeys'][*]");
        return patterns.stream()
                .anyMatch(pattern -> pattern.endsWith("*")
                        ? key.startsWith(pattern.substring(0, pattern.length() - 1))
                        : key.equals(pattern));
    }

    @Test
    void noStatementForASingleKeyOfTheLibraryAllowsOthers() throws IOException {
        List<Object> keys = JsonPath.read(
                read("leases-iam-policy.json"),
                "$.Statement[?(@.Sid in ['Time', 'Pauses'])].Condition['ForAllValues:StringLike']['dynamodb:LeadingKeys'][*]");

        assertThat(keys).containsExactly(Checks.TIME_KEY, Checks.PAUSES_ITEM);
    }

    @Test
    void thePagesExplainEachStatementOfThePolicy() throws IOException {
        List<String> statements = JsonPath.read(read("leases-iam-policy.json"), "$.Statement[*].Sid");
        String page = read("operations.md");

        assertThat(statements).allSatisfy(sid -> assertThat(page).contains("| `" + sid + "` |"));
    }

    @Test
    void thePageNamesTheSameActionsForEachStatement() throws IOException {
        Map<String, Set<String>> policy = new LinkedHashMap<>();
        List<Map<String, Object>> statements = JsonPath.read(read("leases-iam-policy.json"), "$.Statement[*]");
        statements.forEach(statement ->
                policy.put(String.valueOf(statement.get("Sid")), Set.copyOf((List<String>) statement.get("Action"))));
        Map<String, Set<String>> page = read("operations.md")
                .lines()
                .filter(line -> line.matches("\\| `[A-Za-z]+` \\| `dynamodb:.*"))
                .map(line -> line.replace("`", "").split("\\|"))
                .collect(Collectors.toMap(
                        cells -> cells[1].strip(),
                        cells -> Stream.of(cells[2].split(","))
                                .map(String::strip)
                                .collect(Collectors.toSet())));

        assertThat(page).isEqualTo(policy);
    }
}
