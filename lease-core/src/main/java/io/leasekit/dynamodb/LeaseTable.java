package io.leasekit.dynamodb;

import io.leasekit.LeaseInterruptedException;
import io.leasekit.LeaseStoreException;
import io.leasekit.limits.Checks;
import io.leasekit.text.Text;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.core.waiters.WaiterOverrideConfiguration;
import software.amazon.awssdk.retries.api.BackoffStrategy;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbServiceClientConfiguration;
import software.amazon.awssdk.services.dynamodb.model.CreateTableRequest;
import software.amazon.awssdk.services.dynamodb.model.DescribeTableRequest;
import software.amazon.awssdk.services.dynamodb.model.DescribeTableResponse;
import software.amazon.awssdk.services.dynamodb.model.ResourceInUseException;
import software.amazon.awssdk.services.dynamodb.model.ResourceNotFoundException;
import software.amazon.awssdk.services.dynamodb.model.TableDescription;
import software.amazon.awssdk.services.dynamodb.model.TableStatus;
import software.amazon.awssdk.services.dynamodb.model.TimeToLiveDescription;

/**
 * Creates and checks the table of leases.
 *
 * <p>The methods of this class block, so call them when an application starts. {@link #verify} sends two requests at
 * the same time, which take 5 s at most. {@link #createIfMissing} waits until the table is active, for one minute at
 * most. If the table cannot be reached, {@code verify} and {@code createIfMissing} make up to four attempts, with
 * delays of 1.3 s in all. A {@link LeaseTableException} reports a permanent problem and its fix. A
 * {@link LeaseStoreException} reports that all attempts failed. {@link CheckedStore} makes only one attempt when it is
 * opened, and repeats a failed attempt in the background.
 *
 * <p>The methods of this class do not close the client. Two processes can safely create the same table at the same
 * time. Thread-safe.
 */
public final class LeaseTable {

    private static final Logger log = LoggerFactory.getLogger(LeaseTable.class);
    private static final Duration UNTIL_ACTIVE = Duration.ofMinutes(1);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(500);

    private final DynamoDbAsyncClient client;
    private final String table;
    private final boolean repeats;
    private final TableSchema schema;
    private final TableCalls calls;
    private final TableTtl ttl;
    private final AtomicBoolean warnedOfTtl = new AtomicBoolean();

    private LeaseTable(DynamoDbAsyncClient client, String table, boolean repeats) {
        this.client = client;
        this.table = table;
        this.repeats = repeats;
        this.schema = new TableSchema(table);
        this.calls = new TableCalls(table);
        this.ttl = new TableTtl(client, table, calls);
    }

    /**
     * Returns the table with this name, which need not exist. Sends no request.
     *
     * @throws IllegalArgumentException if the name is blank or an ARN
     */
    public static LeaseTable of(DynamoDbAsyncClient client, String table) {
        Checks.table(table);
        return new LeaseTable(client, table, true);
    }

    /** Returns a table whose methods make only one attempt, because the caller itself repeats failed checks. */
    static LeaseTable once(DynamoDbAsyncClient client, String table) {
        return new LeaseTable(client, table, false);
    }

    /**
     * Creates the table if it does not exist, with on-demand billing, with item TTL and without tags. Waits until the
     * table is active. Enables the item TTL of an existing table with the right key, if its {@link LeaseTableKind} has
     * item TTL. Apart from item TTL, changes nothing in an existing table. This method needs the permissions
     * {@code dynamodb:DescribeTable}, {@code dynamodb:CreateTable}, {@code dynamodb:DescribeTimeToLive} and
     * {@code dynamodb:UpdateTimeToLive}.
     *
     * @throws LeaseTableException if the table cannot hold leases, a permission is missing, or DynamoDB rejects the
     *     credentials
     * @throws LeaseStoreException if the table could not be reached, or did not become active in time
     * @throws LeaseInterruptedException if the thread is interrupted while it waits
     */
    public void createIfMissing() {
        repeated(() -> {
            createOnce();
            return true;
        });
    }

    private <T> T repeated(Supplier<T> work) {
        return repeats ? calls.repeated(work) : work.get();
    }

    private void createOnce() {
        TableDescription description = active(describe().orElseGet(this::create));
        fail(schema.problem(description));
        if (TableSchema.kind(description).hasItemTtl()) {
            ttl.enable();
        }
    }

