package io.leasekit.spring.autoconfigure;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.springframework.aop.framework.ProxyFactory;
import software.amazon.awssdk.core.SdkServiceClientConfiguration;
import software.amazon.awssdk.core.client.config.ClientOverrideConfiguration;
import software.amazon.awssdk.core.client.config.SdkAdvancedClientOption;
import software.amazon.awssdk.core.signer.AsyncRequestBodySigner;
import software.amazon.awssdk.core.signer.AsyncSigner;
import software.amazon.awssdk.core.signer.Signer;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;
import software.amazon.awssdk.identity.spi.IdentityProvider;
import software.amazon.awssdk.identity.spi.ResolveIdentityRequest;
import software.amazon.awssdk.services.dynamodb.DynamoDbServiceClientConfiguration;
import software.amazon.awssdk.services.dynamodb.auth.scheme.DynamoDbAuthSchemeProvider;
import software.amazon.awssdk.services.dynamodb.endpoints.DynamoDbEndpointProvider;

/**
 * Wraps the application's closeable providers, which the DynamoDB client for leases would otherwise close. Executors,
 * metric publishers and interceptors are not wrapped, because an SDK client never closes them.
 */
@SuppressWarnings("deprecation") // the SDK still uses the deprecated signers
final class Borrowed {

    private Borrowed() {}

    /** Runs as the client's last SDK plugin, to wrap the providers of customizers and other plugins. */
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
        for (var option : List.of(SdkAdvancedClientOption.SIGNER, SdkAdvancedClientOption.TOKEN_SIGNER)) {
            lend(
                    settings,
                    override -> override.advancedOption(option),
                    (override, signer) -> override.putAdvancedOption(option, unclosed(signer)));
        }
        lend(
                settings,
                ClientOverrideConfiguration::defaultProfileFileSupplier,
                (override, profiles) -> override.defaultProfileFileSupplier(() -> profiles.get()));
    }

    private static <T> void lend(
            DynamoDbServiceClientConfiguration.Builder settings,
            Function<ClientOverrideConfiguration, Optional<T>> get,
            BiConsumer<ClientOverrideConfiguration.Builder, T> setUnclosed) {
        ClientOverrideConfiguration before = settings.overrideConfiguration();
        get.apply(before)
                .filter(AutoCloseable.class::isInstance)
                .ifPresent(closeable -> settings.overrideConfiguration(
                        before.copy(override -> setUnclosed.accept(override, closeable))));
    }

    /** The proxy keeps all signer interfaces, because the SDK selects the method to call by these interfaces. */
    private static Signer unclosed(Signer signer) {
        ProxyFactory proxy = new ProxyFactory();
        proxy.setTarget(signer);
        Stream.of(Signer.class, AsyncSigner.class, AsyncRequestBodySigner.class)
                .filter(type -> type.isInstance(signer))
                .forEach(proxy::addInterface);
        return (Signer) proxy.getProxy();
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
