package io.leasekit.dynamodb;

import io.leasekit.LeaseInterruptedException;
import io.leasekit.LeaseStoreException;
import io.leasekit.store.StoreReply.FailureKind;
import io.leasekit.text.Text;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import software.amazon.awssdk.awscore.AwsRequestOverrideConfiguration;

/** Waits for replies to requests about a table, and translates errors. Thread-safe. */
final class TableCalls {

    private static final Duration REQUEST = Duration.ofSeconds(5);
    private static final Duration MARGIN = Duration.ofSeconds(5); // in case the SDK exceeds its own timeout

    private static final List<Duration> DELAYS =
            List.of(Duration.ofMillis(100), Duration.ofMillis(300), Duration.ofMillis(900));

    private final String table;

    TableCalls(String table) {
        this.table = table;
    }

    static AwsRequestOverrideConfiguration bounded() {
        return AwsRequestOverrideConfiguration.builder().apiCallTimeout(REQUEST).build();
    }

    <T> T repeated(Supplier<T> work) {
        for (Duration delay : DELAYS) {
            try {
                return work.get();
            } catch (LeaseStoreException e) {
                delay(delay);
            }
        }
        return work.get();
    }

    private void delay(Duration duration) {
        try {
            var unused = new CountDownLatch(1).await(duration.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    <T> T await(CompletableFuture<T> reply, String operation) {
        return await(reply, operation, REQUEST);
    }

    <T> T await(CompletableFuture<T> reply, String operation, Duration patience) {
        try {
            return reply.get(patience.plus(MARGIN).toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            throw interrupted(e);
        } catch (ExecutionException e) {
            throw failure(operation, Failures.unwrap(e));
        } catch (TimeoutException e) {
            throw new LeaseStoreException("No reply for table '" + table + "' within " + Text.exact(patience), e);
        }
    }

    private RuntimeException failure(String operation, Throwable error) {
        InterruptedException interrupt = Failures.find(error, InterruptedException.class);
        if (interrupt != null) {
            // The SDK has cleared the interrupt flag, and the method 'interrupted' sets the flag again.
            return interrupted(interrupt);
        }
        String credentials = Credentials.problem(error);
        String why = credentials != null ? credentials : Text.why(error);
        Throwable cause = FailureTexts.printable(error);
        String text = operation + " of table '" + table + "' failed: " + why;
        if (Failures.kind(error, false) != FailureKind.REJECTED && !Credentials.areWrong(error)) {
            return new LeaseStoreException(text, cause);
        }
        if (!Failures.isAccessDenied(error)) {
            return new LeaseTableException(text, cause);
        }
        String permission = Failures.isKeyDenied(error)
                ? "permissions for the table's KMS key, among them 'kms:Decrypt'"
                : "permission dynamodb:" + operation;
        return new LeaseTableException(text + ", expected the " + permission, cause);
    }

    private LeaseInterruptedException interrupted(InterruptedException interrupt) {
        Thread.currentThread().interrupt();
        return new LeaseInterruptedException("Interrupted while waiting for table '" + table + "'", interrupt);
    }
}
