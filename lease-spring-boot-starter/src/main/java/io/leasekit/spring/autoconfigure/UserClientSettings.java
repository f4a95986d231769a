package io.leasekit.spring.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.awscore.AwsClient;
import software.amazon.awssdk.awscore.AwsExecutionAttribute;
import software.amazon.awssdk.awscore.AwsServiceClientConfiguration;
import software.amazon.awssdk.awscore.endpoints.AccountIdEndpointMode;
import software.amazon.awssdk.core.SdkServiceClientConfiguration;
import software.amazon.awssdk.core.client.config.ClientOverrideConfiguration;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttribute;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.core.interceptor.SdkInternalExecutionAttribute;
import software.amazon.awssdk.core.useragent.BusinessMetricFeatureId;
import software.amazon.awssdk.endpoints.EndpointProvider;
import software.amazon.awssdk.metrics.MetricPublisher;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClientBuilder;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.endpoints.DynamoDbEndpointProvider;
import software.amazon.awssdk.services.dynamodb.model.DescribeEndpointsRequest;

/**
 * The settings that are copied from the application's client to the client for leases. Interceptors are not copied,
 * because an interceptor for the application's requests may change table names or fail. The HTTP client cannot be
 * copied, because the SDK shows only whether the application has set one.
 */
record UserClientSettings(
        String bean,
        @Nullable Boolean fips,
        @Nullable Boolean dualstack,
        @Nullable AccountIdEndpointMode accountId,
        @Nullable DynamoDbEndpointProvider endpoints,
        Map<String, List<String>> headers,
        List<MetricPublisher> publishers,
        @Nullable String appId,
        List<String> interceptors,
        boolean explicitHttp,
        List<String> dropped) {

    private static final Logger log = LoggerFactory.getLogger(UserClientSettings.class);
    private static final String SDK = "software.amazon.awssdk.";

    static UserClientSettings of(String bean, AwsClient client, AwsServiceClientConfiguration configuration) {
        ExecutionAttributes attributes = attributes(client);
        ClientOverrideConfiguration override = configuration.overrideConfiguration();
        EndpointProvider provider = configuration
                .endpointProvider()
                .filter(used -> !used.getClass().getName().startsWith(SDK))
                .orElse(null);
        List<String> dropped = new ArrayList<>();
        if (attributes == null) {
            dropped.add("FIPS, dual-stack and account-id endpoints (they could not be read)");
        }
        if (provider != null && !(provider instanceof DynamoDbEndpointProvider)) {
            dropped.add("endpoint provider " + provider.getClass().getName());
        }
        return new UserClientSettings(
                bean,
                read(attributes, AwsExecutionAttribute.FIPS_ENDPOINT_ENABLED),
                read(attributes, AwsExecutionAttribute.DUALSTACK_ENDPOINT_ENABLED),
                read(attributes, AwsExecutionAttribute.AWS_AUTH_ACCOUNT_ID_ENDPOINT_MODE),
                provider instanceof DynamoDbEndpointProvider own ? own : null,
                override.headers(),
                override.metricPublishers(),
                override.appId().orElse(null),
                interceptors(override),
                attributes != null && isHttpExplicit(attributes),
                dropped);
    }

    private static List<String> interceptors(ClientOverrideConfiguration override) {
        return override.executionInterceptors().stream()
                .map(interceptor -> interceptor.getClass().getName())
                .filter(name -> !name.startsWith(SDK))
                .toList();
    }

    private static boolean isHttpExplicit(ExecutionAttributes attributes) {
        try {
            List<String> metrics = Objects.requireNonNull(
                            attributes.getAttribute(SdkInternalExecutionAttribute.BUSINESS_METRICS))
                    .recordedMetrics();
            return metrics.contains(BusinessMetricFeatureId.HTTP_CLIENT_EXPLICIT_INSTANCE.value())
                    || metrics.contains(BusinessMetricFeatureId.HTTP_CLIENT_EXPLICIT_FACTORY.value());
        } catch (LinkageError | RuntimeException unknown) { // another version of the SDK may lack the attribute
            return false;
        }
    }

    private static <T> @Nullable T read(@Nullable ExecutionAttributes attributes, ExecutionAttribute<T> attribute) {
        return attributes == null ? null : attributes.getAttribute(attribute);
    }

    void applyTo(DynamoDbAsyncClientBuilder builder) {
        if (fips != null) {
            builder.fipsEnabled(fips);
        }
        if (dualstack != null) {
            builder.dualstackEnabled(dualstack);
        }
        if (accountId != null) {
            builder.accountIdEndpointMode(accountId);
        }
        if (endpoints != null) {
            builder.endpointProvider(endpoints);
        }
        builder.overrideConfiguration(builder.overrideConfiguration().copy(override -> {
            headers.forEach(override::putHeader);
            publishers.forEach(override::addMetricPublisher);
            if (appId != null) {
                override.appId(appId);
            }
        }));
    }

    void log(DynamoDbAsyncClient ofLeases, boolean defaultHttp) {
        List<String> lacking = new ArrayList<>(dropped);
        List<String> present =
                interceptors(ofLeases.serviceClientConfiguration().overrideConfiguration());
        interceptors.stream()
                .filter(name -> !present.contains(name))
                .forEach(name -> lacking.add("interceptor " + name));
        if (explicitHttp && defaultHttp) {
            lacking.add("the HTTP client, which may have a proxy or a trust store");
        }
        if (lacking.isEmpty()) {
            log.info(
                    "Leases use a DynamoDB client of their own, with region, credentials, endpoint, FIPS and dual-stack"
                            + " settings of the bean '{}', but not with its HTTP client: a proxy or trust store is set by"
                            + " a LeaseDynamoDbClientCustomizer bean",
                    bean);
        } else {
            log.warn(
                    "Leases use a DynamoDB client of their own, which lacks settings of the bean '{}': {}; set what leases"
                            + " need by a LeaseDynamoDbClientCustomizer bean",
                    bean,
                    String.join(", ", lacking));
        }
    }

    /**
     * The SDK shows some settings only to interceptors, so this method starts a request that an interceptor reads and
     * stops. The interceptor stops the request before the client signs the request, so no credentials are loaded and
     * nothing is sent.
     */
    private static @Nullable ExecutionAttributes attributes(AwsClient client) {
        Stop stop = new Stop();
        DescribeEndpointsRequest request = DescribeEndpointsRequest.builder()
                .overrideConfiguration(override ->
                        override.addPlugin(stop::addTo).credentialsProvider(AnonymousCredentialsProvider.create()))
                .build();
        try {
            if (client instanceof DynamoDbAsyncClient async) {
                async.describeEndpoints(request).join();
            } else if (client instanceof DynamoDbClient sync) {
                sync.describeEndpoints(request);
            }
        } catch (RuntimeException stopped) {
            return stop.attributes;
        }
        return stop.attributes;
    }

    /**
     * Stores the execution attributes of a request and stops the request, in place of the client's own interceptors.
     */
    private static final class Stop implements ExecutionInterceptor {

        private volatile @Nullable ExecutionAttributes attributes;

        void addTo(SdkServiceClientConfiguration.Builder configuration) {
            configuration.overrideConfiguration(configuration
                    .overrideConfiguration()
                    .copy(override ->
                            override.executionInterceptors(List.of(this)).metricPublishers(List.of())));
        }

        @Override
        public void beforeMarshalling(Context.BeforeMarshalling context, ExecutionAttributes executionAttributes) {
            attributes = executionAttributes;
            throw new IllegalStateException("Stopped: only the settings of the client are read");
        }
    }
}
