package io.leasekit.dynamodb;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;
import software.amazon.awssdk.services.dynamodb.model.Delete;
import software.amazon.awssdk.services.dynamodb.model.DeleteItemRequest;
import software.amazon.awssdk.services.dynamodb.model.ReturnValuesOnConditionCheckFailure;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.Update;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemRequest;

/**
 * One conditional write of one item, sent as a separate request or as a part of a transaction. The methods build the
 * SDK's five types of conditional writes, which have no common supertype.
 *
 * @param update the update expression; {@code null} if the write deletes or only checks the item
 */
record Write(String table, String key, @Nullable String update, String condition, Expression names) {

    private static final ReturnValuesOnConditionCheckFailure SHOW_THE_ITEM =
            ReturnValuesOnConditionCheckFailure.ALL_OLD;

    boolean isDelete() {
        return update == null;
    }

    UpdateItemRequest.Builder updateRequest() {
        return UpdateItemRequest.builder()
                .tableName(table)
                .key(itemKey())
                .updateExpression(update)
                .conditionExpression(condition)
                .expressionAttributeNames(names.names())
                .expressionAttributeValues(names.values())
                .returnValuesOnConditionCheckFailure(SHOW_THE_ITEM);
    }

    DeleteItemRequest.Builder deleteRequest() {
        return DeleteItemRequest.builder()
                .tableName(table)
                .key(itemKey())
                .conditionExpression(condition)
                .expressionAttributeNames(names.names())
                .expressionAttributeValues(names.values())
                .returnValuesOnConditionCheckFailure(SHOW_THE_ITEM);
    }

    TransactWriteItem inTransaction() {
        return isDelete()
                ? TransactWriteItem.builder().delete(deletePart()).build()
                : TransactWriteItem.builder().update(updatePart()).build();
    }

    private Update updatePart() {
        return partOfUpdate().toBuilder()
                .returnValuesOnConditionCheckFailure(SHOW_THE_ITEM)
                .build();
    }

    /** Returns the update as a part of a user's transaction, whose reply does not show the item. */
    TransactWriteItem userUpdate() {
        return TransactWriteItem.builder().update(partOfUpdate()).build();
    }

    private Update partOfUpdate() {
        return Update.builder()
                .tableName(table)
                .key(itemKey())
                .updateExpression(update)
                .conditionExpression(condition)
                .expressionAttributeNames(names.names())
                .expressionAttributeValues(names.values())
                .build();
    }

    private Delete deletePart() {
        return Delete.builder()
                .tableName(table)
                .key(itemKey())
                .conditionExpression(condition)
                .expressionAttributeNames(names.names())
                .expressionAttributeValues(names.values())
                .returnValuesOnConditionCheckFailure(SHOW_THE_ITEM)
                .build();
    }

    ConditionCheck check() {
        return ConditionCheck.builder()
                .tableName(table)
                .key(itemKey())
                .conditionExpression(condition)
                .expressionAttributeNames(names.names())
                .expressionAttributeValues(names.values())
                .build();
    }

    private Map<String, AttributeValue> itemKey() {
        return Writes.key(key);
    }
}
