package io.leasekit.dynamodb;

import static io.leasekit.dynamodb.Attributes.number;
import static io.leasekit.dynamodb.Attributes.text;

import io.leasekit.store.AcquireCommand;
import io.leasekit.store.ItemRun;
import io.leasekit.store.LeaseCommand;
import io.leasekit.store.MarkCommand;
import io.leasekit.store.ReleaseCommand;
import io.leasekit.store.RenewCommand;
import io.leasekit.store.RevokeCommand;
import io.leasekit.store.VersionRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BatchStatementRequest;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;
import software.amazon.awssdk.services.dynamodb.model.ReturnValuesOnConditionCheckFailure;

/**
 * The conditional write of each command (steps 5.1 to 5.3, 5.8 and 5.9). The Javadoc of the command defines the condition and the
 * change; these are the expressions for it. Immutable, so thread-safe.
 */
final class Writes {

    private final String table;
    private final String renewStatement;

    Writes(String table) {
        this.table = table;
        this.renewStatement = renewStatement(table);
    }

    Write of(LeaseCommand command) {
        if (command instanceof AcquireCommand acquire) {
            return acquire(acquire);
        }
        if (command instanceof RenewCommand renew) {
            return renew(renew);
        }
        if (command instanceof MarkCommand mark) {
            return mark(mark);
        }
        if (command instanceof RevokeCommand revoke) {
            return revoke(revoke);
        }
        return release((ReleaseCommand) command);
    }

    private Write release(ReleaseCommand command) {
        if (command.form() instanceof ReleaseCommand.Delete) {
            return delete(command);
        }
        return command.form() instanceof ReleaseCommand.Hold hold
                ? hold(command, hold)
                : retain(command, (ReleaseCommand.Retain) command.form());
    }

    private Write acquire(AcquireCommand command) {
        Expression e = new Expression();
        String update = "SET "
                + String.join(
                        ", ",
                        e.equal(Attributes.VERSION, text(command.version())),
                        e.equal(Attributes.EXPIRY, number(command.expiry())),
                        e.equal(Attributes.DURATION, number(command.durationMillis())),
                        e.equal(Attributes.TOKEN, number(command.token())),
                        e.equal(Attributes.OWNER, text(command.owner())),
                        e.equal(Attributes.ACQUIRED_AT, number(command.acquiredAtMillis())))
                + " REMOVE " + e.name(Attributes.RELEASED_AT)
                + (command.predecessor() == null ? ", " + e.name(Attributes.WAITING_SINCE) : "");
        return update(command.key(), e, update, acquireCondition(command, e));
    }

    /** Returns the expression of the condition that {@link AcquireCommand} defines. */
    private static String acquireCondition(AcquireCommand command, Expression e) {
        String condition = "(" + isTakeable(command, e) + ") AND ("
                + e.absentOrBelow(Attributes.TOKEN, e.value(Attributes.TOKEN, number(command.token()))) + ")";
        return command.once() == null
                ? condition
                : condition + " AND (" + e.absentOrBelow(Attributes.LAST_RUN, e.value("once", text(command.once())))
                        + ")";
    }

    private static String isTakeable(AcquireCommand command, Expression e) {
        List<String> reasons = new ArrayList<>();
        reasons.add(e.absent(Attributes.VERSION));
        if (command.freeBelow() != null) {
            reasons.add(e.name(Attributes.EXPIRY) + " < " + e.value("free_below", number(command.freeBelow())));
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
        return command.unlessRun() ? "(" + isOwn + ") AND " + e.absent(Attributes.LAST_RUN) : isOwn;
    }

    private Write renew(RenewCommand command) {
        Expression e = new Expression();
        String update = "SET "
                + String.join(
                        ", ",
                        e.equal(Attributes.VERSION, text(command.version())),
                        e.equal(Attributes.EXPIRY, number(command.expiry())),
                        e.equal(Attributes.DURATION, number(command.durationMillis())));
        return update(command.key(), e, update, e.versionIn("own", command.own()));
    }

    /**
     * Returns the renewal as a statement of PartiQL, with the same condition. Such an update creates no item. Names are quoted
     * because some are reserved.
     */
    BatchStatementRequest statement(RenewCommand command) {
        return BatchStatementRequest.builder()
                .statement(renewStatement)
                .parameters(
                        text(command.version()),
                        number(command.expiry()),
                        number(command.durationMillis()),
                        text(command.key()),
                        text(command.own().first()),
                        text(command.own().last()))
                .returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD)
                .build();
    }

