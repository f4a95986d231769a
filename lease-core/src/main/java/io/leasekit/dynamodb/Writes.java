package io.leasekit.dynamodb;

import static io.leasekit.dynamodb.Attributes.number;
import static io.leasekit.dynamodb.Attributes.text;

import io.leasekit.store.AcquireCommand;
import io.leasekit.store.ItemProgress;
import io.leasekit.store.ItemRun;
import io.leasekit.store.LeaseCommand;
import io.leasekit.store.MarkCommand;
import io.leasekit.store.PauseCommand;
import io.leasekit.store.ReleaseCommand;
import io.leasekit.store.RenewCommand;
import io.leasekit.store.ReopenCommand;
import io.leasekit.store.RevokeCommand;
import io.leasekit.store.StoreInfo;
import io.leasekit.store.VersionRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BatchStatementRequest;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/**
 * The conditional write of each command (protocol 5.1 to 5.3, 5.8, 5.9, 5.11 to 5.13 and 6.3). The Javadoc of each
 * command defines the condition and the change; this class builds the expressions. Immutable and thread-safe.
 */
final class Writes implements StoreInfo.ConditionChecks {

    /** Returns the changed attributes, among them a waiter's mark. Returning attributes consumes no capacity. */
    private static final String CHANGED = " RETURNING MODIFIED OLD *";

    private final String table;

    Writes(String table) {
        this.table = table;
    }

    Write of(LeaseCommand command) {
        if (command instanceof AcquireCommand acquire) {
            return acquire(acquire);
        }
        if (command instanceof RenewCommand renew) {
            return renew(renew, new Expression());
        }
        if (command instanceof MarkCommand mark) {
            return mark(mark);
        }
        if (command instanceof RevokeCommand revoke) {
            return revoke(revoke);
        }
        if (command instanceof PauseCommand pause) {
            return pause(pause);
        }
        if (command instanceof ReopenCommand reopen) {
            return reopen(reopen);
        }
        return release((ReleaseCommand) command, new Expression());
    }

    /** Returns a command as one statement of a batch. A release in a batch keeps the item. */
    BatchStatementRequest statement(LeaseCommand command) {
        Statement statement = new Statement(command.key());
        return command instanceof RenewCommand renewal
                ? statement.request(renew(renewal, statement), "")
                : statement.request(release((ReleaseCommand) command, statement), CHANGED);
    }

    private Write release(ReleaseCommand command, Expression e) {
        if (command.form() instanceof ReleaseCommand.Delete) {
            return new Write(table, command.key(), null, isOwn(command, e), e);
        }
        String update = command.form() instanceof ReleaseCommand.Hold hold
                ? hold(hold, command, e)
                : free(e, (ReleaseCommand.Retain) command.form(), command);
        return update(command.key(), e, update, isOwn(command, e));
    }

    private Write acquire(AcquireCommand command) {
        Expression e = new Expression();
        List<String> sets = new ArrayList<>();
        sets.add(e.equal(Attributes.VERSION, text(command.version())));
        addEnd(sets, command.expiry(), command.keptUntil(), e);
        if (command.keptUntil() != null) {
            sets.add(e.equal(Attributes.ENDS_TOKEN, number(command.token())));
        }
        sets.add(e.equal(Attributes.DURATION, number(command.durationMillis())));
        sets.add(e.equal(Attributes.TOKEN, number(command.token())));
        sets.add(e.equal(Attributes.OWNER, text(command.owner())));
        sets.add(e.equal(Attributes.ACQUIRED_AT, number(command.acquiredAtMillis())));
        add(sets, Attributes.PERMITS, command.permits(), permits -> number(permits), e);
        addOfAcquire(sets, Attributes.APPLICATION, Attributes.APPLICATION_TOKEN, command.application(), command, e);
        addOfAcquire(sets, Attributes.RUN, Attributes.RUN_TOKEN, command.once(), command, e);
        String update = "SET " + String.join(", ", sets) + " REMOVE " + e.name(Attributes.RELEASED_AT)
                + (command.predecessor() == null ? ", " + e.name(Attributes.WAITING_SINCE) : "");
        return update(command.key(), e, update, acquireCondition(command, e));
    }

    /**
     * Adds a text together with the token of its acquire. A later acquire that has no text leaves the old text and its
     * old token.
     */
    private static void addOfAcquire(
            List<String> sets,
            String attribute,
            String itsToken,
            @Nullable String value,
            AcquireCommand command,
            Expression e) {
        if (value != null) {
            sets.add(e.equal(attribute, text(value)));
            sets.add(e.equal(itsToken, number(command.token())));
        }
    }

    /** Returns the expression of the condition that {@link AcquireCommand} defines. */
    private static String acquireCondition(AcquireCommand command, Expression e) {
        String condition = "(" + isTakeable(command, e) + ") AND ("
                + e.absentOrBelow(Attributes.TOKEN, e.value(Attributes.TOKEN, number(command.token()))) + ")";
        if (command.keptUntil() == null) {
            condition += " AND " + hasNoRecords(e);
        }
        return command.once() == null
                ? condition
                : condition + " AND (" + e.absentOrBelow(Attributes.LAST_RUN, e.value("once", text(command.once())))
                        + ")";
    }

