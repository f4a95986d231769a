package io.leasekit.dynamodb;

import java.net.URI;
import java.util.Locale;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** Whether requests leave this machine unencrypted: whoever is on the way could then grant and end leases. */
final class PlainHttp {

    private static final Logger log = LoggerFactory.getLogger(PlainHttp.class);

    /** By its text only: looking a name up may take long, and tell another address than the client's own look-up. */
    private static final Pattern LOOPBACK =
            Pattern.compile("localhost|.*\\.localhost|127(\\.\\d{1,3}){3}|\\[(::1|0:0:0:0:0:0:0:1)]");

    private PlainHttp() {}

    static void warnOf(DynamoDbAsyncClient client) {
        client.serviceClientConfiguration()
                .endpointOverride()
                .filter(PlainHttp::isExposed)
                .ifPresent(endpoint -> log.warn(
                        "Endpoint 'http://{}' of the lease table is not encrypted, expected https where it is not on this"
                                + " machine",
                        endpoint.getHost()));
    }

    static boolean isExposed(URI endpoint) {
        String host = endpoint.getHost();
        return "http".equalsIgnoreCase(endpoint.getScheme())
                && host != null
                && !LOOPBACK.matcher(host.toLowerCase(Locale.ROOT)).matches();
    }
}
