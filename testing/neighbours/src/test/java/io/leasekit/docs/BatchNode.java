package io.leasekit.docs;

import io.leasekit.LeaseLostException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.LocalDate;
import javax.sql.DataSource;
import org.springframework.batch.core.configuration.annotation.EnableBatchProcessing;
import org.springframework.batch.core.configuration.annotation.EnableJdbcJobRepository;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.job.JobExecutionException;
import org.springframework.batch.core.job.builder.JobBuilder;
import org.springframework.batch.core.job.parameters.JobParametersBuilder;
import org.springframework.batch.core.launch.JobOperator;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.step.Step;
import org.springframework.batch.core.step.builder.StepBuilder;
import org.springframework.batch.infrastructure.item.ItemProcessor;
import org.springframework.batch.infrastructure.item.ItemWriter;
import org.springframework.batch.infrastructure.item.database.JdbcCursorItemReader;
import org.springframework.batch.infrastructure.item.database.builder.JdbcCursorItemReaderBuilder;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * A process that runs the job of docs/coming-from.md once: ten items in chunks of three. It ends with the process of the
 * test.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@EnableBatchProcessing
@EnableJdbcJobRepository
@Import({SpringBatchExamples.class, SpringBatchExamples.Writer.class})
class BatchNode {

    static final int ITEMS = 10;
    private static final int CHUNK = 3;
    private static final LocalDate DAY = LocalDate.of(2026, 11, 26);

    public static void main(String[] args) {
        endWithParent();
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(BatchNode.class).run(args)) {
            if (context.getEnvironment().getProperty("node.without-lease", boolean.class, false)) {
                startWithoutLease(context);
            }
            context.getBean(SpringBatchExamples.class).run(DAY);
            System.out.println("Done");
        } catch (JobExecutionException | LeaseLostException e) {
            System.out.println("Ended: " + e.getMessage());
        }
    }

    private static void startWithoutLease(ConfigurableApplicationContext context) {
        try {
            context.getBean(JobOperator.class)
                    .start(
                            context.getBean(Job.class),
                            new JobParametersBuilder().addLocalDate("day", DAY).toJobParameters());
        } catch (JobExecutionException e) {
            System.out.println("Refused: " + e.getClass().getSimpleName());
        }
    }

    private static void endWithParent() {
        Thread thread = new Thread(
                () -> {
                    try {
                        System.in.transferTo(OutputStream.nullOutputStream());
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    } finally {
                        Runtime.getRuntime().halt(1);
                    }
                },
                "node-parent");
        thread.setDaemon(true);
        thread.start();
    }

    @Bean
    DataSource dataSource(@Value("${node.database}") String url) {
        return new DriverManagerDataSource(url);
    }

    @Bean
    PlatformTransactionManager transactionManager(DataSource database) {
        return new JdbcTransactionManager(database);
    }

    @Bean
    JdbcTemplate jdbcTemplate(DataSource database) {
        return new JdbcTemplate(database);
    }

    @Bean
    Job importJob(JobRepository repository, Step importStep) {
        return new JobBuilder("import", repository).start(importStep).build();
    }

    @Bean
    Step importStep(
            JobRepository repository,
            PlatformTransactionManager transactions,
            JdbcCursorItemReader<Integer> reader,
            ItemProcessor<Integer, Integer> processor,
            ItemWriter<Integer> writer) {
        return new StepBuilder("import", repository)
                .<Integer, Integer>chunk(CHUNK)
                .transactionManager(transactions)
                .reader(reader)
                .processor(processor)
                .writer(writer)
                .build();
    }

    @Bean
    JdbcCursorItemReader<Integer> reader(DataSource database) {
        return new JdbcCursorItemReaderBuilder<Integer>()
                .name("items")
                .dataSource(database)
                .sql("select x from system_range(1, " + ITEMS + ") order by x")
                .rowMapper((row, number) -> row.getInt(1))
                .build();
    }

    /** Pauses at one item, in the transaction of its chunk, but before the chunk has written. */
    @Bean
    ItemProcessor<Integer, Integer> processor(
            @Value("${node.pause-at:0}") int pauseAt, @Value("${node.pause:0s}") Duration pause) {
        return item -> {
            if (item == pauseAt) {
                System.out.println("Paused at item " + item);
                Thread.sleep(pause.toMillis());
            }
            return item;
        };
    }
}
