package io.leasekit.spring.aop;

import io.leasekit.LeaseRequest;
import java.time.Duration;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;

/** Reads the durations of an annotated method, as a function that adds them to a request. */
final class LeaseTermsReader {

    private static final String UNLIMITED = "unlimited";
    private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");

    private final AnnotatedMethod annotated;
    private UnaryOperator<LeaseRequest> terms = UnaryOperator.identity();

    LeaseTermsReader(AnnotatedMethod annotated) {
        this.annotated = annotated;
    }

    UnaryOperator<LeaseRequest> read() {
        add("ttl", LeaseRequest::ttl);
        add("waitFor", LeaseRequest::waitFor);
        add("holdAtLeast", LeaseRequest::holdAtLeast);
        add("cooldown", LeaseRequest::cooldown);
        add("holdAtMost", LeaseRequest::holdAtMost);
        return terms;
    }

    private void add(String attribute, BiFunction<LeaseRequest, Duration, LeaseRequest> wither) {
        Duration value = duration(attribute);
        if (value == null) {
            return;
        }
        UnaryOperator<LeaseRequest> before = terms;
        terms = request -> wither.apply(before.apply(request), value);
        try {
            var unused = wither.apply(LeaseRequest.of(annotated.method().getName()), value);
        } catch (IllegalArgumentException e) {
            throw annotated.invalid(String.valueOf(e.getMessage()), "Correct '" + attribute + "'.", e);
        }
    }

    private @Nullable Duration duration(String attribute) {
        String text = annotated.text(attribute);
        boolean mayBeUnlimited = attribute.equals("waitFor");
        if (text.isBlank()) {
            return null;
        }
        if (mayBeUnlimited && text.equals(UNLIMITED)) {
            return LeaseRequest.UNLIMITED;
        }
        if (NUMBER.matcher(text).matches() && Long.parseLong(text) != 0) {
            throw annotated.invalid(
                    attribute + " is '" + text + "', which would be " + text + " ms: is the unit missing?",
                    "Write '" + text + "s' for seconds, or '" + text + "ms'.");
        }
        try {
            return DurationStyle.detectAndParse(text);
        } catch (IllegalArgumentException e) {
            throw annotated.invalid(
                    attribute + " is '" + text + "', expected a duration",
                    "Use the format of '500ms', '10s', '5m' or 'PT1H'"
                            + (mayBeUnlimited ? ", or '" + UNLIMITED + "'." : "."),
                    e);
        }
    }
}