    private static String renewStatement(String table) {
        return "UPDATE " + quoted(table)
                + Stream.of(Attributes.VERSION, Attributes.EXPIRY, Attributes.DURATION)
                        .map(attribute -> " SET " + quoted(attribute) + " = ?")
                        .collect(Collectors.joining())
                + " WHERE " + quoted(Attributes.KEY) + " = ? AND " + quoted(Attributes.VERSION) + " BETWEEN ? AND ?";
    }

    private static String quoted(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
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
                ? free(e, free.expiry(), free.releasedAtMillis(), null)
                : "SET " + e.equal(Attributes.VERSION, text(((RevokeCommand.Refuse) command.form()).version()));
        String isItsLease =
                e.equal(Attributes.TOKEN, number(command.token())) + " AND " + e.present(Attributes.VERSION);
        return update(command.key(), e, update, isItsLease);
    }

    private Write retain(ReleaseCommand command, ReleaseCommand.Retain form) {
        Expression e = new Expression();
        String update = free(e, form.expiry(), form.releasedAtMillis(), command.run());
        return update(command.key(), e, update, isOwn(command, e));
    }

    private static String free(Expression e, long expiry, long releasedAtMillis, @Nullable ItemRun run) {
        return "SET " + e.equal(Attributes.EXPIRY, number(expiry)) + ", "
                + e.equal(Attributes.RELEASED_AT, number(releasedAtMillis)) + run(run, e) + " REMOVE "
                + e.name(Attributes.VERSION)
                + ", " + e.name(Attributes.DURATION) + ", " + e.name(Attributes.WAITING_SINCE);
    }

    private Write hold(ReleaseCommand command, ReleaseCommand.Hold form) {
        Expression e = new Expression();
        String update = "SET "
                + String.join(
                        ", ",
                        e.equal(Attributes.VERSION, text(form.version())),
                        e.equal(Attributes.EXPIRY, number(form.expiry())),
                        e.equal(Attributes.DURATION, number(form.durationMillis())),
                        e.equal(Attributes.RELEASED_AT, number(form.releasedAtMillis())))
                + run(command.run(), e) + " REMOVE " + e.name(Attributes.WAITING_SINCE);
        return update(command.key(), e, update, isOwn(command, e));
    }

    /** Returns the assignments that record a run. A run without a name keeps the name of the run before. */
    private static String run(@Nullable ItemRun run, Expression e) {
        if (run == null) {
            return "";
        }
        List<String> sets = new ArrayList<>();
        add(sets, Attributes.LAST_RUN, run.name(), Attributes::text, e);
        add(sets, Attributes.LAST_RUN_OWNER, run.owner(), Attributes::text, e);
        add(sets, Attributes.LAST_RUN_AT, run.begunAt(), at -> number(at.toEpochMilli()), e);
        add(sets, Attributes.LAST_RUN_OUTCOME, run.outcome(), Attributes::text, e);
        add(sets, Attributes.LAST_RUN_DURATION, run.duration(), duration -> number(duration.toMillis()), e);
        return String.join("", sets);
    }

    private static <T> void add(
            List<String> sets, String attribute, @Nullable T value, Function<T, AttributeValue> form, Expression e) {
        if (value != null) {
            sets.add(", " + e.equal(attribute, form.apply(value)));
        }
    }

    private Write delete(ReleaseCommand command) {
        Expression e = new Expression();
        return new Write(table, command.key(), null, isOwn(command, e), e);
    }

    /** Returns the check of step 5.8: it holds across renewals and fails for any other tenure, also of the same process. */
    ConditionCheck check(String key, long token, String tenure) {
        Expression e = new Expression();
        String sameTenure = "begins_with(" + e.name(Attributes.VERSION) + ", " + e.value("tenure", text(tenure)) + ")";
        String condition = e.equal(Attributes.TOKEN, number(token)) + " AND " + sameTenure;
        return new Write(table, key, null, condition, e).check();
    }

    static Map<String, AttributeValue> key(String key) {
        return Map.of(Attributes.KEY, text(key));
    }

    private Write update(String key, Expression e, String update, String condition) {
        return new Write(table, key, update, condition, e);
    }
}
