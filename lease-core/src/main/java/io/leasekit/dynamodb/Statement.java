package io.leasekit.dynamodb;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BatchStatementRequest;
import software.amazon.awssdk.services.dynamodb.model.ReturnValuesOnConditionCheckFailure;

/**
 * Builds one conditional update as a PartiQL statement, equivalent to an {@code UpdateItem}. Unlike an
 * {@code UpdateItem}, a PartiQL update never creates an item. Attribute names are quoted, because some names are
 * reserved words of PartiQL. Values are positional parameters, so terms must be built in the order of the statement.
 * Not thread-safe.
 */
final class Statement extends Expression {

    private final String key;
    private final List<AttributeValue> parameters = new ArrayList<>();

    Statement(String key) {
        this.key = key;
    }

    @Override
    String name(String attribute) {
        return quoted(attribute);
    }

    @Override
    String value(String name, AttributeValue value) {
        parameters.add(value);
        return "?";
    }

    @Override
    String absent(String attribute) {
        return name(attribute) + " IS MISSING";
    }

    /** The key's parameter comes after the parameters of the update and before the parameters of the condition. */
    @Override
    String update(List<String> assignments, List<String> removed) {
        return each(" SET ", assignments) + each(" REMOVE ", removed) + " WHERE "
                + equal(Attributes.KEY, Attributes.text(key));
    }

    private static String each(String verb, List<String> terms) {
        return terms.stream().map(term -> verb + term).collect(Collectors.joining());
    }

    BatchStatementRequest request(Write write, String returning) {
        return BatchStatementRequest.builder()
                .statement("UPDATE " + quoted(write.table()) + write.update() + " AND (" + write.condition() + ")"
                        + returning)
                .parameters(parameters)
                .returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD)
                .build();
    }

    private static String quoted(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }
}
