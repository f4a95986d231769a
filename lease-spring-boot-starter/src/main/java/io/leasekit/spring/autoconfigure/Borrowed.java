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

    /**
     * A plugin of the SDK, which sees the settings when customizers have changed them. A default chain belongs to the client,
     * which closes it.
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
