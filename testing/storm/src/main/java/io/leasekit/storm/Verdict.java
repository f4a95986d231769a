package io.leasekit.storm;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The result of a judgement.
 *
 * @param violations the violations of each broken rule
 * @param leases granted leases
 * @param processes processes, restarted ones counted again
 * @param processTime sum of the times that they lived
 * @param killed processes without an orderly end
 * @param lost leases whose loss was reported
 * @param samples questions whether a lease is valid
 * @param accepted guarded writes in the referee's log
 * @param stale guarded writes that the check of their lease refused
 * @param runs recorded successes of runs
 * @param alreadyRan calls that were answered "already ran"
 * @param permits those of the leases that are permits
 * @param terms those of the leases under which the work of a leader ran
 */
record Verdict(
        Map<String, List<String>> violations,
        long leases,
        long processes,
        Duration processTime,
        long killed,
        long lost,
        long samples,
        long accepted,
        long stale,
        long runs,
        long alreadyRan,
        long permits,
        long terms) {

    private static final int SHOWN = 5;

    boolean isClean() {
        return violations.isEmpty();
    }

    @Override
    public String toString() {
        String figures = String.format(
                Locale.ROOT,
                "%d leases, %d of them lost; %d processes, %d of them killed, with a total running time of %.2f hours;"
                        + " %d samples; %d guarded writes accepted, %d refused; %d runs done, %d calls refused because"
                        + " their run was done; %d permits, %d terms of leaders",
                leases,
                lost,
                processes,
                killed,
                processTime.toMillis() / 3_600_000.0,
                samples,
                accepted,
                stale,
                runs,
                alreadyRan,
                permits,
                terms);
        return isClean() ? "No violation: " + figures : "VIOLATIONS in " + figures + "\n" + listed();
    }

    private String listed() {
        return violations.entrySet().stream()
                .map(rule -> rule.getKey() + ": " + rule.getValue().size() + "\n"
                        + rule.getValue().stream()
                                .limit(SHOWN)
                                .map(text -> "  " + text)
                                .collect(Collectors.joining("\n")))
                .collect(Collectors.joining("\n"));
    }
}
