package io.leasekit.docs;

import io.leasekit.Lease;
import io.leasekit.LeaseEvent;
import io.leasekit.LeaseInfo;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseRun;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.OnceOrder;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import io.leasekit.spring.OnFailure;
import java.io.IOException;
import java.time.LocalDate;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.Scheduled;

/** The examples of docs/scheduled-jobs.md, between a line {@code // <name>} and a line {@code // end}. */
class ScheduledJobsExamples {

    private static final Logger log = LoggerFactory.getLogger(ScheduledJobsExamples.class);

    /** The work of the examples, which records their calls. */
    static final class Work {
        final List<String> done = new CopyOnWriteArrayList<>();
        boolean failing;

        void fetch() throws IOException {
            done.add("fetch");
            if (failing) {
                throw new IOException("out of reach");
            }
        }

        void send() {
            done.add("send");
        }

        void cleanUp() {
            done.add("cleanUp");
        }

        void poll() {
            done.add("poll");
        }

        void importFile(String file) {
            done.add("import " + file);
        }

        void close(LocalDate day) {
            done.add("close " + day);
        }
    }

    private final LeaseManager leases;
    private final Work rates;
    private final Work invoices;
    private final Work files;
    private final Work inbox;
    private final Work books;

    ScheduledJobsExamples(LeaseManager leases, Work work) {
        this.leases = leases;
        this.rates = work;
        this.invoices = work;
        this.files = work;
        this.inbox = work;
        this.books = work;
    }

    List<String> done() {
        return books.done;
    }

    // slot
    @Scheduled(cron = "0 0 3 * * *", zone = "Europe/Berlin")
    @DistributedLease("nightly-report")
    void nightlyReport() {
        log.info("Report of {}", LeaseContext.current().runName().orElseThrow()); // 2026-11-21T02:00:00Z
    }
    // end

    // retry
    @Scheduled(cron = "0 */15 * * * *")
    @DistributedLease(key = "rates", onFailure = OnFailure.RETRY)
    void fetchRates() throws IOException {
        rates.fetch();
    }
    // end

    // missed
    @Scheduled(cron = "0 0 3 * * *", zone = "Europe/Berlin")
    @DistributedLease(key = "invoices", catchUp = "2h")
    void sendInvoices() {
        invoices.send();
    }
    // end

    // delay
    @Scheduled(fixedDelay = 5, timeUnit = TimeUnit.MINUTES)
    @DistributedLease(key = "clean-up", cooldown = "297s")
    void cleanUp() {
        files.cleanUp();
    }
    // end

    // rate
    @Scheduled(fixedRate = 1, timeUnit = TimeUnit.MINUTES)
    @DistributedLease(key = "poll", holdAtLeast = "57s")
    void poll() {
        inbox.poll();
    }
    // end

    // named
    @DistributedLease(key = "books", once = "#{#day}", onceOrder = OnceOrder.GROWING)
    public void closeBooks(LocalDate day) {
        books.close(day);
    }
    // end

    // any
    @DistributedLease(key = "import", once = "#{#file}")
    public void importFile(String file) {
        files.importFile(file);
    }
    // end

    void look() {
        // last
        LeaseRun last = leases.find("nightly-report").map(LeaseInfo::lastRun).orElseThrow();
        log.info(
                "{} of slot {}: {} after {}, begun {}",
                last.owner(),
                last.name(),
                last.outcome(),
                last.duration(),
                last.begunAt());
        // end
    }

    // event
    @EventListener
    void on(LeaseEvent.Ran ran) {
        log.info("Run {} of '{}' ended: {} after {}", ran.run(), ran.key(), ran.outcome(), ran.duration());
    }
    // end

    void programmatic() {
        // core
        leases.run(LeaseRequest.of("books").once("2026-11-21"), lease -> closeBooks(LocalDate.of(2026, 11, 21)));

        try (Lease lease = leases.acquire(LeaseRequest.of("books").once("2026-11-22"))) {
            closeBooks(LocalDate.of(2026, 11, 22));
            lease.recordRun(LeaseRunOutcome.SUCCEEDED); // without it the run is not done
        }
        // end
    }
}