    private static String hasNoRecords(Expression e) {
        return e.absent(Attributes.LAST_RUN) + " AND " + e.absent(Attributes.PROGRESS);
    }

    /**
     * Adds the end of the lease. In an item with records, the end is in a separate attribute, so that item TTL removes
     * the item later. Library versions that do not know this attribute wait longer for the lease.
     */
    private static void addEnd(List<String> sets, long expiry, @Nullable Long keptUntil, Expression e) {
        sets.add(e.equal(Attributes.EXPIRY, number(keptUntil == null ? expiry : keptUntil)));
        if (keptUntil != null) {
            sets.add(e.equal(Attributes.ENDS, number(expiry * 1_000)));
        }
    }

    private static String isTakeable(AcquireCommand command, Expression e) {
        List<String> reasons = new ArrayList<>();
        reasons.add(e.absent(Attributes.VERSION));
        if (command.freeBelow() != null) {
            reasons.add(e.name(Attributes.EXPIRY) + " < " + e.value("free_below", number(command.freeBelow())));
            reasons.add("(" + e.name(Attributes.ENDS_TOKEN) + " = " + e.name(Attributes.TOKEN) + " AND "
                    + e.name(Attributes.ENDS) + " < "
                    + e.value("ends_below", number(command.freeBelow() * 1_000)) + ")");
        }
        if (command.deadVersion() != null) {
            reasons.add(e.name(Attributes.VERSION) + " = " + e.value("dead", text(command.deadVersion())));
        }
        addOwn(reasons, command.own(), command.predecessor(), e);
        return String.join(" OR ", reasons);
    }

    private static void addOwn(
            List<String> reasons, @Nullable VersionRange own, @Nullable VersionRange predecessor, Expression e) {
        if (own != null) {
            reasons.add(e.versionIn("own", own));
        }
        if (predecessor != null) {
            reasons.add(e.versionIn("predecessor", predecessor));
        }
    }

    private static String isOwn(ReleaseCommand command, Expression e) {
        List<String> reasons = new ArrayList<>();
        addOwn(reasons, command.own(), command.predecessor(), e);
        String isOwn = String.join(" OR ", reasons);
        return command.unlessRecords() ? "(" + isOwn + ") AND " + hasNoRecords(e) : isOwn;
    }

    private Write renew(RenewCommand command, Expression e) {
        List<String> sets = new ArrayList<>();
        sets.add(e.equal(Attributes.VERSION, text(command.version())));
        addEnd(sets, command.expiry(), command.keptUntil(), e);
        sets.add(e.equal(Attributes.DURATION, number(command.durationMillis())));
        List<String> removed = new ArrayList<>();
        addProgress(sets, removed, command.progress(), e);
        add(sets, Attributes.HISTORY, command.history(), Attributes::text, e);
        String update = e.update(sets, removed);
        return update(command.key(), e, update, e.versionIn("own", command.own()));
    }

    private Write mark(MarkCommand command) {
        Expression e = new Expression();
        String update = "SET " + e.equal(Attributes.WAITING_SINCE, number(command.waitingSinceMillis()));
        return update(
                command.key(), e, update, e.present(Attributes.VERSION) + " AND " + e.absent(Attributes.WAITING_SINCE));
    }

    private Write revoke(RevokeCommand command) {
        Expression e = new Expression();
        String update = command.form() instanceof RevokeCommand.Free free
                ? free(e, new ReleaseCommand.Retain(free.expiry(), free.releasedAtMillis()), null)
                : "SET " + e.equal(Attributes.VERSION, text(((RevokeCommand.Refuse) command.form()).version()));
        String isItsLease =
                e.equal(Attributes.TOKEN, number(command.token())) + " AND " + e.present(Attributes.VERSION);
        return update(command.key(), e, update, isItsLease);
    }

    private Write pause(PauseCommand command) {
        Expression e = new Expression();
        String update = "SET " + e.equal(Attributes.PAUSES, text(command.pauses()));
        String condition = command.expected() == null
                ? e.absent(Attributes.PAUSES)
                : e.name(Attributes.PAUSES) + " = " + e.value("expected", text(command.expected()));
        return update(command.key(), e, update, condition);
    }

    private Write reopen(ReopenCommand command) {
        Expression e = new Expression();
        List<String> sets = new ArrayList<>();
        sets.add(e.equal(Attributes.LAST_RUN, text(command.before())));
        add(sets, Attributes.HISTORY, command.history(), Attributes::text, e);
        String isAsSeen = e.absent(Attributes.VERSION) + " AND "
                + e.equal(Attributes.TOKEN, number(command.token())) + " AND "
                + e.name(Attributes.LAST_RUN) + " = " + e.value("run", text(command.run()));
        return update(command.key(), e, e.update(sets, List.of()), isAsSeen);
    }

