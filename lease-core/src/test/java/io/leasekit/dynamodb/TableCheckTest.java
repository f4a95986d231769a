package io.leasekit.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.spi.ILoggingEvent;
import io.leasekit.LeaseInterruptedException;
import io.leasekit.LeaseStoreException;
import io.leasekit.engine.BrokenLogger;
import io.leasekit.engine.LogLines;
import io.leasekit.time.EngineTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.http.SdkHttpResponse;

/** The background check in virtual time. Jitter is 1, so pauses are 1, 2, 4, 8, 16 and 30 s. */
class TableCheckTest {

    @RegisterExtension
    private final LogLines log = new LogLines(TableCheck.class.getName());

    private final Time time = new Time();
    private final Deque<Supplier<LeaseTableKind>> outcomes = new ArrayDeque<>();
    private final List<Duration> checkedAt = new ArrayList<>();
    private boolean executorIsFull;
    private int freed;

    private final TableCheck check = new TableCheck(
            "leases",
            () -> {
                checkedAt.add(Duration.ofNanos(time.nanos));
                return (outcomes.size() > 1 ? outcomes.remove() : outcomes.element()).get();
            },
            time,
            this::execute,
            () -> 1,
            () -> freed++);

    private void execute(Runnable task) {
        if (executorIsFull) {
            throw new RejectedExecutionException("No thread");
        }
        task.run();
    }

    private static LeaseTableKind away() {
        throw new LeaseStoreException("Connection refused", null);
    }

    private static LeaseTableKind wrong() {
        throw new LeaseTableException("Wrong key", null);
    }

    private static LeaseTableKind broken() {
        throw new NoClassDefFoundError("gone");
    }

    private static LeaseTableKind right() {
        return LeaseTableKind.REGIONAL;
    }

    @Test
    void oneCheckIsEnoughForARightTable() {
        outcomes.add(TableCheckTest::right);

        check.begin();
        time.advance(Duration.ofHours(1));

        assertThat(check.state()).isEqualTo(new TableCheck.Usable(LeaseTableKind.REGIONAL));
        assertThat(checkedAt).hasSize(1);
        assertThat(freed).isOne();
    }

    @Test
    void aWrongTableIsRefusedAtTheStart() {
        outcomes.add(TableCheckTest::wrong);

        assertThatThrownBy(check::begin).isInstanceOf(LeaseTableException.class).hasMessage("Wrong key");
        time.advance(Duration.ofHours(1));

        assertThat(checkedAt).hasSize(1);
        assertThat(freed).isOne();
    }

    @Test
    void anInterruptEndsTheStart() {
        outcomes.add(() -> {
            throw new LeaseInterruptedException("Interrupted", new InterruptedException());
        });

        assertThatThrownBy(check::begin).isInstanceOf(LeaseInterruptedException.class);
        assertThat(freed).isOne();
    }

    @Test
    void anOutageIsWaitedOutWithGrowingPauses() {
        outcomes.add(TableCheckTest::away);

        check.begin();
        time.advance(Duration.ofSeconds(100));

        assertThat(check.state()).isInstanceOf(TableCheck.Unknown.class);
        assertThat(checkedAt).extracting(Duration::toSeconds).containsExactly(0L, 1L, 3L, 7L, 15L, 31L, 61L, 91L);
        outcomes.add(TableCheckTest::right);
        time.advance(Duration.ofSeconds(60));
        assertThat(check.state()).isInstanceOf(TableCheck.Usable.class);
        assertThat(freed).isOne();
    }

    @Test
    void anErrorIsNoVerdict() {
        outcomes.add(TableCheckTest::broken);
        outcomes.add(TableCheckTest::right);

        check.begin();
        assertThat(check.state()).isInstanceOf(TableCheck.Unknown.class);
        time.advance(Duration.ofSeconds(1));

        assertThat(check.state()).isInstanceOf(TableCheck.Usable.class);
    }

    @Test
    void aCheckThatCannotBeStartedIsStartedLater() {
        outcomes.add(TableCheckTest::away);
        outcomes.add(TableCheckTest::right);
        check.begin();

        executorIsFull = true;
        time.advance(Duration.ofSeconds(2));
        executorIsFull = false;
        time.advance(Duration.ofSeconds(2));

        assertThat(check.state()).isInstanceOf(TableCheck.Usable.class);
    }

    @Test
    void aCallerHurriesTheCheckButNotMoreThanOnceASecond() {
        outcomes.add(TableCheckTest::away);
        check.begin();
        time.advance(Duration.ofSeconds(40));
        checkedAt.clear();

        for (int i = 0; i < 25; i++) {
            check.hurry();
            time.advance(Duration.ofMillis(100));
        }

        assertThat(checkedAt).extracting(Duration::toMillis).containsExactly(40_000L, 41_000L, 42_000L);
    }

