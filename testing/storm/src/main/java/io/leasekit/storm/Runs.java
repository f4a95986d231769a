package io.leasekit.storm;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Runs are done once: no lease is granted for a run after a release has surely recorded its success. And a call is
 * answered "already ran" only if a process has tried to record that success before. In growing order, a run also covers
 * those with smaller names. The key says which order its runs have.
 */
final class Runs implements Rule {

    @Override
    public List<String> violations(Evidence evidence) {
        List<String> violations = new ArrayList<>();
        evidence.leasesByKey().forEach((key, leases) -> {
            List<Held> ofRuns = leases.stream()
                    .filter(lease -> lease.run().isPresent())
                    .sorted(Comparator.comparing(Held::token))
                    .toList();
            checkOnce(key, ofRuns, violations);
        });
        Map<String, NavigableMap<String, Long>> tried = tried(evidence);
        evidence.alreadyRan()
                .forEach(answer -> checkAnswer(answer, tried.getOrDefault(answer.key(), new TreeMap<>()), violations));
        return violations;
    }

    private static boolean isGrowing(String key) {
        return key.equals(Scene.GROWING_JOB);
    }

    private static void checkOnce(String key, List<Held> byToken, List<String> violations) {
        Map<String, Held> done = new HashMap<>();
        String last = "";
        for (Held lease : byToken) {
            String run = lease.run().orElseThrow();
            Held first = done.get(run);
            if (first != null) {
                violations.add(
                        "Run '%s' of '%s' was granted to %s although %s had done it".formatted(run, key, lease, first));
            } else if (isGrowing(key) && run.compareTo(last) <= 0) {
                violations.add("Run '%s' of '%s' was granted to %s although '%s' had been done"
                        .formatted(run, key, lease, last));
            }
            if (lease.ran() && lease.surelyReleased() != Held.NEVER) {
                done.putIfAbsent(run, lease);
                last = run.compareTo(last) > 0 ? run : last;
            }
        }
    }

    private static void checkAnswer(
            Evidence.AlreadyRan answer, NavigableMap<String, Long> tried, List<String> violations) {
        NavigableMap<String, Long> covering = isGrowing(answer.key())
                ? tried.tailMap(answer.run(), true)
                : tried.subMap(answer.run(), true, answer.run(), true);
        if (covering.values().stream().noneMatch(begun -> begun < answer.at())) {
            violations.add("%s was answered at %d that run '%s' of '%s' is done, but no process had done it"
                    .formatted(answer.process(), answer.at(), answer.run(), answer.key()));
        }
    }

    /** Returns when the first release with a success of each run began, by key and run. */
    private static Map<String, NavigableMap<String, Long>> tried(Evidence evidence) {
        Map<String, NavigableMap<String, Long>> tried = new HashMap<>();
        evidence.leases().stream()
                .filter(Held::ran)
                .forEach(lease -> lease.keys()
                        .forEach(key -> tried.computeIfAbsent(key, first -> new TreeMap<>())
                                .merge(lease.run().orElseThrow(), lease.releaseBegun(), Math::min)));
        return tried;
    }
}
