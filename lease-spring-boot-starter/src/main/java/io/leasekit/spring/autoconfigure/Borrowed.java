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
 * Objects of the application in the client for leases. A client of the SDK closes its providers that can be closed. So it gets
 * delegates, which cannot be closed. Executors, metric publishers and interceptors stay open anyway.
 */
final class Borrowed {

    private Borrowed() {}

    /** The last plugin of the client, which sees all that customizers and their plugins have set. */
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
