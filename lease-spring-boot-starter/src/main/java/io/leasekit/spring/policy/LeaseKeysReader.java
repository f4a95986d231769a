package io.leasekit.spring.policy;

import io.leasekit.LeaseRequest;
import io.leasekit.spring.key.LeaseKeyTemplate;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Reads the keys of an annotated method, and the name of its lease. */
final class LeaseKeysReader {

    private final AnnotatedMethod annotated;
    private final String prefix;
    private final Set<String> fixed = new HashSet<>();

    LeaseKeysReader(AnnotatedMethod annotated, String prefix) {
        this.annotated = annotated;
        this.prefix = prefix;
    }

    String name() {
        return AnnotationTexts.asName(texts().stream()
                .map(text -> text.isBlank() ? annotated.stableName() : text)
                .collect(Collectors.joining(", ")));
    }

    List<LeaseKey> keys() {
        return texts().stream().map(this::key).toList();
    }

    private List<String> texts() {
        return annotated.annotations().stream()
                .map(annotation -> annotation.getString("key"))
                .toList();
    }

    private LeaseKey key(String text) {
        return text.isEmpty()
                ? fixed(annotated.stableName())
                : annotated.read("key", text, "Correct the key.", () -> written(text));
    }

    private LeaseKey written(String text) {
        LeaseKeyTemplate template = annotated.template(text, "lease key");
        String constant = template.constant();
        return constant != null ? fixed(constant) : new LeaseKey(prefix, template);
    }

    private LeaseKey fixed(String key) {
        String full = LeaseRequest.of(prefix + key).key();
        if (!fixed.add(full)) {
            throw annotated.invalid("two of its annotations have the key '" + full + "'", "Remove one of them.");
        }
        return new LeaseKey(full, null);
    }
}
