package io.leasekit.docs;

import io.leasekit.LeaseManager;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.autoconfigure.LeaseDynamoDbClientCustomizer;
import io.leasekit.spring.autoconfigure.LeaseManagerCustomizer;
import java.util.concurrent.Executor;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.Bean;
import software.amazon.awssdk.http.nio.netty.NettyNioAsyncHttpClient;
import software.amazon.awssdk.http.nio.netty.ProxyConfiguration;

/** The Java examples of docs/configuration.md, between a line {@code // <name>} and a line {@code // end}. */
class ConfigurationExamples {

    record Shipping(LeaseManager leases) {}

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

    // callbacks
    @Bean
    LeaseManagerCustomizer leaseCallbacks(Executor leaseCallbackExecutor) {
        return (name, builder) -> builder.callbackExecutor(leaseCallbackExecutor);
    }
    // end

    static class Orders {
        // named
        @DistributedLease(key = "order-#{#id}", manager = "orders")
        public void ship(long id) {
            // uses the table order-leases
        }
        // end
    }

    // qualified
    @Bean
    Shipping shipping(@Qualifier("orders") LeaseManager leases) {
        return new Shipping(leases);
    }
    // end
}
