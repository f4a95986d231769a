package io.leasekit.spring.policy;

import io.leasekit.LeaseRequest;
import io.leasekit.internal.Internal;
import io.leasekit.limits.Checks;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.annotation.MergedAnnotation;

/**
 * The string attributes of an annotation on a method. Thread-safe.
 *
 * @param type the class that the user wrote, not the class of a proxy
 */
@Internal
public record AnnotationTexts<A extends Annotation>(
        Method method, Class<?> type, MergedAnnotation<A> annotation, ConfigurableBeanFactory beanFactory) {

    static final String SET_PROPERTY = "Set the property.";

    private static final String UNLIMITED = "unlimited";
    private static final Pattern NUMBER = Pattern.compile("[+]?\\d{1,18}");

    public static String asName(String text) {
        return text.length() <= Checks.MAX_NAME ? text : text.substring(0, Checks.MAX_NAME - 1) + "…";
    }

    /** Returns the text of an attribute as written, without resolving its placeholders. */
    public String written(String attribute) {
        return annotation.getString(attribute);
    }

    /** Returns the text of an attribute with placeholders resolved. */
    public String text(String attribute) {
        try {
            String resolved = beanFactory.resolveEmbeddedValue(written(attribute));
            return resolved == null ? "" : resolved;
        } catch (IllegalArgumentException e) {
            throw invalid(attribute + " cannot be read: " + e.getMessage(), SET_PROPERTY, e);
        }
    }

    /** Returns {@code null} if the attribute is blank. */
    public @Nullable Duration duration(String attribute) {
        return duration(attribute, text(attribute), ".");
    }

    /** Returns {@code null} if the attribute is blank. */
    @Nullable
    Duration durationOrUnlimited(String attribute) {
        String text = text(attribute);
        return text.equals(UNLIMITED) ? LeaseRequest.UNLIMITED : duration(attribute, text, ", or '" + UNLIMITED + "'.");
    }

    /** Returns {@code null} if the attribute is blank. */
    @Nullable
    Integer number(String attribute) {
        String text = text(attribute).strip();
        try {
            return text.isEmpty() ? null : Integer.valueOf(text);
        } catch (NumberFormatException e) {
            throw invalid(
                    attribute + " is '" + text + "', expected a whole number", "Write digits only, such as '3'.", e);
        }
    }

    private @Nullable Duration duration(String attribute, String text, String otherFormats) {
        if (text.isBlank()) {
            return null;
        }
        if (NUMBER.matcher(text).matches() && Long.parseLong(text) != 0) {
            throw invalid(
                    attribute + " is '" + text + "', which would be " + text + " ms: is the unit missing?",
                    "Write '" + text + "s' for seconds, or '" + text + "ms'.",
                    null);
        }
        try {
            return DurationStyle.detectAndParse(text);
        } catch (IllegalArgumentException e) {
            throw invalid(
                    attribute + " is '" + text + "', expected a duration",
                    "Use the format of '500ms', '10s', '5m' or 'PT1H'" + otherFormats,
                    e);
        }
    }

    public InvalidLeaseMethodException invalid(String problem, String fix, @Nullable Throwable cause) {
        return new InvalidLeaseMethodException(annotation.getType(), method, type, problem, fix, cause);
    }
}
