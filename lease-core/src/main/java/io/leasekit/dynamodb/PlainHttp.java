package io.leasekit.dynamodb;

import java.net.URI;
import java.util.Locale;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/**
 * Logs a warning if requests leave this machine unencrypted. Anyone on the network path could change unencrypted
 * requests and replies, and so grant or end leases.
 */
final class PlainHttp {

    private static final Logger log = LoggerFactory.getLogger(PlainHttp.class);

    /** A DNS lookup instead of this pattern could block, and could find another address than the client's lookup. */
    private static final Pattern LOOPBACK =
            Pattern.compile("localhost|.*\\.localhost|127(\\.\\d{1,3}){3}|\\[(::1|0:0:0:0:0:0:0:1)]");

    private PlainHttp() {}

    static void warnIfExposed(DynamoDbAsyncClient client) {
        client.serviceClientConfiguration()
                .endpointOverride()
                .filter(PlainHttp::isExposed)
                .ifPresent(endpoint -> log.warn(
                        "Endpoint 'http://{}' of the lease table is not encrypted, expected https for other machines",
                        endpoint.getHost()));
    }

    static boolean isExposed(URI endpoint) {
        String host = endpoint.getHost();
        return "http".equalsIgnoreCase(endpoint.getScheme())
                && host != null
                && !LOOPBACK.matcher(host.toLowerCase(Locale.ROOT)).matches();
    }
}
