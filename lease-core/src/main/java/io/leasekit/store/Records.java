package io.leasekit.store;

import io.leasekit.internal.Internal;
import io.leasekit.text.Text;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The records of an item: attributes that features of Leasekit store with a lease. A store keeps records and evaluates
 * the guards of {@link Edits}, but does not interpret records. Thread-safe.
 *
 * @param values the values of the records by the names of their attributes; each value is a {@link String}, a
 *     {@link Long} or {@link Bytes}
 * @param keptUntil the time from which item TTL may remove the item, in epoch seconds; {@code null} if that time is the
 *     end of the lease
 */
@Internal
public record Records(Map<String, Object> values, @Nullable Long keptUntil) {

    public static final Records NONE = new Records(Map.of(), null);

    public Records {
        values = Map.copyOf(values);
    }

    public @Nullable String text(String name) {
        return values.get(name) instanceof String text ? text : null;
    }

    public @Nullable Long number(String name) {
        return values.get(name) instanceof Long number ? number : null;
    }

    public @Nullable Bytes bytes(String name) {
        return values.get(name) instanceof Bytes bytes ? bytes : null;
    }

    public boolean has(String name) {
        return values.containsKey(name);
    }

    /** The copy keeps the {@code keptUntil} of these records. */
    public Records after(Edits edits) {
        if (!edits.changesRecords()) {
            return this;
        }
        Map<String, Object> after = new HashMap<>(values);
        edits.removes().forEach(after::remove);
        after.putAll(edits.sets().values());
        return new Records(after, keptUntil);
    }

    public Records keptUntil(@Nullable Long seconds) {
        return new Records(values, seconds);
    }

    public Records only(Set<String> names) {
        Map<String, Object> some = new HashMap<>(values);
        some.keySet().retainAll(names);
        return some.isEmpty() && keptUntil == null ? NONE : new Records(some, keptUntil);
    }

    @Override
    public String toString() {
        Map<String, @Nullable Object> sorted = new TreeMap<>();
        values.forEach((name, value) -> sorted.put(name, Text.value(value)));
        return Text.record("Records", "values, keptUntil", sorted, keptUntil);
    }
}
