package io.leasekit.spring.aop;

import io.leasekit.LeaseRequest;
import java.time.Duration;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Reads the durations of an annotated method, as a function that adds them to a request. */
final class LeaseTermsReader {

    private final AnnotatedMethod annotated;
    private UnaryOperator<LeaseRequest> terms = UnaryOperator.identity();

    LeaseTermsReader(AnnotatedMethod annotated) {
        this.annotated = annotated;
    }

    UnaryOperator<LeaseRequest> read() {
        AnnotationTexts<?> texts = annotated.texts();
        add("ttl", texts.duration("ttl"), LeaseRequest::ttl);
        add("waitFor", texts.durationOrUnlimited("waitFor"), LeaseRequest::waitFor);
        add("holdAtLeast", texts.duration("holdAtLeast"), LeaseRequest::holdAtLeast);
        add("cooldown", texts.duration("cooldown"), LeaseRequest::cooldown);
        add("holdAtMost", texts.duration("holdAtMost"), LeaseRequest::holdAtMost);
        return terms;
    }

    private void add(
            String attribute, @Nullable Duration value, BiFunction<LeaseRequest, Duration, LeaseRequest> wither) {
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
}
