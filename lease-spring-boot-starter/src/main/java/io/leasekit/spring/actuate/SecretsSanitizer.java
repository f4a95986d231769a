package io.leasekit.spring.actuate;

import java.util.Locale;
import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;

/**
 * Keeps the secret keys of {@code lease.dynamodb.*} and {@code lease.managers.<name>.dynamodb.*} out of the endpoints
 * {@code configprops} and {@code env}, also where those show values. Thread-safe.
 */
public final class SecretsSanitizer implements SanitizingFunction {

    /** Creates the function. */
    public SecretsSanitizer() {}

    @Override
    public SanitizableData apply(SanitizableData data) {
        return isSecret(data.getKey()) ? data.withSanitizedValue() : data;
    }

    /** Whichever way it is written: {@code lease.dynamodb.secret-key}, {@code LEASE_DYNAMODB_SECRETKEY}. */
    private static boolean isSecret(String key) {
        String letters = key.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
        return letters.startsWith("lease") && letters.endsWith("secretkey");
    }
}
