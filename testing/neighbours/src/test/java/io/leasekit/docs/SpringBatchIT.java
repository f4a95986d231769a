package io.leasekit.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.dynamodb.LeaseTable;
import io.leasekit.dynamodb.local.LocalDynamoDb;
import java.io.IOException;
import java.sql.Timestamp;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.LongStream;
import org.h2.tools.Server;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.core.io.ClassPathResource;
import org.springframework.dao.support.DataAccessUtils;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** The job of docs/coming-from.md in processes that are killed or stopped, with Spring Batch's job repository in H2. */
@Timeout(600)
class SpringBatchIT {

    private static final Duration TTL = Duration.ofSeconds(5); // kept by heartbeats also on a busy machine

    private final String table = "batch-" + UUID.randomUUID();
    private Server server;
    private String url;
    private JdbcTemplate jdbc;

    @BeforeEach
    void createTables() throws Exception {
        server = Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
        url = "jdbc:h2:tcp://localhost:" + server.getPort() + "/mem:" + table + ";DB_CLOSE_DELAY=-1";
        DriverManagerDataSource database = new DriverManagerDataSource(url);
        new ResourceDatabasePopulator(new ClassPathResource("org/springframework/batch/core/schema-h2.sql"))
                .execute(database);
        jdbc = new JdbcTemplate(database);
        jdbc.execute(SpringBatchExamples.FENCE);
        jdbc.execute(SpringBatchExamples.ITEMS);
        jdbc.update("insert into import_fence values (0)");
        try (DynamoDbAsyncClient client = LocalDynamoDb.clientBuilder().build()) {
            LeaseTable.of(client, table).createIfMissing();
        }
    }

    @AfterEach
    void stopServer() {
        jdbc.execute("shutdown immediately");
        server.stop();
    }

    private BatchProcess start(String... properties) throws IOException {
        return BatchProcess.start(table, TTL, url, properties);
    }

    @Test
    void aWaitingNodeRecoversAndRestartsTheExecutionOfAKilledOne() throws Exception {
        try (BatchProcess killed = start("node.pause-at=5", "node.pause=10m")) {
            killed.await("Paused at item 5");
            try (BatchProcess next = start("node.without-lease=true")) {
                next.await("Refused: JobExecutionAlreadyRunningException"); // nor would it restart after the crash
                assertThat(executions()).extracting("status").containsExactly("STARTED");

                killed.signal("KILL");
                next.await("Done");
            }
        }

        assertTakenOver();
    }

    @Test
    void aStoppedNodeThatContinuesWritesNothing() throws Exception {
        try (BatchProcess stopped = start("node.pause-at=5", "node.pause=20s")) {
            stopped.await("Paused at item 5");
            stopped.signal("STOP");
            try (BatchProcess next = start()) {
                next.await("Done");
            }
            assertTakenOver();

            stopped.signal("CONT");
            stopped.await("A newer lease of the import has begun");
            stopped.await("Ended: ");
        }

        assertTakenOver();
    }

    /** Asserts that the first execution wrote one chunk, and the second one began after its end and wrote the rest. */
    private void assertTakenOver() {
        assertThat(executions()).extracting("status").containsExactly("FAILED", "COMPLETED");
        assertThat((Timestamp) executions().get(1).get("start_time"))
                .isAfterOrEqualTo((Timestamp) executions().get(0).get("end_time"));
        assertThat(numbers("select item from imported order by item"))
                .containsExactlyElementsOf(
                        LongStream.rangeClosed(1, BatchNode.ITEMS).boxed().toList());
        long first = number("select distinct token from imported where item <= 3");
        long second = number("select distinct token from imported where item > 3");
        assertThat(second).isGreaterThan(first);
        assertThat(number("select token from import_fence")).isEqualTo(second);
    }

    private List<Map<String, Object>> executions() {
        return jdbc.queryForList(
                "select status, start_time, end_time from batch_job_execution order by job_execution_id");
    }

    private List<Long> numbers(String query) {
        return jdbc.queryForList(query, Long.class);
    }

    private long number(String query) {
        return DataAccessUtils.requiredSingleResult(numbers(query));
    }
}
