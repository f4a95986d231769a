package io.leasekit.spring.actuate;

import io.leasekit.LeaderElection;
import io.leasekit.LeasePause;
import io.leasekit.spring.policy.LeasedMethod;
import io.leasekit.text.Text;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The keys of the annotated methods and elections of this node. Finds those that a pause covers and, for a key that none of them
 * has, the one that was probably meant. Immutable.
 */
final class KnownKeys {

    private static final String ANY = "*";
    private static final int SHOWN = 10;

    private final List<Known> all;
    private final String prefix;
    private final boolean showKeys;

    /**
     * A method with its key.
     *
     * @param key the key in the table; {@code null} if it differs between calls
     * @param begin the text that each of its keys begins with
     * @param manager the bean name of its manager; {@code null} if it is not known
     */
    private record Known(
            String method,
            @Nullable String key,
            String begin,
            @Nullable String manager) {

        boolean isCovered(LeasePause pause) {
            return key != null && pause.covers(key);
        }

        /** Returns whether a key of this method, which differs between calls, may be covered. */
        boolean mayBeCovered(LeasePause pause) {
            if (key != null) {
                return false;
            }
            String text = withoutStar(pause.keyOrPrefix());
            return text.startsWith(begin) || (pause.keyOrPrefix().endsWith(ANY) && begin.startsWith(text));
        }

        boolean isOf(String name) {
            return name.equals(manager);
        }

        /** Returns whether this text names the method, with or without its class and package. */
        boolean isNamed(String text) {
            String given = dotted(text);
            String whole = dotted(method);
            return !given.isEmpty() && (whole.equals(given) || whole.endsWith("." + given));
        }

        /** A nested class has a dollar sign in its name, and people write a dot; references have a hash. */
        private static String dotted(String name) {
            return name.toLowerCase(Locale.ROOT).replace('#', '.').replace('$', '.');
        }
    }

    KnownKeys(
            List<LeasedMethod> methods,
            Function<LeasedMethod, @Nullable String> managerOf,
            Map<String, LeaderElection> elections,
            Function<String, @Nullable String> managerOfElection,
            String prefix,
            boolean showKeys) {
        List<Known> known = new ArrayList<>();
        methods.forEach(method -> method.keys()
                .forEach(key -> known.add(new Known(
                        method.method(), key.fixed() ? key.begin() : null, key.begin(), managerOf.apply(method)))));
        elections.forEach((method, election) ->
                known.add(new Known(method, election.key(), election.key(), managerOfElection.apply(method))));
        this.all = List.copyOf(known);
        this.prefix = prefix;
        this.showKeys = showKeys;
    }

    /** Adds the methods of this manager that the pause covers or may cover to its view, or a warning if there are none. */
    void describe(LeasePause pause, String manager, Map<String, Object> view) {
        List<Known> covered = of(known -> known.isOf(manager) && known.isCovered(pause));
        List<Known> possible = of(known -> known.isOf(manager) && known.mayBeCovered(pause));
        view.put("methods", covered.stream().limit(SHOWN).map(this::shown).toList());
        if (covered.size() > SHOWN) {
            view.put("moreMethods", covered.size() - SHOWN);
        }
        if (!possible.isEmpty()) {
            view.put("possibleMethods", names(possible));
        }
        if (covered.isEmpty()) {
            view.put(
                    "warning",
                    (possible.isEmpty() ? "No method" : "No method with a fixed key")
                            + " of this node is paused by this. " + advice(pause.keyOrPrefix(), manager)
                            + " The pause is stored, and applies to keys that other nodes or the API use");
        }
    }

    private Map<String, Object> shown(Known known) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("method", known.method);
        view.put("key", showKeys && known.key != null ? known.key : LeaseViews.HIDDEN);
        return view;
    }

    /** Returns the key that was probably meant, or the keys that there are; whole sentences. */
    String advice(String keyOrPrefix, String manager) {
        String text = withoutStar(keyOrPrefix);
        List<Known> named = of(known -> known.isNamed(text));
        if (!named.isEmpty()) {
            return "It is the name of a method, expected its key: " + list(named) + ".";
        }
        List<Known> elsewhere = of(known -> !known.isOf(manager) && known.isCovered(pause(keyOrPrefix)));
        if (!elsewhere.isEmpty()) {
            return "It is a key of another manager, expected the parameter 'manager': "
                    + elsewhere.stream()
                            .limit(SHOWN)
                            .map(known -> known.method + " uses " + Text.quote(known.manager))
                            .collect(Collectors.joining(", "))
                    + ".";
        }
        return showKeys ? nearest(keyOrPrefix) : "Keys are hidden by 'lease.endpoint.show-keys'.";
    }

    private String nearest(String keyOrPrefix) {
        if (!of(known -> known.isCovered(pause(prefix + keyOrPrefix))).isEmpty()) {
            return "Keys of this application begin with 'lease.key-prefix', " + Text.quote(prefix) + ", expected "
                    + Text.quote(prefix + keyOrPrefix) + ".";
        }
        if (!keyOrPrefix.endsWith(ANY)
                && !of(known -> known.isCovered(pause(keyOrPrefix + ANY))).isEmpty()) {
            return "Keys begin with it, expected " + Text.quote(keyOrPrefix + ANY) + " for all of them.";
        }
        List<Known> fixed = of(known -> known.key != null);
        if (fixed.isEmpty()) {
            return "This node has no method with a fixed key.";
        }
        Known closest = fixed.get(0);
        int least = Integer.MAX_VALUE;
        for (Known known : fixed) {
            int distance = distance(withoutStar(keyOrPrefix), known.begin());
            if (distance < least) {
                closest = known;
                least = distance;
            }
        }
        return "The nearest key is " + list(List.of(closest)) + ".";
    }

    /** Returns the number of characters to change, add or remove, ignoring case and the prefix of all keys. */
    private int distance(String text, String key) {
        String one = stripped(text);
        String other = stripped(key);
        int[] row = new int[other.length() + 1];
        for (int j = 0; j <= other.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= one.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= other.length(); j++) {
                int changed = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(changed, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[other.length()];
    }

    private String stripped(String key) {
        return (key.startsWith(prefix) ? key.substring(prefix.length()) : key).toLowerCase(Locale.ROOT);
    }

    private String list(List<Known> some) {
        return some.stream()
                .limit(SHOWN)
                .map(known -> (known.key == null
                                ? "a key that differs by call"
                                : showKeys ? Text.quote(known.key) : "a hidden key")
                        + " of " + known.method)
                .collect(Collectors.joining(", "));
    }

    private static List<String> names(List<Known> some) {
        return some.stream().map(Known::method).distinct().limit(SHOWN).toList();
    }

    private List<Known> of(Predicate<Known> condition) {
        return all.stream().filter(condition).toList();
    }

    private static LeasePause pause(String keyOrPrefix) {
        return new LeasePause(keyOrPrefix, Instant.EPOCH, "", "");
    }

    private static String withoutStar(String keyOrPrefix) {
        return keyOrPrefix.endsWith(ANY) ? keyOrPrefix.substring(0, keyOrPrefix.length() - 1) : keyOrPrefix;
    }
}
