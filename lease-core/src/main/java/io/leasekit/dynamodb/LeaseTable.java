package io.leasekit.dynamodb;

import io.leasekit.LeaseInterruptedException;
import io.leasekit.LeaseStoreException;
import io.leasekit.store.StoreReply.FailureKind;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.awscore.AwsRequestOverrideConfiguration;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.waiters.WaiterOverrideConfiguration;
import software.amazon.awssdk.retries.api.BackoffStrategy;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.CreateTableRequest;
import software.amazon.awssdk.services.dynamodb.model.DescribeTableRequest;
import software.amazon.awssdk.services.dynamodb.model.DescribeTableResponse;
import software.amazon.awssdk.services.dynamodb.model.DescribeTimeToLiveRequest;
import software.amazon.awssdk.services.dynamodb.model.DescribeTimeToLiveResponse;
import software.amazon.awssdk.services.dynamodb.model.ResourceInUseException;
import software.amazon.awssdk.services.dynamodb.model.ResourceNotFoundException;
import software.amazon.awssdk.services.dynamodb.model.TableDescription;
import software.amazon.awssdk.services.dynamodb.model.TableStatus;
import software.amazon.awssdk.services.dynamodb.model.TimeToLiveDescription;
import software.amazon.awssdk.services.dynamodb.model.UpdateTimeToLiveRequest;

/**
 * The table of leases: makes it, and checks one that is there.
 *
 * <p>The methods block: {@link #verify} for as long as two requests take that are sent together, 5 s each at most, {@link #createIfMissing} also until
 * the table is active, a minute at most. They are meant for the start of an application. What is wrong with a table for good is
 * a {@link LeaseTableException}, whose text has the cure; a table that could not be reached is a {@link LeaseStoreException}.
 *
 * <p>The client stays its maker's to close. Thread-safe; two processes may create the same table at once.
 */
public final class LeaseTable {

    private static final Logger log = LoggerFactory.getLogger(LeaseTable.class);
    private static final Duration REQUEST = Duration.ofSeconds(5);
    private static final Duration UNTIL_ACTIVE = Duration.ofMinutes(1);
    private static final Duration LOOK_EVERY = Duration.ofMillis(500);
    private static final Duration MARGIN = Duration.ofSeconds(5);

    private final DynamoDbAsyncClient client;
    private final String table;
    private final TableSchema schema;

    private LeaseTable(DynamoDbAsyncClient client, String table) {
        this.client = client;
        this.table = table;
        this.schema = new TableSchema(table);
    }

    /** Returns the table with this name, which need not exist. Sends nothing. */
    public static LeaseTable of(DynamoDbAsyncClient client, String table) {
        return new LeaseTable(client, table);
    }

    /**
     * Creates the table if it is not there: billed by request, with item TTL, without tags; and waits until it is active. A
     * table that is there with the right key and without any item TTL gets it; it is not changed otherwise. Needs the
     * permissions {@code dynamodb:DescribeTable}, {@code CreateTable}, {@code DescribeTimeToLive} and
     * {@code UpdateTimeToLive}.
     *
     * @throws LeaseTableException if the table cannot keep leases, or may not be created
     * @throws LeaseStoreException if the table could not be reached, or did not become active in time
     * @throws LeaseInterruptedException if the thread is interrupted while it waits
     */
    public void createIfMissing() {
        fail(schema.problem(active(describe().orElseGet(this::create))));
        enableTtl();
    }

    /**
     * Checks the table: that its replies tell the time, its key, that it has no eventually consistent replicas, its item TTL. Waits for a table that is being
     * created. Without the permission {@code dynamodb:DescribeTimeToLive} the item TTL is not checked, with a warning: leases
     * are safe without it, but released items stay for ever.
     *
     * @throws LeaseTableException if the table is absent, cannot keep leases, or may not be described
     * @throws LeaseStoreException if the table could not be reached, or did not become active in time
     * @throws LeaseInterruptedException if the thread is interrupted while it waits
     */
    public void verify() {
        CompletableFuture<Optional<DescribeTableResponse>> described = sendDescribe();
        CompletableFuture<TimeToLiveDescription> ttl = sendDescribeTtl(); // at once: both take one round trip
        TableDescription description =
                described(described).orElseThrow(() -> new LeaseTableException(schema.absent(), null));
        boolean known =
                description.tableStatus() != TableStatus.CREATING; // who creates a table sets its item TTL later
        fail(schema.problem(active(description)));
        try {
            fail(schema.problem(known ? awaitTtl(ttl) : describeTtl()));
        } catch (LeaseTableException e) {
            if (!isAccessDenied(e.getCause())) {
                throw e;
            }
            log.warn(
                    "Item TTL of table '{}' could not be checked, expected it on '{}': {}",
                    table,
                    Attributes.EXPIRY,
                    e.getMessage());
        }
    }

    private static void fail(Optional<String> problem) {
        problem.ifPresent(text -> {
            throw new LeaseTableException(text, null);
        });
    }

    private Optional<TableDescription> describe() {
        return described(sendDescribe());
    }

    private CompletableFuture<Optional<DescribeTableResponse>> sendDescribe() {
        DescribeTableRequest request = DescribeTableRequest.builder()
                .tableName(table)
                .overrideConfiguration(bounded())
                .build();
        return client.describeTable(request).thenApply(LeaseTable::checked).exceptionally(error -> {
            if (Failures.unwrap(error) instanceof ResourceNotFoundException) {
                return Optional.empty();
            }
            throw Failures.rethrown(error);
        });
    }

