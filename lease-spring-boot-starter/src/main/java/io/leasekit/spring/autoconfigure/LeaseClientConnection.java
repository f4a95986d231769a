package io.leasekit.spring.autoconfigure;

import io.leasekit.text.Text;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.AwsServiceClientConfiguration;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;
import software.amazon.awssdk.identity.spi.IdentityProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClientBuilder;

/** Connection settings for DynamoDB; {@code null} selects the default of the AWS SDK. */
record LeaseClientConnection(
        @Nullable Region region,
        @Nullable IdentityProvider<? extends AwsCredentialsIdentity> credentials,
        @Nullable URI endpoint) {

    static LeaseClientConnection of(AwsServiceClientConfiguration client) {
        return new LeaseClientConnection(
                client.region(),
                client.credentialsProvider(),
                client.endpointOverride().orElse(null));
    }

    static LeaseClientConnection of(LeaseProperties.DynamoDb properties) {
        String region = properties.region();
        String accessKey = properties.accessKey();
        String secretKey = properties.secretKey();
        return new LeaseClientConnection(
                region == null ? null : Region.of(region),
                accessKey == null || secretKey == null
                        ? null
                        : StaticCredentialsProvider.create(AwsBasicCredentials.create(accessKey, secretKey)),
                properties.address());
    }

    void applyTo(DynamoDbAsyncClientBuilder builder) {
        if (region != null) {
            builder.region(region);
        }
        if (credentials != null) {
            builder.credentialsProvider(credentials);
        }
        if (endpoint != null) {
            builder.endpointOverride(endpoint);
        }
    }

    List<String> differences(LeaseProperties.DynamoDb properties) {
        List<String> differences = new ArrayList<>();
        if (properties.region() != null && !Region.of(properties.region()).equals(region)) {
            differences.add(
                    "'lease.dynamodb.region' is '" + properties.region() + "', and its region is '" + region + "'");
        }
        URI address = properties.address();
        if (address != null && !address.equals(endpoint)) {
            differences.add(difference(address));
        }
        if (properties.accessKey() != null) {
            differences.add("'lease.dynamodb.access-key' is set, and it has credentials of its own");
        }
        return differences;
    }

    private String difference(URI property) {
        String shown = Text.address(property);
        if (endpoint == null) {
            return "'lease.dynamodb.endpoint' is '" + shown + "', and it has no endpoint";
        }
        String own = Text.address(endpoint);
        return own.equals(shown)
                ? "'lease.dynamodb.endpoint' has another user or password than its endpoint '" + own + "'"
                : "'lease.dynamodb.endpoint' is '" + shown + "', and its endpoint is '" + own + "'";
    }
}
