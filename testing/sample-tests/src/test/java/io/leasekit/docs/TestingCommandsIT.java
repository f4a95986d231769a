package io.leasekit.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** The command of docs/testing.md that starts DynamoDB Local. */
@Tag("full")
class TestingCommandsIT {

    private static final Pattern COMMAND = Pattern.compile("(?m)^```\n(testing/dynamodb-local/run)\n```$");
    private static final Pattern READY = Pattern.compile("DynamoDB Local is ready on port (\\d+)");

    @Test
    @Timeout(600)
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "the command is a shell script")
    void theCommandStartsTheDatabaseOnTheLoopbackAddress() throws Exception {
        Matcher command = COMMAND.matcher(DocumentPages.read(DocumentPages.DOCS.resolve("testing.md")));
        assertThat(command.find()).isTrue();

        ProcessBuilder builder = new ProcessBuilder(List.of(
                        DocumentPages.ROOT.resolve(command.group(1)).toString(),
                        "--port=0")) // not 8000: it may be taken
                .redirectErrorStream(true);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.start();
        try (BufferedReader output = process.inputReader()) {
            HttpResponse<String> reply =
                    HttpClient.newHttpClient().send(listTables(port(output)), BodyHandlers.ofString());

            assertThat(reply.statusCode()).isEqualTo(200);
            assertThat(reply.body()).contains("TableNames");
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    private static String port(BufferedReader output) throws Exception {
        StringBuilder seen = new StringBuilder();
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            Matcher ready = READY.matcher(line);
            if (ready.find()) {
                return ready.group(1);
            }
            seen.append(line).append('\n');
        }
        throw new AssertionError("The command has ended: " + seen);
    }

    private static HttpRequest listTables(String port) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port))
                .header("X-Amz-Target", "DynamoDB_20120810.ListTables")
                .header("Content-Type", "application/x-amz-json-1.0")
                .header(
                        "Authorization",
                        "AWS4-HMAC-SHA256 Credential=local/20261125/us-east-1/dynamodb/aws4_request,"
                                + " SignedHeaders=host, Signature=0")
                .POST(HttpRequest.BodyPublishers.ofString("{}"))
                .build();
    }
}