    private static String free(Expression e, ReleaseCommand.Retain form, @Nullable ReleaseCommand records) {
        List<String> sets = new ArrayList<>();
        sets.add(e.equal(Attributes.EXPIRY, number(form.expiry())));
        sets.add(e.equal(Attributes.RELEASED_AT, number(form.releasedAtMillis())));
        List<String> removed = new ArrayList<>(
                List.of(e.name(Attributes.VERSION), e.name(Attributes.DURATION), e.name(Attributes.WAITING_SINCE)));
        addRecords(sets, removed, records, e);
        return e.update(sets, removed);
    }

    private static String hold(ReleaseCommand.Hold form, ReleaseCommand records, Expression e) {
        List<String> sets = new ArrayList<>();
        sets.add(e.equal(Attributes.VERSION, text(form.version())));
        addEnd(sets, form.expiry(), form.keptUntil(), e);
        if (form.keptUntil() != null) {
            sets.add(e.equal(Attributes.ENDS_TOKEN, number(form.token())));
            sets.add(e.equal(Attributes.TOKEN, number(form.token())));
        }
        sets.add(e.equal(Attributes.DURATION, number(form.durationMillis())));
        sets.add(e.equal(Attributes.RELEASED_AT, number(form.releasedAtMillis())));
        List<String> removed = new ArrayList<>(List.of(e.name(Attributes.WAITING_SINCE)));
        addRecords(sets, removed, records, e);
        return e.update(sets, removed);
    }

    /** Adds the records of a release; {@code null}: no records. */
    private static void addRecords(
            List<String> sets, List<String> removed, @Nullable ReleaseCommand release, Expression e) {
        if (release != null) {
            addRun(sets, release.run(), e);
            add(sets, Attributes.HISTORY, release.history(), Attributes::text, e);
            addEndOfProgress(sets, removed, release.progress(), e);
        }
    }

    private static void addEndOfProgress(
            List<String> sets, List<String> removed, ReleaseCommand.Progress progress, Expression e) {
        if (progress instanceof ReleaseCommand.Clear) {
            removed.add(e.name(Attributes.PROGRESS));
            removed.add(e.name(Attributes.PROGRESS_RUN));
            removed.add(e.name(Attributes.PROGRESS_AT));
        } else if (progress instanceof ReleaseCommand.Write write) {
            addProgress(sets, removed, write.progress(), e);
        }
    }

    /** Adds the assignments that write progress; {@code null}: the item keeps its progress. */
    private static void addProgress(
            List<String> sets, List<String> removed, @Nullable ItemProgress progress, Expression e) {
        if (progress == null) {
            return;
        }
        sets.add(e.equal(Attributes.PROGRESS, AttributeValue.fromB(SdkBytes.fromByteArray(progress.data()))));
        add(sets, Attributes.PROGRESS_AT, progress.savedAtMillis(), at -> number(at), e);
        if (progress.run() == null) {
            removed.add(e.name(Attributes.PROGRESS_RUN));
        } else {
            sets.add(e.equal(Attributes.PROGRESS_RUN, text(progress.run())));
        }
    }

    /** Adds the assignments that record a run. A run without a name leaves the name of the previous run in the item. */
    private static void addRun(List<String> sets, @Nullable ItemRun run, Expression e) {
        if (run != null) {
            add(sets, Attributes.LAST_RUN, run.name(), Attributes::text, e);
            add(sets, Attributes.LAST_RUN_OWNER, run.owner(), Attributes::text, e);
            add(sets, Attributes.LAST_RUN_AT, run.begunAt(), at -> number(at.toEpochMilli()), e);
            add(sets, Attributes.LAST_RUN_OUTCOME, run.outcome(), Attributes::text, e);
            add(sets, Attributes.LAST_RUN_DURATION, run.duration(), duration -> number(duration.toMillis()), e);
        }
    }

    private static <T> void add(
            List<String> sets, String attribute, @Nullable T value, Function<T, AttributeValue> form, Expression e) {
        if (value != null) {
            sets.add(e.equal(attribute, form.apply(value)));
        }
    }

    /**
     * Returns the check of protocol 5.8. Renewals do not affect it; it fails for any other tenure, even one of the same
     * process.
     */
    @Override
    public ConditionCheck of(String key, long token, String tenure) {
        Expression e = new Expression();
        return new Write(table, key, null, isTenure(token, tenure, e), e).check();
    }

    private static String isTenure(long token, String tenure, Expression e) {
        String sameTenure = "begins_with(" + e.name(Attributes.VERSION) + ", " + e.value("tenure", text(tenure)) + ")";
        return e.equal(Attributes.TOKEN, number(token)) + " AND " + sameTenure;
    }

    /**
     * Returns the write of protocol 5.12, which sets the progress under the condition of
     * {@link #of(String, long, String)}.
     */
    @Override
    public TransactWriteItem progress(String key, long token, String tenure, ItemProgress progress) {
        Expression e = new Expression();
        List<String> sets = new ArrayList<>();
        List<String> removed = new ArrayList<>();
        addProgress(sets, removed, progress, e);
        return new Write(table, key, e.update(sets, removed), isTenure(token, tenure, e), e).userUpdate();
    }

    static Map<String, AttributeValue> key(String key) {
        return Map.of(Attributes.KEY, text(key));
    }

    private Write update(String key, Expression e, String update, String condition) {
        return new Write(table, key, update, condition, e);
    }
}
