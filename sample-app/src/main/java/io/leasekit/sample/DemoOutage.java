package io.leasekit.sample;

import io.leasekit.spring.autoconfigure.LeaseDynamoDbClientCustomizer;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import org.springframework.stereotype.Component;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClientBuilder;

/** Simulates an outage for this node only: requests to DynamoDB, including renewals, fail before they are sent. */
@Component
class DemoOutage implements ExecutionInterceptor, LeaseDynamoDbClientCustomizer {

    private final Clock clock = Clock.systemUTC();
    private volatile Instant end = Instant.MIN;

    void begin(Duration duration) {
        end = clock.instant().plus(duration);
    }

    @Override
    public void customize(DynamoDbAsyncClientBuilder builder) {
        builder.overrideConfiguration(builder.overrideConfiguration().toBuilder()
                .addExecutionInterceptor(this)
                .build());
    }

    @Override
    public void beforeTransmission(Context.BeforeTransmission context, ExecutionAttributes attributes) {
        if (clock.instant().isBefore(end)) {
            throw SdkClientException.create("Heartbeats are stopped by the button of the sample");
        }
    }
}
