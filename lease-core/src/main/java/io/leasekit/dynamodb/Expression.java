package io.leasekit.dynamodb;

import io.leasekit.store.Edits;
import io.leasekit.store.VersionRange;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * Builds the terms of expressions, and collects the names and values for one request. DynamoDB rejects unused names and
 * values, so each method collects only the names and values of its own term. A term contains a placeholder for each
 * attribute name, because some names ({@code key}, {@code owner}) are reserved words. Not thread-safe.
 */
class Expression {

    private final Map<String, String> names = new HashMap<>();
    private final Map<String, AttributeValue> values = new HashMap<>();

    Map<String, String> names() {
        return names;
    }

    Map<String, AttributeValue> values() {
        return values;
    }

    String name(String attribute) {
        names.put("#" + attribute, attribute);
        return "#" + attribute;
    }

    String value(String name, AttributeValue value) {
        values.put(":" + name, value);
        return ":" + name;
    }

    String update(List<String> assignments, List<String> removed) {
        String remove = removed.isEmpty() ? "" : " REMOVE " + String.join(", ", removed);
        return "SET " + String.join(", ", assignments) + remove;
    }

    String equal(String attribute, AttributeValue value) {
        return name(attribute) + " = " + value(attribute, value);
    }

    String absent(String attribute) {
        return "attribute_not_exists(" + name(attribute) + ")";
    }

    String absentOrBelow(String attribute, String value) {
        return absent(attribute) + " OR " + name(attribute) + " < " + value;
    }

    String guard(Edits.Guard guard) {
        String name = guard.name();
        return switch (guard.check()) {
            case ABSENT -> absent(name);
            case ABSENT_OR_BELOW -> "(" + absentOrBelow(name, bound(guard)) + ")";
            case EQUAL -> name(name) + " = " + bound(guard);
            case NO_TEXT -> "NOT attribute_type(" + name(name) + ", " + value("text_type", Attributes.text("S")) + ")";
        };
    }

    private String bound(Edits.Guard guard) {
        return value("bound_" + guard.name(), Attributes.text(String.valueOf(guard.text())));
    }

    String present(String attribute) {
        return "attribute_exists(" + name(attribute) + ")";
    }

    String keyBeginsWith(String prefix) {
        return "begins_with(" + name(Attributes.KEY) + ", " + value("prefix", Attributes.text(prefix)) + ")";
    }

    /** {@code whose}: a prefix of the value names, because one request can contain two ranges. */
    String versionIn(String whose, VersionRange range) {
        return name(Attributes.VERSION) + " BETWEEN " + value(whose + "_first", Attributes.text(range.first()))
                + " AND " + value(whose + "_last", Attributes.text(range.last()));
    }
}