    private Optional<TableDescription> described(CompletableFuture<Optional<DescribeTableResponse>> reply) {
        Optional<DescribeTableResponse> described = await(reply, "DescribeTable");
        described.ifPresent(this::checkDate);
        return described.map(DescribeTableResponse::table);
    }

    private static Optional<DescribeTableResponse> checked(DescribeTableResponse reply) {
        if (reply.table() == null) {
            throw Replies.notFromDynamoDb();
        }
        return Optional.of(reply);
    }

    /** Leases go by the time that replies tell (protocol 4.2). */
    private void checkDate(DescribeTableResponse reply) {
        if (Replies.date(reply.sdkHttpResponse()) == null) {
            throw new LeaseTableException(
                    "Reply for table '" + table + "' carries no 'Date' with an 'x-amzn-RequestId', expected DynamoDB's"
                            + " time in each reply: leases cannot be kept there; let proxies pass both headers on",
                    null);
        }
    }

    private TableDescription create() {
        CreateTableRequest request = schema.createTable().toBuilder()
                .overrideConfiguration(bounded())
                .build();
        try {
            TableDescription created =
                    await(client.createTable(request), "CreateTable").tableDescription();
            log.info("Table '{}' is being created for leases", table);
            return created;
        } catch (LeaseTableException e) {
            if (e.getCause() instanceof ResourceInUseException) {
                return whenActive(); // another process is creating it
            }
            throw e;
        }
    }

    private TableDescription active(TableDescription description) {
        return description.tableStatus() == TableStatus.CREATING ? whenActive() : description;
    }

    private TableDescription whenActive() {
        WaiterOverrideConfiguration patience = WaiterOverrideConfiguration.builder()
                .backoffStrategyV2(BackoffStrategy.fixedDelayWithoutJitter(LOOK_EVERY))
                .maxAttempts((int) UNTIL_ACTIVE.dividedBy(LOOK_EVERY))
                .waitTimeout(UNTIL_ACTIVE)
                .build();
        DescribeTableRequest request =
                DescribeTableRequest.builder().tableName(table).build();
        return await(client.waiter().waitUntilTableExists(request, patience), "DescribeTable", UNTIL_ACTIVE)
                .matched()
                .response()
                .map(DescribeTableResponse::table)
                .orElseThrow();
    }

    private TimeToLiveDescription describeTtl() {
        return awaitTtl(sendDescribeTtl());
    }

    private CompletableFuture<TimeToLiveDescription> sendDescribeTtl() {
        DescribeTimeToLiveRequest request = DescribeTimeToLiveRequest.builder()
                .tableName(table)
                .overrideConfiguration(bounded())
                .build();
        return client.describeTimeToLive(request).thenApply(LeaseTable::description);
    }

    private TimeToLiveDescription awaitTtl(CompletableFuture<TimeToLiveDescription> reply) {
        return await(reply, "DescribeTimeToLive");
    }

    private static TimeToLiveDescription description(DescribeTimeToLiveResponse reply) {
        if (reply.timeToLiveDescription() == null) {
            throw Replies.notFromDynamoDb();
        }
        return reply.timeToLiveDescription();
    }

    private void enableTtl() {
        if (!TableSchema.isOff(describeTtl())) {
            return; // verify() says if it is on another attribute
        }
        UpdateTimeToLiveRequest request = UpdateTimeToLiveRequest.builder()
                .tableName(table)
                .timeToLiveSpecification(TableSchema.ttl())
                .overrideConfiguration(bounded())
                .build();
        try {
            await(client.updateTimeToLive(request), "UpdateTimeToLive");
        } catch (LeaseTableException e) {
            if (TableSchema.isOff(describeTtl())) {
                throw e; // else another process was faster
            }
        }
    }

    private static AwsRequestOverrideConfiguration bounded() {
        return AwsRequestOverrideConfiguration.builder().apiCallTimeout(REQUEST).build();
    }

    private <T> T await(CompletableFuture<T> reply, String operation) {
        return await(reply, operation, REQUEST);
    }

    private <T> T await(CompletableFuture<T> reply, String operation, Duration patience) {
        try {
            return reply.get(patience.plus(MARGIN).toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            throw interrupted(e);
        } catch (ExecutionException e) {
            throw failure(operation, Failures.unwrap(e));
        } catch (TimeoutException e) {
            throw new LeaseStoreException("No reply for table '" + table + "' within " + patience, e);
        }
    }

    private RuntimeException failure(String operation, Throwable error) {
        InterruptedException interrupt = Failures.find(error, InterruptedException.class);
        if (interrupt != null) {
            return interrupted(interrupt); // the SDK has cleared the interrupt
        }
        String text = operation + " of table '" + table + "' failed: " + error.getMessage();
        if (Failures.kind(error, false) != FailureKind.REJECTED) {
            return new LeaseStoreException(text, error);
        }
        String cure = isAccessDenied(error) ? ", expected the permission dynamodb:" + operation : "";
        return new LeaseTableException(text + cure, error);
    }

    private LeaseInterruptedException interrupted(InterruptedException interrupt) {
        Thread.currentThread().interrupt();
        return new LeaseInterruptedException("Interrupted while waiting for table '" + table + "'", interrupt);
    }

    private static boolean isAccessDenied(@Nullable Throwable error) {
        AwsErrorDetails details = error instanceof AwsServiceException reply ? reply.awsErrorDetails() : null;
        return details != null && "AccessDeniedException".equals(details.errorCode());
    }
}
