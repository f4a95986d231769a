package io.leasekit.dynamodb;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import software.amazon.awssdk.core.SdkRequest;
import software.amazon.awssdk.core.exception.RetryableException;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.services.dynamodb.model.BatchExecuteStatementRequest;
import software.amazon.awssdk.services.dynamodb.model.DeleteItemRequest;
import software.amazon.awssdk.services.dynamodb.model.GetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItemsRequest;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemRequest;

/** An interceptor between a client and DynamoDB. It records each copy of each request and can lose replies. */
final class Wire implements ExecutionInterceptor {

    private final List<SdkRequest> sent = new CopyOnWriteArrayList<>();
    private final AtomicInteger toLose = new AtomicInteger();
    private volatile Predicate<SdkRequest> losing = request -> false;

    /** Loses the replies to the next requests of this kind: DynamoDB receives the request, the client an error. */
    void loseReplies(int count, Predicate<SdkRequest> sort) {
        losing = sort;
        toLose.set(count);
    }

    /** Returns the number of replies still to be lost. */
    int leftToLose() {
        return toLose.get();
    }

    /** Returns the requests of this kind in the order of their sending, including copies. */
    List<SdkRequest> sent(Predicate<SdkRequest> sort) {
        return sent.stream().filter(sort).toList();
    }

    int count(Predicate<SdkRequest> sort) {
        return sent(sort).size();
    }

    static boolean isAcquire(SdkRequest request) {
        return request instanceof UpdateItemRequest update
                && update.updateExpression().contains("#" + Attributes.TOKEN);
    }

    static boolean isRelease(SdkRequest request) {
        return request instanceof UpdateItemRequest update
                && update.updateExpression().contains("REMOVE #" + Attributes.VERSION);
    }

    static boolean isDelete(SdkRequest request) {
        return request instanceof DeleteItemRequest;
    }

    static boolean isRevoke(SdkRequest request) {
        return request instanceof UpdateItemRequest update
                && update.conditionExpression().startsWith("#" + Attributes.TOKEN + " = ");
    }

    static boolean isRenewal(SdkRequest request) {
        return request instanceof UpdateItemRequest && !isAcquire(request) && !isRelease(request) && !isRevoke(request);
    }

    static boolean isBatch(SdkRequest request) {
        return request instanceof BatchExecuteStatementRequest;
    }

    static boolean isTransaction(SdkRequest request) {
        return request instanceof TransactWriteItemsRequest;
    }

    static boolean isRead(SdkRequest request) {
        return request instanceof GetItemRequest;
    }

    @Override
    public void beforeTransmission(Context.BeforeTransmission context, ExecutionAttributes attributes) {
        sent.add(context.request());
    }

    @Override
    public void afterTransmission(Context.AfterTransmission context, ExecutionAttributes attributes) {
        if (losing.test(context.request()) && toLose.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            throw RetryableException.builder().message("Reply lost").build();
        }
    }
}
