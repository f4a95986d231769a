package io.leasekit.docs;

import io.leasekit.LeaseManager;
import io.leasekit.LeaseManagerBuilder;
import io.leasekit.dynamodb.CheckedStore;
import io.leasekit.spring.autoconfigure.LeaseDynamoDbClientCustomizer;
import io.leasekit.spring.autoconfigure.LeaseManagerCustomizer;
import io.leasekit.store.LeaseStore;
import java.time.Duration;
import java.util.List;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.Bean;
import software.amazon.awssdk.http.nio.netty.NettyNioAsyncHttpClient;
import software.amazon.awssdk.http.nio.netty.ProxyConfiguration;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** The Java examples of docs/configuration.md, between a line {@code // <name>} and a line {@code // end}. */
class ConfigurationExamples {

    static class Proxy {
        // proxy
        @Bean
        LeaseDynamoDbClientCustomizer leaseClientConnection() {
            return builder -> builder.fipsEnabled(true)
                    .dualstackEnabled(true)
                    .httpClientBuilder(NettyNioAsyncHttpClient.builder()
                            .proxyConfiguration(ProxyConfiguration.builder()
                                    .host("proxy")
                                    .port(3128)
                                    .build()));
        }
        // end
    }

    // further
    @Bean(defaultCandidate = false)
    CheckedStore orderStore(@Qualifier("leaseDynamoDbAsyncClient") DynamoDbAsyncClient client) {
        return CheckedStore.builder().client(client).table("order-leases").open();
    }

    @Bean(defaultCandidate = false)
    LeaseManager orders(@Qualifier("orderStore") LeaseStore store, List<LeaseManagerCustomizer> customizers) {
        LeaseManagerBuilder builder = LeaseManager.builder(store).ttl(Duration.ofSeconds(15));
        customizers.forEach(customizer -> customizer.customize("orders", builder));
        return builder.build();
    }
    // end
}
