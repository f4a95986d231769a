package io.leasekit.dynamodb;

import io.leasekit.LeaseStoreException;
import io.leasekit.limits.Checks;
import io.leasekit.records.AcquireText;
import io.leasekit.records.ItemRun;
import io.leasekit.records.RecordTable;
import io.leasekit.store.AcquireCommand;
import io.leasekit.store.Edits;
import io.leasekit.store.LeaseCommand;
import io.leasekit.store.ReleaseCommand;
import io.leasekit.store.RenewCommand;
import io.leasekit.store.VersionRange;
import io.leasekit.text.Text;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.BatchExecuteStatementRequest;
import software.amazon.awssdk.services.dynamodb.model.BatchExecuteStatementResponse;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.ResourceNotFoundException;
import software.amazon.awssdk.services.dynamodb.model.ReturnValue;

/**
 * Checks, before the first lease is acquired, whether the permissions that leases need are granted. The conditions of
 * the check's writes never hold, so DynamoDB writes nothing. Thread-safe.
 *
 * <p>A permission counts as missing only if DynamoDB rejects the request that needs it.
 */
final class TablePermissions {

    private static final Logger log = LoggerFactory.getLogger(TablePermissions.class);

    private static final String TEXT = "permissions";
    private static final VersionRange OF_NOBODY = new VersionRange(TEXT, TEXT);
    private static final Set<String> DENIED_STATEMENT = Set.of("AccessDenied", "AccessDeniedException");

    private final DynamoDbAsyncClient client;
    private final String table;
    private final String prefix;
    private final boolean deletes;
    private final String key;
    private final Writes writes;
    private final TableCalls calls;

    TablePermissions(DynamoDbAsyncClient client, String table, String prefix, boolean deletes) {
        this.client = client;
        this.table = table;
        this.prefix = prefix;
        this.deletes = deletes;
        this.key = prefix + Checks.PERMISSIONS_MARK;
        this.writes = new Writes(table);
        this.calls = new TableCalls(table);
    }

    void prove(PermissionCheck check) {
        if (check == PermissionCheck.OFF) {
            return;
        }
        CompletableFuture<Boolean> batch = sendBatch();
        LeaseTableException problem = problem(send());
        if (problem != null && check == PermissionCheck.FAIL) {
            // A later check that succeeds warns about the batch permission.
            throw problem;
        }
        warnOfBatches(batch);
        if (problem != null) {
            log.warn("{}; calls that need a lease may fail", Text.why(problem));
        }
    }

    private Map<String, CompletableFuture<?>> send() {
        Map<String, CompletableFuture<?>> sent = new LinkedHashMap<>();
        sent.put(
                "UpdateItem",
                client.updateItem(never(acquire())
                        .updateRequest()
                        .returnValues(ReturnValue.ALL_OLD)
                        .overrideConfiguration(TableCalls.bounded())
                        .build()));
        sent.put(
                "GetItem",
                client.getItem(ItemReads.of(table, key)
                        .overrideConfiguration(TableCalls.bounded())
                        .build()));
        if (deletes) {
            sent.put(
                    "DeleteItem",
                    client.deleteItem(never(delete())
                            .deleteRequest()
                            .overrideConfiguration(TableCalls.bounded())
                            .build()));
        }
        return sent;
    }

    private AcquireCommand acquire() {
        Edits.Builder edits = Edits.builder().absentOrBelow(ItemRun.NAME, TEXT).set(RecordTable.PERMITS, 1L);
        AcquireText.APPLICATION.addTo(edits, TEXT, 1);
        AcquireText.RUN.addTo(edits, TEXT, 1);
        Edits all = edits.keptUntil(0L).build();
        return new AcquireCommand(key, TEXT, 0, 0, 1, TEXT, 0, null, null, null, null, all);
    }

    private ReleaseCommand delete() {
        return new ReleaseCommand(key, OF_NOBODY, null, new ReleaseCommand.Delete(), Edits.NONE);
    }

