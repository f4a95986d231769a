package io.leasekit.dynamodb.local;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;

/** Checks whether DynamoDB Local answers on an endpoint. */
final class Probe {

    private static final int TIMEOUT_MILLIS = 2_000;

    private Probe() {}

    static URI endpoint(int port) {
        return URI.create("http://127.0.0.1:" + port);
    }

    /** Returns whether the endpoint replies like DynamoDB. Every reply of DynamoDB, even an error, has a request id. */
    static boolean answers(URI endpoint) {
        try {
            HttpURLConnection connection = (HttpURLConnection) endpoint.toURL().openConnection(Proxy.NO_PROXY);
            connection.setConnectTimeout(TIMEOUT_MILLIS);
            connection.setReadTimeout(TIMEOUT_MILLIS);
            try {
                connection.getResponseCode();
                return connection.getHeaderField("x-amzn-RequestId") != null;
            } finally {
                connection.disconnect();
            }
        } catch (IOException e) {
            return false;
        }
    }
}
