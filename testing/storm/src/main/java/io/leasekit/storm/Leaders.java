package io.leasekit.storm;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One process leads at a time. The work of a leader
 *
 * <ul>
 *   <li>begins only after its process reported the grant, and while no other term is valid as proved. It is called within the
 *       time from the start of its thread to its own first reading, in which its lease was valid at some instant;
 *   <li>is never called twice at a time by one election, whatever has ended the earlier call's validity;
 *   <li>returns before the release of its lease begins;
 *   <li>and no process is said to lead while another one's term is valid as proved, or after its work was told to stop.
 * </ul>
 */
final class Leaders implements Rule {

    @Override
    public List<String> violations(Evidence evidence) {
        List<String> violations = new ArrayList<>();
        List<Held> terms = evidence.leases().stream()
                .filter(Held::isTerm)
                .sorted(Comparator.comparing(Held::granted))
                .toList();
        for (Held term : terms) {
            checkGrant(term, evidence, violations);
            checkEnd(term, violations);
        }
        checkCalls(terms, violations);
        checkOthers(terms, evidence, violations);
        return violations;
    }

    private static void checkGrant(Held term, Evidence evidence, List<String> violations) {
        if (!term.wasAcquired() && evidence.ended().contains(term.process())) {
            violations.add("The work of %s ran without a grant".formatted(term));
        }
    }

    private static void checkEnd(Held term, List<String> violations) {
        if (term.givenBack() < term.releaseBegun()) {
            violations.add("%s was given back before %d, but its work returned after %s"
                    .formatted(term, term.givenBack(), returned(term)));
        }
        if (term.lastLed() > term.told()) {
            violations.add("%s was said to lead at %d, but was told to stop at %d"
                    .formatted(term, term.lastLed(), term.told()));
        }
    }

    private static String returned(Held term) {
        return term.releaseBegun() == Held.NEVER ? "the end of the history" : String.valueOf(term.releaseBegun());
    }

    /** {@code terms}: in the order in which their work began. */
    private static void checkCalls(List<Held> terms, List<String> violations) {
        Map<String, Held> last = new HashMap<>();
        for (Held term : terms) {
            Held earlier = last.put(term.election(), term);
            if (earlier != null && term.granted() < earlier.releaseBegun()) {
                violations.add("Election '%s' called the work of %s at %d, but that of %s returned after %s"
                        .formatted(term.election(), term, term.granted(), earlier, returned(earlier)));
            }
        }
    }

    private static void checkOthers(List<Held> terms, Evidence evidence, List<String> violations) {
        Validities validities = new Validities(terms);
        for (Held term : terms) {
            validities.covering(term.started(), term.granted()).stream()
                    .filter(other -> other != term && other.keys().equals(term.keys()))
                    .forEach(other -> violations.add("The work of %s began between %d and %d, while %s was valid"
                            .formatted(term, term.started(), term.granted(), other)));
        }
        for (Evidence.Leading sample : evidence.leading()) {
            validities.covering(sample.from(), sample.to()).stream()
                    .filter(other -> !other.process().equals(sample.process())
                            && other.keys().contains(sample.key()))
                    .forEach(other -> violations.add("%s was said to lead between %d and %d, while %s was valid"
                            .formatted(sample.process(), sample.from(), sample.to(), other)));
        }
    }
}
