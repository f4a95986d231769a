package io.leasekit.spring.actuate;

import io.leasekit.text.Text;
import java.util.Locale;
import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;

/**
 * Hides secrets in the endpoints {@code configprops} and {@code env}, even if these endpoints show values. The secrets
 * are the secret key of {@code lease.dynamodb.*}, and a user and password in the address
 * {@code lease.dynamodb.endpoint}. Thread-safe.
 */
public final class SecretsSanitizer implements SanitizingFunction {

    /** Creates the function. */
    public SecretsSanitizer() {}

    @Override
    public SanitizableData apply(SanitizableData data) {
        String name = letters(data.getKey());
        if (!name.startsWith("lease")) {
            return data;
        }
        if (name.endsWith("secretkey")) {
            return data.withSanitizedValue();
        }
        Object value = data.getValue();
        return name.endsWith("dynamodbendpoint") && value != null ? data.withValue(Text.address(value)) : data;
    }

    /**
     * Returns the letters and digits of a property's name in lower case, because a name has several spellings, such as
     * {@code LEASE_DYNAMODB_SECRETKEY}.
     */
    private static String letters(String key) {
        return key.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
    }
}
