package io.leasekit.storm;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.dynamodb.local.DynamoDbLocalProcess;
import io.leasekit.dynamodb.local.LocalDynamoDb;
import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;

/** An import whose process is killed again and again applies each line exactly once. */
class ResumedImportIT {

    private static final String LINES = "lines";
    private static final int COUNT = Integer.getInteger("leasekit.import.lines", 2_000);
    private static final int KILLS = Integer.getInteger("leasekit.import.kills", 2);

    private final SplittableRandom random = new SplittableRandom();

    @TempDir
    Path folder;

    @Test
    void eachLineIsAppliedExactlyOnce() throws Exception {
        Path file = folder.resolve("lines.txt");
        Files.write(file, IntStream.range(0, COUNT).mapToObj(i -> "line-" + i).toList());
        try (DynamoDbLocalProcess database = DynamoDbLocalProcess.start();
                DynamoDbAsyncClient client =
                        LocalDynamoDb.clientBuilder(database.endpoint()).build()) {
            Tables.create(client);
            createLines(client);

            List<Integer> begins = new ArrayList<>();
            for (int kill = 0; kill < KILLS; kill++) {
                int most = COUNT * (kill + 1) / (KILLS + 1);
                begins.add(run(database, file, "node-" + kill, most - random.nextInt(COUNT / (KILLS + 1) / 2)));
            }
            begins.add(run(database, file, "last", Integer.MAX_VALUE));

            assertThat(begins).isSorted().startsWith(0);
            assertThat(begins.get(KILLS)).as("where the last process begins").isPositive();
            Map<String, String> times = times(client);
            assertThat(times).hasSize(COUNT);
            assertThat(times).allSatisfy((line, applied) -> assertThat(applied).isEqualTo("1"));
        }
    }

    private static void createLines(DynamoDbAsyncClient client) {
        client.createTable(table -> table.tableName(LINES)
                        .billingMode(BillingMode.PAY_PER_REQUEST)
                        .keySchema(key -> key.attributeName("key").keyType(KeyType.HASH))
                        .attributeDefinitions(key -> key.attributeName("key").attributeType(ScalarAttributeType.S)))
                .join();
    }

    /** Runs a process, and kills it once it has done so many lines; returns with how many it began. */
    private static int run(DynamoDbLocalProcess database, Path file, String owner, int killAt) throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx96m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ImportNode.class.getName(),
                        database.endpoint().toString(),
                        owner,
                        file.toString(),
                        LINES)
                .redirectErrorStream(true)
                .start();
        int begun = -1;
        try (BufferedReader output = process.inputReader()) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                String[] words = line.split(" ");
                if (words[0].equals(ImportNode.BEGINS)) {
                    begun = Integer.parseInt(words[1]);
                } else if (words[0].equals(ImportNode.DONE) && Integer.parseInt(words[1]) >= killAt) {
                    process.destroyForcibly(); // while the next transaction is under way
                    break;
                }
            }
        } finally {
            process.destroyForcibly().waitFor();
        }
        assertThat(begun).as("begin of " + owner).isNotNegative();
        return begun;
    }

    private static Map<String, String> times(DynamoDbAsyncClient client) {
        Map<String, String> times = new HashMap<>();
        client.scanPaginator(scan -> scan.tableName(LINES))
                .items()
                .subscribe(item -> times.put(
                        item.get("key").s(),
                        item.getOrDefault("times", AttributeValue.fromN("0")).n()))
                .join();
        return times;
    }
}
