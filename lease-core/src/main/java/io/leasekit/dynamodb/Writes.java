package io.leasekit.dynamodb;

import static io.leasekit.dynamodb.Attributes.number;
import static io.leasekit.dynamodb.Attributes.text;

import io.leasekit.store.AcquireCommand;
import io.leasekit.store.Edits;
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
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BatchStatementRequest;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/**
 * Builds the conditional write of each command (protocol 5.1 to 5.3, 5.8, 5.9, 5.11 to 5.13 and 6.3). The Javadoc of
 * each {@link LeaseCommand} defines the condition and the change of its write. Thread-safe.
 */
final class Writes implements StoreInfo.ConditionChecks {

    /**
     * The clause that makes DynamoDB return the old values of the changed attributes, for example
     * {@code waiting_since}.
     */
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
                ? hold(hold, command.edits(), e)
                : free(e, (ReleaseCommand.Retain) command.form(), command.edits());
        return update(command.key(), e, update, isOwn(command, e));
    }

    private Write acquire(AcquireCommand command) {
        Expression e = new Expression();
        List<String> sets = new ArrayList<>();
        sets.add(e.equal(Attributes.VERSION, text(command.version())));
        addEnd(sets, command.expiry(), command.edits(), e);
        if (command.edits().keptUntil() != null) {
            sets.add(e.equal(Attributes.ENDS_TOKEN, number(command.token())));
        }
        sets.add(e.equal(Attributes.DURATION, number(command.durationMillis())));
        sets.add(e.equal(Attributes.TOKEN, number(command.token())));
        sets.add(e.equal(Attributes.OWNER, text(command.owner())));
        sets.add(e.equal(Attributes.ACQUIRED_AT, number(command.acquiredAtMillis())));
        List<String> removed = new ArrayList<>(List.of(e.name(Attributes.RELEASED_AT)));
        if (command.predecessor() == null) {
            removed.add(e.name(Attributes.WAITING_SINCE));
        }
        String update = update(sets, removed, command.edits(), e);
        String condition = "(" + isTakeable(command, e) + ") AND ("
                + e.absentOrBelow(Attributes.TOKEN, e.value(Attributes.TOKEN, number(command.token()))) + ")";
        return update(command.key(), e, update, guarded(condition, command.edits(), e));
    }

    /**
     * If item TTL must keep the item longer than the lease, {@code lease_ends} contains the end, and
     * {@code lease_expiry} is later. Library versions that do not know {@code lease_ends} wait until
     * {@code lease_expiry}.
     */
    private static void addEnd(List<String> sets, long expiry, Edits edits, Expression e) {
        Long keptUntil = edits.keptUntil();
        sets.add(e.equal(Attributes.EXPIRY, number(keptUntil == null ? expiry : keptUntil)));
        if (keptUntil != null) {
            sets.add(e.equal(Attributes.ENDS, number(expiry * 1_000)));
        }
    }

    private static String update(List<String> sets, List<String> removed, Edits edits, Expression e) {
        new TreeMap<>(edits.sets().values()).forEach((name, value) -> sets.add(e.equal(name, Attributes.value(value))));
        edits.removes().forEach(name -> removed.add(e.name(name)));
        return e.update(sets, removed);
    }

    private static String guarded(String condition, Edits edits, Expression e) {
        return edits.guards().isEmpty() ? condition : "(" + condition + ") AND " + guards(edits, e);
    }

    private static String guards(Edits edits, Expression e) {
        return edits.guards().stream().map(e::guard).collect(Collectors.joining(" AND "));
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
        return guarded(String.join(" OR ", reasons), command.edits(), e);
    }

    private Write renew(RenewCommand command, Expression e) {
        List<String> sets = new ArrayList<>();
        sets.add(e.equal(Attributes.VERSION, text(command.version())));
        addEnd(sets, command.expiry(), command.edits(), e);
        sets.add(e.equal(Attributes.DURATION, number(command.durationMillis())));
        String update = update(sets, new ArrayList<>(), command.edits(), e);
        return update(command.key(), e, update, guarded(e.versionIn("own", command.own()), command.edits(), e));
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
                ? free(e, new ReleaseCommand.Retain(free.expiry(), free.releasedAtMillis()), Edits.NONE)
                : "SET " + e.equal(Attributes.VERSION, text(((RevokeCommand.Refuse) command.form()).version()));
        String isItsLease =
                e.equal(Attributes.TOKEN, number(command.token())) + " AND " + e.present(Attributes.VERSION);
        return update(command.key(), e, update, isItsLease);
    }

    private Write pause(PauseCommand command) {
        Expression e = new Expression();
        String update = update(new ArrayList<>(), new ArrayList<>(), command.edits(), e);
        return update(command.key(), e, update, guards(command.edits(), e));
    }

    private Write reopen(ReopenCommand command) {
        Expression e = new Expression();
        String update = update(new ArrayList<>(), new ArrayList<>(), command.edits(), e);
        String isFree = e.absent(Attributes.VERSION) + " AND " + e.equal(Attributes.TOKEN, number(command.token()));
        return update(command.key(), e, update, guarded(isFree, command.edits(), e));
    }

    private static String free(Expression e, ReleaseCommand.Retain form, Edits edits) {
        List<String> sets = new ArrayList<>();
        sets.add(e.equal(Attributes.EXPIRY, number(form.expiry())));
        sets.add(e.equal(Attributes.RELEASED_AT, number(form.releasedAtMillis())));
        List<String> removed = new ArrayList<>(
                List.of(e.name(Attributes.VERSION), e.name(Attributes.DURATION), e.name(Attributes.WAITING_SINCE)));
        return update(sets, removed, edits, e);
    }

    private static String hold(ReleaseCommand.Hold form, Edits edits, Expression e) {
        List<String> sets = new ArrayList<>();
        sets.add(e.equal(Attributes.VERSION, text(form.version())));
        addEnd(sets, form.expiry(), edits, e);
        if (edits.keptUntil() != null) {
            sets.add(e.equal(Attributes.ENDS_TOKEN, number(form.token())));
            sets.add(e.equal(Attributes.TOKEN, number(form.token())));
        }
        sets.add(e.equal(Attributes.DURATION, number(form.durationMillis())));
        sets.add(e.equal(Attributes.RELEASED_AT, number(form.releasedAtMillis())));
        return update(sets, new ArrayList<>(List.of(e.name(Attributes.WAITING_SINCE))), edits, e);
    }

    /** Returns the check of protocol 5.8, which passes while the lease of this acquire ({@code tenure}) is held. */
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
     * Returns the write of protocol 5.12, which changes records of the item if the condition of {@link #of(String,
     * long, String)} holds.
     */
    @Override
    public TransactWriteItem edit(String key, long token, String tenure, Edits edits) {
        Expression e = new Expression();
        String update = update(new ArrayList<>(), new ArrayList<>(), edits, e);
        return new Write(table, key, update, isTenure(token, tenure, e), e).userUpdate();
    }

    static Map<String, AttributeValue> key(String key) {
        return Map.of(Attributes.KEY, text(key));
    }

    private Write update(String key, Expression e, String update, String condition) {
        return new Write(table, key, update, condition, e);
    }
}
