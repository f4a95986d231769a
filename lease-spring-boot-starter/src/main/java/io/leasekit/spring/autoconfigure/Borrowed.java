package io.leasekit.spring.autoconfigure;

import java.util.concurrent.CompletableFuture;
import software.amazon.awssdk.core.SdkServiceClientConfiguration;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;
import software.amazon.awssdk.identity.spi.IdentityProvider;
import software.amazon.awssdk.identity.spi.ResolveIdentityRequest;
import software.amazon.awssdk.services.dynamodb.DynamoDbServiceClientConfiguration;
import software.amazon.awssdk.services.dynamodb.auth.scheme.DynamoDbAuthSchemeProvider;
import software.amazon.awssdk.services.dynamodb.endpoints.DynamoDbEndpointProvider;

/**
 * Wraps the application's providers, for example of credentials, that the DynamoDB client for leases uses. When an SDK
 * client is closed, it also closes its closeable providers. The wrappers are not closeable, so the application's
 * providers stay open. An SDK client never closes executors, metric publishers or interceptors.
 */
final class Borrowed {

    private Borrowed() {}

    /**
     * Wraps the providers of a client. This method runs as the last SDK plugin of the client, so providers that
     * customizers and their plugins have set are wrapped, too.
     */
    static void lend(SdkServiceClientConfiguration.Builder client) {
        var settings = (DynamoDbServiceClientConfiguration.Builder) client;
        IdentityProvider<? extends AwsCredentialsIdentity> credentials = settings.credentialsProvider();
        if (credentials instanceof AutoCloseable) {
            settings.credentialsProvider(new Credentials(credentials));
        }
        if (settings.endpointProvider() instanceof DynamoDbEndpointProvider endpoints
                && endpoints instanceof AutoCloseable) {
            DynamoDbEndpointProvider unclosed = parameters -> endpoints.resolveEndpoint(parameters);
            settings.endpointProvider(unclosed);
        }
        DynamoDbAuthSchemeProvider schemes = settings.authSchemeProvider();
        if (schemes instanceof AutoCloseable) {
            settings.authSchemeProvider(parameters -> schemes.resolveAuthScheme(parameters));
        }
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
}
