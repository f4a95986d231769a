package io.leasekit.docs;

import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import java.time.LocalDate;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.job.JobExecutionException;
import org.springframework.batch.core.job.parameters.JobParameters;
import org.springframework.batch.core.job.parameters.JobParametersBuilder;
import org.springframework.batch.core.launch.JobOperator;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.infrastructure.item.ItemWriter;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;

/** The Java examples of docs/coming-from.md, each between a line {@code // <name>} and a line {@code // end}. */
class SpringBatchExamples {

    static final String FENCE = "create table import_fence (token bigint)";
    static final String ITEMS = "create table imported (item int, token bigint)";

    private final Job job;
    private final JobRepository repository;
    private final JobOperator operator;
    private final JdbcTemplate jdbc;

    SpringBatchExamples(Job job, JobRepository repository, JobOperator operator, JdbcTemplate jdbc) {
        this.job = job;
        this.repository = repository;
        this.operator = operator;
        this.jdbc = jdbc;
    }

    // launch
    @DistributedLease(key = "import", once = "#{#day}", waitFor = "unlimited")
    public void run(LocalDate day) throws JobExecutionException {
        Writer.fence(jdbc);
        JobParameters parameters =
                new JobParametersBuilder().addLocalDate("day", day).toJobParameters();
        JobExecution last = repository.getLastJobExecution(job.getName(), parameters);
        if (last != null && last.isRunning()) {
            operator.recover(last); // this node has the lease, so the node of that execution has lost it
        }
        JobExecution execution = operator.start(job, parameters); // continues after the last committed chunk
        if (execution.getStatus() != BatchStatus.COMPLETED) { // a job that fails does not throw
            throw new JobExecutionException("Import of " + day + " ended as " + execution.getStatus());
        }
    }
    // end

    static class Writer {
        // writer
        @Bean
        ItemWriter<Integer> writer(JdbcTemplate jdbc) {
            return chunk -> {
                fence(jdbc); // in the transaction of the chunk
                chunk.forEach(item -> insert(jdbc, item));
            };
        }

        static void fence(JdbcTemplate jdbc) {
            long token = LeaseContext.current().fencingToken();
            if (jdbc.update("update import_fence set token = ? where token <= ?", token, token) == 0) {
                throw new IllegalStateException("A newer lease of the import has begun");
            }
        }
        // end
    }

    private static void insert(JdbcTemplate jdbc, int item) {
        jdbc.update(
                "insert into imported values (?, ?)",
                item,
                LeaseContext.current().fencingToken());
    }
}
