package io.leasekit.spring.autoconfigure;

import java.util.concurrent.CompletableFuture;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.core.SdkServiceClientConfiguration;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;
import software.amazon.awssdk.identity.spi.IdentityProvider;
import software.amazon.awssdk.identity.spi.ResolveIdentityRequest;
import software.amazon.awssdk.services.dynamodb.DynamoDbServiceClientConfiguration;
import software.amazon.awssdk.services.dynamodb.endpoints.DynamoDbEndpointProvider;

/**
 * Wraps objects of the application that the DynamoDB client for leases uses. When an SDK client is closed, it closes
 * every closeable object in its settings. The wrappers are not closeable, so the application's objects stay open.
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

    /**
     * SDK plugin that wraps the credentials provider and the endpoint provider. It runs after the customizers, so it
     * also wraps providers that a customizer has set. It does not wrap a default credentials chain, which belongs to
     * the client and is closed with it.
     */
    static void unclosed(SdkServiceClientConfiguration.Builder configuration) {
        DynamoDbServiceClientConfiguration.Builder client = (DynamoDbServiceClientConfiguration.Builder) configuration;
        if (!(client.credentialsProvider() instanceof DefaultCredentialsProvider)) {
            client.credentialsProvider(credentials(client.credentialsProvider()));
        }
        if (client.endpointProvider() instanceof DynamoDbEndpointProvider provider
                && provider instanceof AutoCloseable) {
            client.endpointProvider((DynamoDbEndpointProvider) parameters -> provider.resolveEndpoint(parameters));
        }
    }
}
