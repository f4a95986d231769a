package io.leasekit.store;

import io.leasekit.internal.Internal;
import io.leasekit.text.Text;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The guards and changes of a command for the records of an item. The guards are part of the condition of the command;
 * the changes set and remove records. All other records stay. Immutable and thread-safe.
 *
 * @param guards the conditions on records; all of them must hold
 * @param sets the records to write
 * @param removes the names of the records to remove
 * @param keptUntil the time from which item TTL may remove the item, in epoch seconds; {@code null}: the end of the
 *     lease. Once an acquire of a tenure has set such a time, each later write of the tenure must set one, too. Otherwise
 *     the end stored by the earlier write would still apply
 */
@Internal
public record Edits(
        List<Guard> guards,
        Records sets,
        List<String> removes,
        @Nullable Long keptUntil) {

    public static final Edits NONE = new Edits(List.of(), Records.NONE, List.of(), null);

    public Edits {
        guards = List.copyOf(guards);
        removes = List.copyOf(removes);
    }

    /** The conditions that a guard may state. */
    public enum Check {
        /** The item has no such record. */
        ABSENT,
        /** The item has no such record, or its text is below that of the guard, byte by byte in UTF-8. */
        ABSENT_OR_BELOW,
        /** The item has exactly the text of the guard. */
        EQUAL,
        /** The item has no such record, or a record that is not a text. */
        NO_TEXT
    }

    /**
     * A condition on one record.
     *
     * @param text the text to compare with; {@code null}: none, for {@link Check#ABSENT} and {@link Check#NO_TEXT}
     */
    public record Guard(String name, Check check, @Nullable String text) {

        boolean holds(Records records) {
            String stored = records.text(name);
            return switch (check) {
                case ABSENT -> !records.has(name);
                case ABSENT_OR_BELOW ->
                    !records.has(name) || (stored != null && text != null && Text.compareAsDynamoDb(stored, text) < 0);
                case EQUAL -> stored != null && stored.equals(text);
                case NO_TEXT -> stored == null;
            };
        }

        @Override
        public String toString() {
            return Text.record("Guard", "name, check, text", name, check, text);
        }
    }

    boolean mayApply(Records records) {
        return guards.stream().allMatch(guard -> guard.holds(records));
    }

    /** Returns whether records change. */
    public boolean changesRecords() {
        return !sets.values().isEmpty() || !removes.isEmpty();
    }

    public static Builder builder() {
        return new Builder();
    }

    @Override
    public String toString() {
        return Text.record("Edits", "guards, sets, removes, keptUntil", guards, sets, removes, keptUntil);
    }

    /** Collects edits. Not thread-safe. */
    public static final class Builder {

        private final List<Guard> guards = new ArrayList<>();
        private final Map<String, Object> sets = new HashMap<>();
        private final List<String> removes = new ArrayList<>();
        private @Nullable Long keptUntil;

        private Builder() {}

        public Builder absent(String name) {
            guards.add(new Guard(name, Check.ABSENT, null));
            return this;
        }

        public Builder absentOrBelow(String name, String text) {
            guards.add(new Guard(name, Check.ABSENT_OR_BELOW, text));
            return this;
        }

        /** Requires exactly this text; {@code null}: no record, or one that is not a text. */
        public Builder equal(String name, @Nullable String text) {
            guards.add(new Guard(name, text == null ? Check.NO_TEXT : Check.EQUAL, text));
            return this;
        }

        /** Sets a text, a number or bytes; {@code null}: the record stays. */
        public Builder set(String name, @Nullable Object value) {
            if (value != null) {
                sets.put(name, value);
            }
            return this;
        }

        public Builder remove(String name) {
            removes.add(name);
            return this;
        }

        public Builder keptUntil(@Nullable Long seconds) {
            keptUntil = seconds;
            return this;
        }

        /** Adds the guards and the changes of other edits, but not the time until which records are kept. */
        public Builder add(Edits edits) {
            guards.addAll(edits.guards);
            sets.putAll(edits.sets.values());
            removes.addAll(edits.removes);
            return this;
        }

        public Edits build() {
            return new Edits(guards, new Records(sets, null), removes, keptUntil);
        }
    }
}
