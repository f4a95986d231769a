package io.leasekit.spring.actuate;

import java.util.Locale;
import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;

/**
 * Hides the secret keys of {@code lease.dynamodb.*} and {@code lease.managers.<name>.dynamodb.*} in the endpoints
 * {@code configprops} and {@code env}, even where these show values. Thread-safe.
 */
public final class SecretsSanitizer implements SanitizingFunction {

    /** Creates the function. */
    public SecretsSanitizer() {}

    @Override
    public SanitizableData apply(SanitizableData data) {
        return isSecret(data.getKey()) ? data.withSanitizedValue() : data;
    }

    /** Accepts every notation: {@code lease.dynamodb.secret-key}, {@code LEASE_DYNAMODB_SECRETKEY}. */
    private static boolean isSecret(String key) {
        String letters = key.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
        return letters.startsWith("lease") && letters.endsWith("secretkey");
    }
}
