package io.leasekit.storm;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Judges a storm by the histories of its processes and by the tables at its end. It knows neither the faults nor the
 * processes that were stopped or killed. It needs nothing but a JDK.
 */
public final class Judge {

    static final String EXCLUSION = "exclusion";
    static final String ENDINGS = "endings";
    static final String TOKENS = "tokens";
    static final String WRITES = "guarded writes";
    static final String RUNS = "runs";
    static final String NOTHING_LOST = "nothing lost";
    static final String PERMITS = "permits";
    static final String LEADERS = "leaders";

    private static final Map<String, Rule> RULES = Map.of(
            EXCLUSION,
            new Exclusion(),
            ENDINGS,
            new Endings(),
            TOKENS,
            new Tokens(),
            WRITES,
            new GuardedWrites(),
            RUNS,
            new Runs(),
            NOTHING_LOST,
            new NothingLost(),
            PERMITS,
            new Permits(),
            LEADERS,
            new Leaders());

    private Judge() {}

    /** Judges the folders or zip files that are named, and exits with status 1 if there is a violation. */
    public static void main(String[] args) throws IOException {
        boolean clean = args.length > 0;
        for (String place : args) {
            Verdict verdict = judge(Histories.read(Path.of(place)));
            System.out.println(place + ": " + verdict);
            clean &= verdict.isClean();
        }
        System.exit(clean ? 0 : 1);
    }

    /**
     * Judges this evidence.
     *
     * @throws IllegalArgumentException if no lease was granted, so nothing can be judged
     */
    static Verdict judge(Evidence evidence) {
        if (evidence.leases().isEmpty()) {
            throw new IllegalArgumentException("No lease was granted, so there is nothing to judge");
        }
        Map<String, List<String>> violations = new TreeMap<>();
        RULES.forEach((name, rule) -> {
            List<String> found = rule.violations(evidence);
            if (!found.isEmpty()) {
                violations.put(name, found);
            }
        });
        return new Verdict(
                violations,
                evidence.leases().size(),
                evidence.processes().size(),
                evidence.processTime(),
                evidence.processes().size() - evidence.ended().size(),
                evidence.leases().stream()
                        .filter(lease -> lease.lost() != Held.NEVER)
                        .count(),
                evidence.samples(),
                evidence.log().values().stream().mapToLong(List::size).sum(),
                evidence.writes().stream()
                        .filter(write -> write.outcome().equals(GuardedWrite.STALE))
                        .count(),
                evidence.leases().stream().filter(Held::ran).count(),
                evidence.alreadyRan().size(),
                evidence.leases().stream().filter(Held::isPermit).count(),
                evidence.leases().stream().filter(Held::isTerm).count());
    }
}
