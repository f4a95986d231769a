package io.leasekit.spring.autoconfigure;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import software.amazon.awssdk.core.client.config.ClientAsyncConfiguration;
import software.amazon.awssdk.core.client.config.SdkAdvancedAsyncClientOption;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;
import software.amazon.awssdk.identity.spi.IdentityProvider;
import software.amazon.awssdk.identity.spi.ResolveIdentityRequest;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClientBuilder;
import software.amazon.awssdk.services.dynamodb.endpoints.DynamoDbEndpointProvider;

/**
 * Objects of the application in the client for leases. A client of the SDK closes each of its settings that can be closed.
 * So it gets delegates, which cannot be closed.
 */
final class Borrowed {

    private Borrowed() {}

    static IdentityProvider<? extends AwsCredentialsIdentity> credentials(
            IdentityProvider<? extends AwsCredentialsIdentity> provider) {
        return provider instanceof AutoCloseable ? new Credentials(provider) : provider;
    }

    private record Credentials(IdentityProvider<? extends AwsCredentialsIdentity> provider)
            implements IdentityProvider<AwsCredentialsIdentity> {

        @Override
        public Class<AwsCredentialsIdentity> identityType() {
            return AwsCredentialsIdentity.class;
        }

        @Override
        public CompletableFuture<? extends AwsCredentialsIdentity> resolveIdentity(ResolveIdentityRequest request) {
            return provider.resolveIdentity(request);
        }
    }

    static DynamoDbEndpointProvider endpoints(DynamoDbEndpointProvider provider) {
        return provider instanceof AutoCloseable ? parameters -> provider.resolveEndpoint(parameters) : provider;
    }

    private static ClientAsyncConfiguration completion(ClientAsyncConfiguration configuration) {
        Executor executor = configuration.advancedOption(SdkAdvancedAsyncClientOption.FUTURE_COMPLETION_EXECUTOR);
        if (!(executor instanceof AutoCloseable) && !(executor instanceof ExecutorService)) {
            return configuration;
        }
        Executor unclosed = task -> executor.execute(task);
        return ClientAsyncConfiguration.builder()
                .advancedOption(SdkAdvancedAsyncClientOption.FUTURE_COMPLETION_EXECUTOR, unclosed)
                .build();
    }

    /** For native images: the builder is wrapped at run time. */
    static final class Hints implements RuntimeHintsRegistrar {

        @Override
        public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
            hints.proxies().registerJdkProxy(DynamoDbAsyncClientBuilder.class);
        }
    }

    /** Returns the builder for customizers, which may pass beans to it. */
    static DynamoDbAsyncClientBuilder builder(DynamoDbAsyncClientBuilder builder) {
        return (DynamoDbAsyncClientBuilder) Proxy.newProxyInstance(
                DynamoDbAsyncClientBuilder.class.getClassLoader(),
                new Class<?>[] {DynamoDbAsyncClientBuilder.class},
                (proxy, method, arguments) -> {
                    Object result = called(builder, method, arguments);
                    return result == builder ? proxy : result;
                });
    }

    private static @Nullable Object called(
            DynamoDbAsyncClientBuilder builder, Method method, Object @Nullable [] arguments) throws Throwable {
        Object first = arguments == null ? null : arguments[0];
        if (first instanceof IdentityProvider<?> provider && method.getName().equals("credentialsProvider")) {
            @SuppressWarnings("unchecked") // by the signature of the method
            var credentials = (IdentityProvider<? extends AwsCredentialsIdentity>) provider;
            return builder.credentialsProvider(credentials(credentials));
        }
        if (first instanceof DynamoDbEndpointProvider provider) {
            return builder.endpointProvider(endpoints(provider));
        }
        if (first instanceof ClientAsyncConfiguration configuration) {
            return builder.asyncConfiguration(completion(configuration));
        }
        try {
            return method.invoke(builder, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
