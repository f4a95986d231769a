package io.leasekit.spring.policy;

import io.leasekit.LeaseRequest;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Reads the durations, the permits and {@code resumable} of an annotated method. */
final class LeaseTermsReader {

    private final AnnotatedMethod annotated;
    private final String name;
    private UnaryOperator<LeaseRequest> terms = UnaryOperator.identity();

    /** Error texts show {@code name}, the name of the lease, in place of the key. */
    LeaseTermsReader(AnnotatedMethod annotated, String name) {
        this.annotated = annotated;
        this.name = name;
    }

    UnaryOperator<LeaseRequest> read() {
        AnnotationTexts<?> texts = annotated.texts();
        add("ttl", texts.duration("ttl"), LeaseRequest::ttl);
        add("waitFor", texts.durationOrUnlimited("waitFor"), LeaseRequest::waitFor);
        add("holdAtLeast", texts.duration("holdAtLeast"), LeaseRequest::holdAtLeast);
        add("cooldown", texts.duration("cooldown"), LeaseRequest::cooldown);
        add("holdAtMost", texts.duration("holdAtMost"), LeaseRequest::holdAtMost);
        addPermits(texts.number("permits"), texts.number("permitsPerNode"));
        addProgress();
        return terms;
    }

    /** Progress is stored in the item of one permit, so a call that gets another permit would lack the progress. */
    private void addProgress() {
        if (!annotated.isResumable() && !annotated.hasProgressParameter()) {
            return;
        }
        String cause = annotated.resumableBy();
        String removed = annotated.hasProgressParameter() ? "the parameter." : "'resumable'.";
        if (annotated.annotations().size() > 1) {
            throw annotated.invalid(
                    cause + ", but its lease has several keys, expected one, whose item has the progress",
                    "Keep one annotation, or remove " + removed);
        }
        int permits = terms.apply(LeaseRequest.of(name)).permits();
        if (permits > 0) {
            throw annotated.invalid(
                    cause + ", but permits is " + permits
                            + ", expected none: the next call may get another permit, whose item lacks the progress",
                    "Remove 'permits', or " + removed);
        }
        UnaryOperator<LeaseRequest> before = terms;
        terms = request -> before.apply(request).resumable();
    }

    private void addPermits(@Nullable Integer permits, @Nullable Integer perNode) {
        if (permits != null && annotated.annotations().size() > 1) {
            throw annotated.invalid(
                    "permits is set, but its lease has several keys", "Keep one annotation, or remove 'permits'.");
        }
        if (permits == null && perNode != null) {
            throw annotated.invalid(
                    "permitsPerNode is set without permits", "Set 'permits' to the number for all processes.");
        }
        add("permits", permits, LeaseRequest::permits);
        add("permitsPerNode", perNode, LeaseRequest::permitsPerNode);
    }

    private <T> void add(String attribute, @Nullable T value, BiFunction<LeaseRequest, T, LeaseRequest> wither) {
        if (value == null) {
            return;
        }
        UnaryOperator<LeaseRequest> before = terms;
        terms = request -> wither.apply(before.apply(request), value);
        try {
            var unused = terms.apply(LeaseRequest.of(name));
        } catch (IllegalArgumentException e) {
            throw annotated.invalid(String.valueOf(e.getMessage()), "Correct '" + attribute + "'.", e);
        }
    }
}
