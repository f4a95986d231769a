package io.leasekit.dynamodb;

import io.leasekit.LeaseException;
import io.leasekit.LeaseInterruptedException;
import io.leasekit.internal.Quietly;
import io.leasekit.text.Text;
import io.leasekit.time.EngineTime;
import io.leasekit.time.SystemTime;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The check of a table, repeated in the background until it succeeds. A timer starts later checks on the executor, one
 * at a time. The checks continue after a refusal, so nobody needs to restart the application after correcting the
 * table. Thread-safe.
 *
 * <pre>
 * Unknown  to Usable or Refused: DynamoDB has answered a check
 * Refused  to Usable: the table was corrected; to Refused: the table was refused again, perhaps for another reason
 * Usable   final; no further checks
 * </pre>
 */
final class TableCheck implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(TableCheck.class);
    private static final long FIRST_DELAY = Duration.ofSeconds(1).toNanos();
    private static final long MAX_DELAY = Duration.ofSeconds(30).toNanos();
    private static final int MAX_DOUBLINGS = 5;

    private final String table;
    private final Supplier<LeaseTableKind> check;
    private final EngineTime time;
    private final Executor executor;
    private final DoubleSupplier random;
    private final Runnable onEnd;
    private final ReentrantLock lock = new ReentrantLock();
    // Only a thread that holds the lock writes this field.
    private volatile State state = new Unknown("no check has ended yet", null);
    private EngineTime.@Nullable Timer timer; // lock guards this field and the fields below
    private long endedAt;
    private int failures;
    private boolean running;
    private boolean ended;

    sealed interface State permits Unknown, Usable, Refused {}

    record Unknown(String why, @Nullable Throwable cause) implements State {}

    record Usable(LeaseTableKind kind) implements State {}

    record Refused(LeaseTableException problem) implements State {}

    /**
     * @param executor runs the checks; must not use the thread of the timers
     * @param onEnd releases the timers and the executor; called once, when the check has succeeded or is closed
     */
    TableCheck(
            String table,
            Supplier<LeaseTableKind> check,
            EngineTime time,
            Executor executor,
            DoubleSupplier random,
            Runnable onEnd) {
        this.table = table;
        this.check = check;
        this.time = time;
        this.executor = executor;
        this.random = random;
        this.onEnd = onEnd;
    }

    /** Creates a check whose background thread exists only while a check runs and for one second afterwards. */
    static TableCheck inBackground(String table, Supplier<LeaseTableKind> check) {
        SystemTime time = new SystemTime();
        ThreadPoolExecutor executor =
                new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "lease-table-check");
                    thread.setDaemon(true);
                    return thread;
                });
        executor.allowCoreThreadTimeOut(true);
        DoubleSupplier random = () -> ThreadLocalRandom.current().nextDouble();
        return new TableCheck(table, check, time, executor, random, () -> {
            time.close();
            executor.shutdownNow();
        });
    }

    State state() {
        return state;
    }

    /** Checks the table on the calling thread; if DynamoDB cannot be reached, further checks run in the background. */
    void begin() {
        State first = outcome();
        if (first instanceof Refused refused) {
            close();
            throw refused.problem();
        }
        if (first instanceof Unknown unknown && unknown.cause() instanceof LeaseInterruptedException interrupt) {
            close();
            throw interrupt;
        }
        onEnded(first);
    }

    /** Starts the next check at once, without blocking the caller. */
    void hurry() {
        lock.lock();
        try {
            boolean waits = timer != null && !running && !ended;
            if (!waits || time.nanos() - endedAt < FIRST_DELAY) {
                return;
            }
            Objects.requireNonNull(timer).cancel();
        } finally {
            lock.unlock();
        }
        launch();
    }

    private void launch() {
        lock.lock();
        try {
            if (running || ended) {
                return;
            }
            running = true;
            timer = null;
        } finally {
            lock.unlock();
        }
        try {
            executor.execute(() -> onEnded(afterStart(outcome())));
        } catch (Throwable e) {
            onEnded(new Unknown(Text.why(e), e));
        }
    }

    /**
     * Wrong credentials in a background check leave the state unknown, because the credentials might just have expired.
     */
    private static State afterStart(State next) {
        return next instanceof Refused refused
                        && Credentials.areWrong(refused.problem().getCause())
                ? new Unknown(Text.why(refused.problem()), refused.problem())
                : next;
    }

    private State outcome() {
        try {
            return new Usable(check.get());
        } catch (LeaseTableException e) {
            return new Refused(e);
        } catch (Throwable e) {
            return new Unknown(Text.why(e), e instanceof LeaseException ? e : FailureTexts.printable(e));
        }
    }

    private void onEnded(State next) {
        State before;
        boolean usable = next instanceof Usable;
        boolean late;
        lock.lock();
        try {
            if (ended) {
                return;
            }
            before = state;
            // an outage does not change the state of a refused table
            state = next instanceof Unknown && before instanceof Refused ? before : next;
            running = false;
            endedAt = time.nanos();
            ended = usable;
            late = failures > 0;
            if (!usable) {
                timer = time.schedule(delay(failures++), this::launch);
            }
        } finally {
            lock.unlock();
        }
        Quietly.run(() -> tell(before, next, late));
        if (usable) {
            onEnd.run();
        }
    }

    private long delay(int doublings) {
        long full = Math.min(MAX_DELAY, FIRST_DELAY << Math.min(doublings, MAX_DOUBLINGS));
        long half = full / 2;
        return half + (long) (half * random.getAsDouble());
    }

    private void tell(State before, State next, boolean late) {
        if (next instanceof Usable && late) {
            log.info("Table '{}' has been checked, and leases can be acquired", table);
        } else if (next instanceof Unknown unknown && before instanceof Unknown last && isNews(last, unknown)) {
            log.warn(
                    "Table '{}' could not be checked; calls that need a lease fail until it can be checked: {}",
                    table,
                    unknown.why());
        } else if (next instanceof Refused refused && !isKnown(before, refused)) {
            log.error(
                    "Table '{}' cannot hold leases; calls that need a lease fail until it is corrected: {}",
                    table,
                    Text.why(refused.problem()));
        }
    }

    /** Refused credentials are logged even after a logged outage, because an operator must correct the credentials. */
    private static boolean isNews(Unknown last, Unknown next) {
        return last.cause() == null
                || (next.cause() instanceof LeaseTableException && !(last.cause() instanceof LeaseTableException));
    }

    private static boolean isKnown(State before, Refused next) {
        return before instanceof Refused last
                && Objects.equals(last.problem().getMessage(), next.problem().getMessage());
    }

    @Override
    public void close() {
        lock.lock();
        try {
            if (ended) {
                return;
            }
            ended = true;
            if (timer != null) {
                timer.cancel();
            }
        } finally {
            lock.unlock();
        }
        onEnd.run();
    }
}
