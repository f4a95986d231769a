package io.leasekit.spring.aop;

import io.leasekit.spring.DistributedLease;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.springframework.core.annotation.MergedAnnotation;

/** What several annotations of one place have to be like: they make one lease of several keys, so they have one policy. */
final class SeveralLeases {

    private static final Set<String> KEYS = Set.of("key", "value");

    private SeveralLeases() {}

    static void refuseDifferentPolicies(List<MergedAnnotation<DistributedLease>> annotations, LeaseMethodRules rules) {
        MergedAnnotation<DistributedLease> first = annotations.get(0);
        List<String> attributes = Arrays.stream(DistributedLease.class.getDeclaredMethods())
                .map(Method::getName)
                .filter(name -> !KEYS.contains(name))
                .sorted()
                .toList();
        for (MergedAnnotation<DistributedLease> other : annotations) {
            for (String attribute : attributes) {
                refuseDifferent(attribute, text(first, attribute), text(other, attribute), rules);
            }
        }
    }

    private static void refuseDifferent(String attribute, String one, String other, LeaseMethodRules rules) {
        if (!one.equals(other)) {
            throw rules.invalid(
                    "its annotations differ in '" + attribute + "': '" + one + "' and '" + other
                            + "', but several keys are one lease",
                    "Set '" + attribute + "' alike in all of them.",
                    null);
        }
    }

    private static String text(MergedAnnotation<DistributedLease> annotation, String attribute) {
        return annotation.getValue(attribute).map(String::valueOf).orElse("");
    }
}
