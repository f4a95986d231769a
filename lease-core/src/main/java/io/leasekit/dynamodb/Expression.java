package io.leasekit.dynamodb;

import io.leasekit.store.VersionRange;
import java.util.HashMap;
import java.util.Map;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * The names and values of one request's expressions, gathered while the terms are written: DynamoDB refuses those that no
 * term uses. Attribute names always go by an expression name, because DynamoDB reserves some ({@code key}, {@code owner}).
 */
final class Expression {

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

    /** {@code attribute = value}, as an assignment or as a comparison. */
    String equal(String attribute, AttributeValue value) {
        return name(attribute) + " = " + value(attribute, value);
    }

    String absent(String attribute) {
        return "attribute_not_exists(" + name(attribute) + ")";
    }

    String present(String attribute) {
        return "attribute_exists(" + name(attribute) + ")";
    }

    /** Whether the version is one of a tenure's; {@code whose} keeps the values of two ranges apart. */
    String versionIn(String whose, VersionRange range) {
        return name(Attributes.VERSION) + " BETWEEN " + value(whose + "_first", Attributes.text(range.first()))
                + " AND " + value(whose + "_last", Attributes.text(range.last()));
    }
}
