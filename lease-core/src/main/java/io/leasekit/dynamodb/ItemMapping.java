package io.leasekit.dynamodb;

import io.leasekit.LeaseStoreException;
import io.leasekit.limits.Checks;
import io.leasekit.store.ItemProgress;
import io.leasekit.store.ItemRun;
import io.leasekit.store.LeaseItem;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * Reads an item. The version, the token, the name of the last run, the progress and the pauses must have the right
 * types. Any other attribute of a wrong type counts as absent; without a usable end, the lease ends by observation
 * only. {@link ItemLimits} has the limits of texts.
 */
final class ItemMapping {

    /**
     * Tokens are epoch milliseconds. A value near the end of the range is no token, and no larger one could follow it.
     */
    private static final long MAX_TOKEN = Long.MAX_VALUE / 4;

    private static final long LAST_SECOND = Instant.MAX.getEpochSecond();

    private static final ItemRun NO_RUN = new ItemRun(null, null, null, null, null);

    private ItemMapping() {}

    static String key(Map<String, AttributeValue> attributes) {
        AttributeValue key = attributes.get(Attributes.KEY);
        return key == null || key.s() == null ? "" : key.s(); // never empty: it is the partition key, of type S
    }

    /**
     * Returns the item; {@code null} if there are no attributes.
     *
     * @throws LeaseStoreException if the version, the token, the name of the last run, the progress or the pauses have
     *     another type, if the token is out of range, or if the version is too long
     */
    static @Nullable LeaseItem item(String key, Map<String, AttributeValue> attributes) {
        if (attributes.isEmpty()) {
            return null;
        }
        Long expiry = seconds(attributes.get(Attributes.EXPIRY));
        Long ends = ends(attributes);
        String pauses = mandatoryText(Attributes.PAUSES, attributes);
        return new LeaseItem(
                key,
                version(attributes),
                ends == null ? expiry : ends,
                integer(attributes.get(Attributes.DURATION)),
                token(attributes.get(Attributes.TOKEN)),
                text(Attributes.OWNER, attributes),
                integer(attributes.get(Attributes.ACQUIRED_AT)),
                integer(attributes.get(Attributes.RELEASED_AT)),
                waitingSince(attributes),
                lastRun(attributes),
                integer(attributes.get(Attributes.PERMITS)),
                key.startsWith(Checks.PAUSES_ITEM) ? pauses : ItemLimits.text(key, Attributes.PAUSES, pauses),
                ofAcquire(Attributes.APPLICATION, Attributes.APPLICATION_TOKEN, attributes),
                ends == null ? null : expiry,
                progress(attributes),
                history(attributes),
                ofAcquire(Attributes.RUN, Attributes.RUN_TOKEN, attributes));
    }

    private static @Nullable String version(Map<String, AttributeValue> attributes) {
        String version = mandatoryText(Attributes.VERSION, attributes);
        if (version != null && version.length() > ItemLimits.MAX_VERSION) {
            throw malformed(Attributes.VERSION, "too long", "at most " + ItemLimits.MAX_VERSION + " characters");
        }
        return version;
    }

    /** Returns the text of the run history; {@code null}: there is none. */
    static @Nullable String history(Map<String, AttributeValue> attributes) {
        return text(Attributes.HISTORY, attributes);
    }

    /**
     * Returns the end of a lease whose item is kept longer than the lease, in epoch seconds; {@code null}:
     * {@code lease_expiry} is the end. Library versions that do not know this attribute leave it unchanged, but each
     * acquire writes a new token.
     */
    private static @Nullable Long ends(Map<String, AttributeValue> attributes) {
        Long token = integer(attributes.get(Attributes.TOKEN));
        Long ends = integer(attributes.get(Attributes.ENDS));
        boolean current = attributes.containsKey(Attributes.VERSION)
                && token != null
                && token.equals(integer(attributes.get(Attributes.ENDS_TOKEN)));
        return current && ends != null ? seconds(Attributes.number(ends / 1_000 + (ends % 1_000 > 0 ? 1 : 0))) : null;
    }

    /** Returns the progress; {@code null}: there is none. */
    static @Nullable ItemProgress progress(Map<String, AttributeValue> attributes) {
        AttributeValue data = attributes.get(Attributes.PROGRESS);
        if (data == null) {
            return null;
        }
        if (data.b() == null) {
            throw malformed(Attributes.PROGRESS, "of type " + data.type(), "type B");
        }
        ItemProgress saved = new ItemProgress(
                text(Attributes.PROGRESS_RUN, attributes),
                data.b().asByteArray(),
                integer(attributes.get(Attributes.PROGRESS_AT)));
        return ItemLimits.progress(key(attributes), saved);
    }

    /**
     * Returns the item if it has a version; {@code null} if it has none or is malformed. No decision depends on this
     * item.
     */
    static @Nullable LeaseItem heldBefore(Map<String, AttributeValue> attributes) {
        try {
            LeaseItem item = item(key(attributes), attributes);
            return item == null || item.version() == null ? null : item;
        } catch (LeaseStoreException malformed) {
            return null;
        }
    }

    /** Returns the text that the latest acquire wrote into this attribute; {@code null}: that acquire wrote none. */
    private static @Nullable String ofAcquire(
            String attribute, String itsToken, Map<String, AttributeValue> attributes) {
        Long written = integer(attributes.get(itsToken));
        boolean current = written != null && written.equals(integer(attributes.get(Attributes.TOKEN)));
        return current ? text(attribute, attributes) : null;
    }

    /** Returns the time of a waiter's mark, in epoch milliseconds; {@code null} if there is no mark. */
    static @Nullable Long waitingSince(Map<String, AttributeValue> attributes) {
        return integer(attributes.get(Attributes.WAITING_SINCE));
    }

    /** Returns the name of the last run; {@code null} if there is none. */
    static @Nullable String lastRunName(Map<String, AttributeValue> attributes) {
        return ItemLimits.runName(key(attributes), mandatoryText(Attributes.LAST_RUN, attributes));
    }

    private static @Nullable ItemRun lastRun(Map<String, AttributeValue> attributes) {
        ItemRun run = new ItemRun(
                lastRunName(attributes),
                text(Attributes.LAST_RUN_OWNER, attributes),
                instant(integer(attributes.get(Attributes.LAST_RUN_AT))),
                text(Attributes.LAST_RUN_OUTCOME, attributes),
                duration(integer(attributes.get(Attributes.LAST_RUN_DURATION))));
        return run.equals(NO_RUN) ? null : run;
    }

    private static @Nullable Instant instant(@Nullable Long millis) {
        return millis == null ? null : Instant.ofEpochMilli(millis);
    }

    private static @Nullable Duration duration(@Nullable Long millis) {
        return millis == null ? null : Duration.ofMillis(millis);
    }

    /** Returns the text of an attribute on which writes depend; {@code null} if the attribute is absent. */
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

    /** Returns the seconds if they are a valid time; {@code null} for any other value. */
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

    private static @Nullable String text(String attribute, Map<String, AttributeValue> attributes) {
        AttributeValue value = attributes.get(attribute);
        return value == null ? null : ItemLimits.text(key(attributes), attribute, value.s());
    }

    /** Creates the exception. The engine adds the key and the table to the message. */
    private static LeaseStoreException malformed(String attribute, String seen, String expected) {
        return new LeaseStoreException(
                "Item is not a lease: attribute '" + attribute + "' is " + seen + ", expected " + expected
                        + "; the table must hold leases only",
                null);
    }
}
