package io.leasekit.store;

import io.leasekit.internal.Internal;
import io.leasekit.text.Text;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The part of a command that concerns records: conditions on records (guards) and changes of records. A command changes
 * only the records that its edits name. Thread-safe.
 *
 * @param keptUntil the time from which item TTL may remove the item, in epoch seconds; {@code null} if that time is the
 *     end of the lease. If the acquire sets {@code keptUntil}, each later write must set {@code keptUntil}, too. A
 *     write without {@code keptUntil} does not extend such a lease
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

    /** The kinds of condition that a guard can put on a record. */
    public enum Check {
        ABSENT,
        /**
         * The item has no record with the guard's name, or the record's text is smaller than the guard's text. Texts
         * are compared byte by byte in UTF-8.
         */
        ABSENT_OR_BELOW,
        EQUAL,
        /** The item has no record with the guard's name, or the record is not a text. */
        NO_TEXT
    }

    /**
     * A condition on one record of the item.
     *
     * @param text the text to compare with; {@code null} for {@link Check#ABSENT} and {@link Check#NO_TEXT}
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

        public Builder equal(String name, @Nullable String text) {
            guards.add(new Guard(name, text == null ? Check.NO_TEXT : Check.EQUAL, text));
            return this;
        }

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

        /** Does not copy {@code keptUntil} from the given edits. */
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