    private Write never(LeaseCommand command) {
        Write write = writes.of(command);
        Expression e = write.names();
        String condition =
                "(" + write.condition() + ") AND " + e.present(Attributes.KEY) + " AND " + e.absent(Attributes.KEY);
        return new Write(table, key, write.update(), condition, e);
    }

    /** A PartiQL update creates no item, so this batch for a key without an item writes nothing. */
    private CompletableFuture<Boolean> sendBatch() {
        BatchExecuteStatementRequest request = BatchExecuteStatementRequest.builder()
                .statements(writes.statement(new RenewCommand(key, TEXT, 0, 0, OF_NOBODY, Edits.NONE)))
                .overrideConfiguration(TableCalls.bounded())
                .build();
        return client.batchExecuteStatement(request)
                .handle((reply, error) -> error == null
                        ? isDenied(reply)
                        : Failures.isAccessDenied(Failures.unwrap(error))
                                && !Failures.isKeyDenied(Failures.unwrap(error)));
    }

    private static boolean isDenied(BatchExecuteStatementResponse reply) {
        return reply.responses().stream()
                .anyMatch(response -> response.error() != null
                        && DENIED_STATEMENT.contains(
                                String.valueOf(response.error().codeAsString()))
                        && !Failures.isOfKey(response.error().message()));
    }

    private void warnOfBatches(CompletableFuture<Boolean> batch) {
        if (calls.await(batch, "BatchExecuteStatement")) {
            log.warn(
                    "Permission 'dynamodb:PartiQLUpdate' is missing for key {} in table '{}', so each renewal and release is a"
                            + " request of its own, up to 25 times as many: add it to the IAM policy{}",
                    Text.quote(key),
                    table,
                    prefix.isEmpty() ? "" : " for keys that begin with '" + prefix + "'");
        }
    }

    private @Nullable LeaseTableException problem(Map<String, CompletableFuture<?>> sent) {
        List<String> denied = new ArrayList<>();
        LeaseTableException first = null;
        for (Map.Entry<String, CompletableFuture<?>> each : sent.entrySet()) {
            LeaseTableException rejection = rejection(each.getKey(), each.getValue());
            if (rejection != null
                    && Failures.isAccessDenied(rejection.getCause())
                    && !Failures.isKeyDenied(rejection.getCause())) {
                denied.add("'dynamodb:" + each.getKey() + "'");
            }
            first = first == null ? rejection : first;
        }
        return first != null
                        && FailureTexts.original(first.getCause()) instanceof AwsServiceException reply
                        && Failures.isAccessDenied(reply)
                        && !Failures.isKeyDenied(reply)
                ? new LeaseTableException(text(denied, reply), first.getCause())
                : first;
    }

    private @Nullable LeaseTableException rejection(String operation, CompletableFuture<?> reply) {
        try {
            calls.await(reply, operation);
            return null;
        } catch (LeaseTableException e) {
            Throwable error = FailureTexts.original(e.getCause());
            // DynamoDB may not yet find a table that was just created.
            boolean isVerdict = !(error instanceof ConditionalCheckFailedException)
                    && !(error instanceof ResourceNotFoundException);
            return isVerdict ? e : null;
        } catch (LeaseStoreException e) {
            log.debug("Permission 'dynamodb:{}' in table '{}' is not proved: {}", operation, table, Text.why(e));
            return null;
        }
    }

    private String text(List<String> denied, AwsServiceException reply) {
        String actions = denied.stream().collect(Collectors.joining(" and "));
        String missing = denied.size() == 1
                ? "Permission " + actions + " is missing"
                : "Permissions " + actions + " are missing";
        String expected = prefix.isEmpty()
                ? "the keys of all leases: add to the IAM policy what is missing. If the policy allows only some keys"
                        + " ('dynamodb:LeadingKeys'), the key prefix of leases must be set to theirs"
                : "all keys that begin with '" + prefix
                        + "': add to the IAM policy what is missing. If the policy allows"
                        + " only some keys ('dynamodb:LeadingKeys'), '" + prefix + "*' must be among them";
        return missing + " for key " + Text.quote(key) + " in table '" + table + "', expected for " + expected
                + ". DynamoDB replied: " + FailureTexts.code(reply);
    }
}
