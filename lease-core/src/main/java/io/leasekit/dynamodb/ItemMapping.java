package io.leasekit.dynamodb;

import io.leasekit.LeaseStoreException;
import io.leasekit.limits.Checks;
import io.leasekit.records.ItemProgress;
import io.leasekit.records.ItemRun;
import io.leasekit.records.RecordTable;
import io.leasekit.store.Bytes;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.Records;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * Converts the attributes of an item into a {@link LeaseItem}. A wrong type of the version, token, last run or progress
 * is an error; other attributes of a wrong type count as absent. If the item stores no expiry, the lease counts as
 * ended only after its version was observed unchanged for its ttl.
 */
final class ItemMapping {

    /**
     * Every fencing token must be smaller than this number. A token near the largest long would leave no larger token
     * for later leases.
     */
    private static final long MAX_TOKEN = Long.MAX_VALUE / 4;

    private static final long LAST_SECOND = Instant.MAX.getEpochSecond();

    private ItemMapping() {}

    static String key(Map<String, AttributeValue> attributes) {
        AttributeValue key = attributes.get(Attributes.KEY);
        return key == null || key.s() == null ? "" : key.s();
    }

    static @Nullable LeaseItem item(String key, Map<String, AttributeValue> attributes) {
        if (attributes.isEmpty()) {
            return null;
        }
        if (key.equals(Checks.PAUSES_ITEM)) {
            return pauses(attributes.get(RecordTable.PAUSES));
        }
        Long expiry = seconds(attributes.get(Attributes.EXPIRY));
        Long ends = ends(attributes);
        return new LeaseItem(
                key,
                version(attributes),
                ends == null ? expiry : ends,
                integer(attributes.get(Attributes.DURATION)),
                token(attributes.get(Attributes.TOKEN)),
                ItemLimits.owner(key, text(attributes.get(Attributes.OWNER))),
                integer(attributes.get(Attributes.ACQUIRED_AT)),
                integer(attributes.get(Attributes.RELEASED_AT)),
                waitingSince(attributes),
                records(key, attributes, ends == null ? null : expiry));
    }

    /** Replaces a value that is not a text by empty bytes, so that readers of the pauses notice the wrong type. */
    private static LeaseItem pauses(@Nullable AttributeValue value) {
        LeaseItem item = new LeaseItem(Checks.PAUSES_ITEM, null, null, null, null, null, null, null);
        if (value == null) {
            return item;
        }
        Object pauses = value.s() == null ? new Bytes(new byte[0]) : value.s();
        return item.with(new Records(Map.of(RecordTable.PAUSES, pauses), null));
    }

    static Records records(String key, Map<String, AttributeValue> attributes, @Nullable Long keptUntil) {
        mandatoryText(ItemRun.NAME, attributes);
        AttributeValue progress = attributes.get(ItemProgress.DATA);
        if (progress != null && progress.b() == null) {
            throw malformed(ItemProgress.DATA, "of type " + progress.type(), "type B");
        }
        Map<String, Object> values = new HashMap<>();
        attributes.forEach((name, value) -> {
            Object read = record(name, value);
            if (read != null) {
                values.put(name, read);
            }
        });
        return new Records(ItemLimits.limited(key, values), keptUntil);
    }

    private static @Nullable Object record(String name, AttributeValue value) {
        if (RecordTable.TEXTS.containsKey(name)) {
            return value.s();
        }
        if (RecordTable.NUMBERS.contains(name)) {
            return integer(value);
        }
        return RecordTable.BYTES.contains(name) && value.b() != null
                ? new Bytes(value.b().asByteArrayUnsafe())
                : null;
    }

    private static @Nullable String version(Map<String, AttributeValue> attributes) {
        String version = mandatoryText(Attributes.VERSION, attributes);
        if (version != null && version.length() > ItemLimits.MAX_VERSION) {
            throw malformed(Attributes.VERSION, "too long", "at most " + ItemLimits.MAX_VERSION + " characters");
        }
        return version;
    }

    /**
     * Returns the end of the lease from {@code lease_ends}, in epoch seconds; {@code null} if {@code lease_expiry} is
     * the end. Older library versions do not update {@code lease_ends}, so this method ignores a value that was written
     * with another token.
     */
    private static @Nullable Long ends(Map<String, AttributeValue> attributes) {
        Long token = integer(attributes.get(Attributes.TOKEN));
        Long ends = integer(attributes.get(Attributes.ENDS));
        boolean current = attributes.containsKey(Attributes.VERSION)
                && token != null
                && token.equals(integer(attributes.get(Attributes.ENDS_TOKEN)));
        return current && ends != null ? seconds(Attributes.number(ends / 1_000 + (ends % 1_000 > 0 ? 1 : 0))) : null;
    }

    /** Returns {@code null} for a malformed item, because no decision depends on the returned item. */
    static @Nullable LeaseItem heldBefore(Map<String, AttributeValue> attributes) {
        try {
            LeaseItem item = item(key(attributes), attributes);
            return item == null || item.version() == null ? null : item;
        } catch (LeaseStoreException malformed) {
            return null;
        }
    }

    static @Nullable Long waitingSince(Map<String, AttributeValue> attributes) {
        return integer(attributes.get(Attributes.WAITING_SINCE));
    }

    /** Fails if the attribute is not a text, because conditions of writes compare the attribute. */
    private static @Nullable String mandatoryText(String attribute, Map<String, AttributeValue> attributes) {
        AttributeValue value = attributes.get(attribute);
        if (value != null && value.s() == null) {
            throw malformed(attribute, "of type " + value.type(), "type S");
        }
        return value == null ? null : value.s();
    }

    private static @Nullable Long token(@Nullable AttributeValue value) {
        if (value == null) {
            return null;
        }
        String expected = "an integer of type N from 1 to " + (MAX_TOKEN - 1);
        if (value.n() == null) {
            throw malformed(Attributes.TOKEN, "of type " + value.type(), expected);
        }
        Long token = integer(value);
        if (token == null || token <= 0 || token >= MAX_TOKEN) {
            throw malformed(Attributes.TOKEN, value.n(), expected);
        }
        return token;
    }

    private static @Nullable Long seconds(@Nullable AttributeValue value) {
        Long seconds = integer(value);
        return seconds == null || seconds > LAST_SECOND || seconds < -LAST_SECOND ? null : seconds;
    }

    private static @Nullable Long integer(@Nullable AttributeValue value) {
        if (value == null || value.n() == null) {
            return null;
        }
        try {
            return new BigDecimal(value.n()).longValueExact();
        } catch (ArithmeticException | NumberFormatException e) {
            return null;
        }
    }

    private static @Nullable String text(@Nullable AttributeValue value) {
        return value == null ? null : value.s();
    }

    private static LeaseStoreException malformed(String attribute, String seen, String expected) {
        return new LeaseStoreException(
                "Item is not a lease: attribute '" + attribute + "' is " + seen + ", expected " + expected
                        + "; the table must hold leases only",
                null);
    }
}