    @Test
    void aTableRefusedInTheBackgroundStaysRefusedUntilItIsCorrected() {
        outcomes.add(TableCheckTest::away);
        outcomes.add(TableCheckTest::wrong);
        outcomes.add(TableCheckTest::away);
        check.begin();

        time.advance(Duration.ofSeconds(1));
        assertThat(check.state()).isInstanceOf(TableCheck.Refused.class);
        time.advance(Duration.ofSeconds(60));
        assertThat(check.state()).as("an outage changes no verdict").isInstanceOf(TableCheck.Refused.class);

        outcomes.add(TableCheckTest::right);
        time.advance(Duration.ofSeconds(60));
        assertThat(check.state()).isInstanceOf(TableCheck.Usable.class);
    }

    static AwsServiceException expiredToken() {
        return expiredToken("The security token included in the request is expired");
    }

    private static AwsServiceException expiredToken(String message) {
        return AwsServiceException.builder()
                .statusCode(400)
                .awsErrorDetails(AwsErrorDetails.builder()
                        .serviceName("DynamoDb")
                        .errorCode("ExpiredTokenException")
                        .errorMessage(message)
                        .sdkHttpResponse(SdkHttpResponse.builder()
                                .statusCode(400)
                                .putHeader("x-amzn-RequestId", "1")
                                .build())
                        .build())
                .build();
    }

    private static LeaseTableKind refusedCredentials() {
        return new TableCalls("leases").await(CompletableFuture.failedFuture(expiredToken()), "DescribeTable");
    }

    @Test
    void refusedCredentialsStopTheStart() {
        outcomes.add(TableCheckTest::refusedCredentials);

        assertThatThrownBy(check::begin)
                .isInstanceOf(LeaseTableException.class)
                .hasMessageStartingWith("DescribeTable of table 'leases' failed: The AWS credentials have expired");
    }

    @Test
    void refusedCredentialsInTheBackgroundRefuseNoTableAndAreLoggedOnce() {
        outcomes.add(TableCheckTest::away);
        outcomes.add(TableCheckTest::refusedCredentials);
        check.begin();

        time.advance(Duration.ofSeconds(100));

        assertThat(check.state()).isInstanceOf(TableCheck.Unknown.class);
        String unchecked =
                "Table 'leases' could not be checked; calls that need a lease fail until it can be checked: ";
        assertThat(log.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .satisfiesExactly(
                        outage -> assertThat(outage).isEqualTo(unchecked + "Connection refused"),
                        refusal -> assertThat(refusal)
                                .startsWith(unchecked)
                                .contains(
                                        "The AWS credentials have expired (ExpiredTokenException), expected a source"));
        outcomes.add(TableCheckTest::right);
        time.advance(Duration.ofSeconds(60));
        assertThat(check.state()).isEqualTo(new TableCheck.Usable(LeaseTableKind.REGIONAL));
    }

    @Test
    void soDoThoseThatAreRefusedWithATextThatCouldForgeALine() {
        outcomes.add(TableCheckTest::away);
        outcomes.add(() -> new TableCalls("leases")
                .await(CompletableFuture.failedFuture(expiredToken("no\nERROR forged line")), "DescribeTable"));
        check.begin();

        time.advance(Duration.ofSeconds(100));

        assertThat(check.state()).isInstanceOf(TableCheck.Unknown.class);
    }

    @Test
    void aLoggerThatBreaksKeepsNoCheckFromItsStartAndItsEnd() {
        outcomes.add(TableCheckTest::away);
        outcomes.add(TableCheckTest::right);

        BrokenLogger.during(() -> {
            check.begin();
            time.advance(Duration.ofSeconds(1));
        });

        assertThat(check.state()).isInstanceOf(TableCheck.Usable.class);
        assertThat(freed).isOne();
    }

    @Test
    void nothingIsCheckedAfterTheClose() {
        outcomes.add(TableCheckTest::away);
        check.begin();
        checkedAt.clear();

        check.close();
        check.close();
        check.hurry();
        time.advance(Duration.ofHours(1));

        assertThat(checkedAt).isEmpty();
        assertThat(freed).isOne();
    }

    /** Tasks run in the order of their times, when the test advances the time. */
    static final class Time implements EngineTime {

        private record Task(long due, Runnable action) {}

        private final PriorityQueue<Task> tasks = new PriorityQueue<>(Comparator.comparingLong(Task::due));
        private long nanos;

        void advance(Duration duration) {
            long end = nanos + duration.toNanos();
            for (Task next = tasks.peek(); next != null && next.due <= end; next = tasks.peek()) {
                tasks.remove();
                nanos = next.due;
                next.action.run();
            }
            nanos = end;
        }

        @Override
        public long nanos() {
            return nanos;
        }

        @Override
        public long wallMillis() {
            return now().toEpochMilli();
        }

        Instant now() {
            return Instant.ofEpochSecond(1_800_000_000L).plusNanos(nanos);
        }

        @Override
        public Timer schedule(long delayNanos, Runnable task) {
            Task waiting = new Task(nanos + delayNanos, task);
            tasks.add(waiting);
            return () -> tasks.remove(waiting);
        }
    }
}