    /**
     * Checks that the table has the right key, has item TTL, and has no eventually consistent replicas. Checks that
     * replies carry DynamoDB's time. Waits for a table that is being created. Without the permission
     * {@code dynamodb:DescribeTimeToLive}, the method logs a warning instead of checking item TTL. Leases are safe
     * without item TTL, but released items are never removed. A global table with multi-Region strong consistency
     * cannot have item TTL, so its item TTL is not checked.
     *
     * @return the kind of the table
     * @throws LeaseTableException if the table is absent or cannot hold leases, a permission is missing, or DynamoDB
     *     rejects the credentials
     * @throws LeaseStoreException if the table could not be reached, or did not become active in time
     * @throws LeaseInterruptedException if the thread is interrupted while it waits
     */
    public LeaseTableKind verify() {
        return repeated(this::verifyOnce);
    }

    private LeaseTableKind verifyOnce() {
        CompletableFuture<Optional<DescribeTableResponse>> described = sendDescribe();
        // To save time, the request for item TTL is sent without waiting for the description.
        CompletableFuture<TimeToLiveDescription> itemTtl = ttl.send();
        TableDescription description =
                described(described).orElseThrow(() -> new LeaseTableException(schema.absent(place()), null));
        // A table that is still being created has no item TTL yet.
        boolean known = description.tableStatus() != TableStatus.CREATING;
        TableDescription active = active(description);
        fail(schema.problem(active));
        LeaseTableKind kind = TableSchema.kind(active);
        if (kind.hasItemTtl()) {
            verifyTtl(itemTtl, known);
        }
        return kind;
    }

    /** Returns the endpoint or region of the table, without a user name or password. */
    private String place() {
        DynamoDbServiceClientConfiguration configuration = client.serviceClientConfiguration();
        return configuration
                .endpointOverride()
                .map(endpoint -> "at " + Text.address(endpoint))
                .orElseGet(() -> "in " + configuration.region());
    }

    private void verifyTtl(CompletableFuture<TimeToLiveDescription> itemTtl, boolean known) {
        try {
            fail(schema.problem(known ? ttl.await(itemTtl) : ttl.describe()));
        } catch (LeaseTableException e) {
            if (!Failures.isAccessDenied(e.getCause())) {
                throw e;
            }
            if (warnedOfTtl.compareAndSet(false, true)) {
                log.warn(
                        "Item TTL of table '{}' could not be checked; it should be enabled on '{}': {}",
                        table,
                        Attributes.EXPIRY,
                        Text.why(e));
            }
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
                .overrideConfiguration(TableCalls.bounded())
                .build();
        return client.describeTable(request).thenApply(LeaseTable::checked).exceptionally(error -> {
            if (Failures.unwrap(error) instanceof ResourceNotFoundException) {
                return Optional.empty();
            }
            throw Failures.rethrown(error);
        });
    }

    private Optional<TableDescription> described(CompletableFuture<Optional<DescribeTableResponse>> reply) {
        Optional<DescribeTableResponse> described = calls.await(reply, "DescribeTable");
        described.ifPresent(this::checkDate);
        return described.map(DescribeTableResponse::table);
    }

    private static Optional<DescribeTableResponse> checked(DescribeTableResponse reply) {
        if (reply.table() == null) {
            throw SdkReplies.notFromDynamoDb();
        }
        return Optional.of(reply);
    }

    private void checkDate(DescribeTableResponse reply) {
        if (SdkReplies.date(reply.sdkHttpResponse()) == null) {
            throw new LeaseTableException(
                    "Reply for table '" + table + "' lacks the header 'Date' or 'x-amzn-RequestId', expected both in"
                            + " each reply, because leases need DynamoDB's time: let proxies pass both headers on",
                    null);
        }
    }

    private TableDescription create() {
        CreateTableRequest request = schema.createTable().toBuilder()
                .overrideConfiguration(TableCalls.bounded())
                .build();
        try {
            TableDescription created =
                    calls.await(client.createTable(request), "CreateTable").tableDescription();
            log.info("Table '{}' is being created for leases", table);
            return created;
        } catch (LeaseTableException e) {
            if (FailureTexts.original(e.getCause()) instanceof ResourceInUseException) {
                return whenActive();
            }
            throw e;
        }
    }

    private TableDescription active(TableDescription description) {
        return description.tableStatus() == TableStatus.CREATING ? whenActive() : description;
    }

    private TableDescription whenActive() {
        WaiterOverrideConfiguration patience = WaiterOverrideConfiguration.builder()
                .backoffStrategyV2(BackoffStrategy.fixedDelayWithoutJitter(POLL_INTERVAL))
                .maxAttempts((int) UNTIL_ACTIVE.dividedBy(POLL_INTERVAL))
                .waitTimeout(UNTIL_ACTIVE)
                .build();
        DescribeTableRequest request =
                DescribeTableRequest.builder().tableName(table).build();
        return calls.await(client.waiter().waitUntilTableExists(request, patience), "DescribeTable", UNTIL_ACTIVE)
                .matched()
                .response()
                .map(DescribeTableResponse::table)
                .orElseThrow();
    }
}
