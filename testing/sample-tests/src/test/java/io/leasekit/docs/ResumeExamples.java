package io.leasekit.docs;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeasePastRun;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.Progress;
import io.leasekit.ProgressCodec;
import io.leasekit.RunStoppedException;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.annotation.Scheduled;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/** The Java examples of docs/resume.md, between a line {@code // <name>} and a line {@code // end}. */
final class ResumeExamples {

    /** The work of the examples. */
    interface Lines {
        List<String> from(int line);

        void apply(String line);

        TransactWriteItem write(String line);
    }

    private final Lines lines;
    private final LeaseManager leases;
    private final DynamoDbClient dynamoDb;

    ResumeExamples(Lines lines, LeaseManager leases, DynamoDbClient dynamoDb) {
        this.lines = lines;
        this.leases = leases;
        this.dynamoDb = dynamoDb;
    }

    // resumed
    @Scheduled(fixedDelay = 60_000)
    @DistributedLease(key = "import", resumable = true)
    void importFile() {
        Progress<String> progress = LeaseContext.current().progress(ProgressCodec.text());
        int done = progress.last().map(Integer::parseInt).orElse(0); // of the node that died, or of the run that failed
        for (String line : lines.from(done)) {
            lines.apply(line);
            progress.save(Integer.toString(++done));
        }
    }
    // end

    // parameter
    @DistributedLease("import")
    public void importLines(@Nullable Progress<Integer> progress) { // callers pass null
        int done = progress.last().orElse(0);
        for (String line : lines.from(done)) {
            lines.apply(line);
            progress.save(++done);
        }
    }
    // end

    void once() {
        LeaseRequest request = LeaseRequest.of("import").resumable();
        try (Lease lease = leases.acquire(request)) {
            // together
            Progress<String> progress = lease.progress(ProgressCodec.text());
            int done = progress.last().map(Integer::parseInt).orElse(0);
            for (String line : lines.from(done)) {
                List<TransactWriteItem> both = new ArrayList<>(List.of(lines.write(line)));
                both.add(progress.update(Integer.toString(++done)));
                dynamoDb.transactWriteItems(transaction -> transaction.transactItems(both));
            }
            lease.recordRun(LeaseRunOutcome.SUCCEEDED); // an annotated method does this itself
            // end
        }
    }

    // stopped
    @Scheduled(cron = "0 0 3 * * *")
    @DistributedLease(key = "import", resumable = true)
    void importUntilAsked() {
        LeaseContext context = LeaseContext.current();
        Progress<String> progress = context.progress(ProgressCodec.text());
        int done = progress.last().map(Integer::parseInt).orElse(0);
        for (String line : lines.from(done)) {
            if (context.stopRequested()) {
                throw new RunStoppedException("Import stops after line " + done);
            }
            lines.apply(line);
            progress.save(Integer.toString(++done));
        }
    }
    // end

    void history() {
        // history
        for (LeasePastRun run : leases.history("import")) {
            System.out.println(run.begunAt() + " " + run.owner() + " " + run.outcome() + " " + run.error());
        }
        // end
    }
}
