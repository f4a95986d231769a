package io.leasekit.storm;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Hand-made evidence: the events of processes and the rows of tables, in the same form as those of a storm. */
final class Story {

    private final Evidence evidence = new Evidence();

    /** A story in which the last process was granted this key. It does not say more, so only planted violations are found. */
    static Story endingWell(String... keys) {
        Story story = new Story();
        story.process(Scene.LAST, true);
        for (String key : keys) {
            story.granted(Scene.LAST, key, 1_000_000, 1_000_000, 1_000_001).released(1_000_002, 1_000_003);
        }
        return story;
    }

    Story process(String name, boolean ends) {
        evidence.add(name, Event.of("begin").with(Event.FROM, 0));
        if (ends) {
            evidence.add(name, Event.of("end").with(Event.TO, 2_000_000));
        }
        return this;
    }

    /** A lease of a story. */
    final class Told {

        private final String process;
        private final Event identity;

        private Told(String process, Event identity) {
            this.process = process;
            this.identity = identity;
        }

        private Told add(Event event) {
            evidence.add(process, event.keys(identity.keys()).with(Event.TOKEN, identity.number(Event.TOKEN)));
            return this;
        }

        /** A positive sample. */
        Told valid(long from, long to, long left) {
            return add(Event.of("sample").with("left", left).between(from, to));
        }

        Told notValid(long from, long to) {
            return valid(from, to, 0);
        }

        Told lost(long at) {
            return add(Event.of("lost").with(Event.OUTCOME, "EXPIRED").with(Event.TO, at));
        }

        Told taken(long at) {
            return add(Event.of("lost").with(Event.OUTCOME, "TAKEN").with(Event.TO, at));
        }

        Told releaseBegun(long at) {
            return add(Event.of("release").with(Event.FROM, at));
        }

        Told released(long begun, long at) {
            return releaseBegun(begun).add(Event.of("released").with(Event.TO, at));
        }

        Told ran(long begun, long at) {
            add(Event.of("release").with(Event.OUTCOME, "SUCCEEDED").with(Event.FROM, begun));
            return add(Event.of("released").with(Event.TO, at));
        }

        /** The process reported the grant. */
        Told acquired(long at) {
            return add(Event.of("acquired").with(Event.TO, at));
        }

        /** The process reported the begin of the release. */
        Told givenBack(long at) {
            return add(Event.of("given back").with(Event.TO, at));
        }

        Told told(long at) {
            return add(Event.of("told").with(Event.TO, at));
        }

        /** A sample within the work of a leader that says that its process leads. */
        Told leads(long from, long to) {
            return add(Event.of("leads").with(Event.LEADS, 1).between(from, to));
        }

        Told wrote(String id, String outcome, long from, long to) {
            evidence.add(
                    process,
                    Event.of("write")
                            .with(Event.KEY, identity.keys().get(0))
                            .with(Event.TOKEN, identity.number(Event.TOKEN))
                            .with(Event.ID, id)
                            .with(Event.OUTCOME, outcome)
                            .between(from, to));
            return this;
        }
    }

    Told granted(String process, String keys, long token, long from, long to) {
        return granted(process, keys, token, from, to, Map.of(), null);
    }

    Told granted(
            String process,
            String keys,
            long token,
            long from,
            long to,
            Map<String, Long> numbers,
            @Nullable String run) {
        Event grant = Event.of("granted")
                .keys(List.of(keys.split(",")))
                .with(Event.TOKEN, token)
                .between(from, to);
        numbers.forEach(grant::with);
        if (run != null) {
            grant.with(Event.RUN, run);
        }
        evidence.add(process, grant);
        return new Told(process, grant);
    }

    /** A lease of one of three permits. */
    Told permit(String process, String key, int slot, long token, long from, long to) {
        return granted(
                process,
                key + "#permit=" + slot,
                token,
                from,
                to,
                Map.of(Event.PERMITS, 3L, Event.SLOT, (long) slot),
                null);
    }

    /** The begin of a leader's work. The grant is not reported. */
    Told term(String process, String key, String election, long token, long started, long begun) {
        Event grant = Event.of("granted")
                .keys(List.of(key))
                .with(Event.TOKEN, token)
                .with(Event.ELECTION, election)
                .with(Event.STARTED, started)
                .between(started - 1, begun);
        evidence.add(process, grant);
        return new Told(process, grant);
    }

    /** A report of a grant whose work has not begun yet. */
    Story reportedAsAcquired(String process, String key, long token, long at) {
        return reported("acquired", process, key, token, at);
    }

    Story reportedAsGivenBack(String process, String key, long token, long at) {
        return reported("given back", process, key, token, at);
    }

    private Story reported(String kind, String process, String key, long token, long at) {
        evidence.add(
                process,
                Event.of(kind).keys(List.of(key)).with(Event.TOKEN, token).with(Event.TO, at));
        return this;
    }

    /** A sample of whether a process leads. */
    Story leads(String process, String key, boolean leads, long from, long to) {
        evidence.add(
                process,
                Event.of("leads")
                        .keys(List.of(key))
                        .with(Event.LEADS, leads ? 1 : 0)
                        .between(from, to));
        return this;
    }

    Story alreadyRan(String process, String key, String run, long at) {
        evidence.add(
                process,
                Event.of("refused")
                        .keys(List.of(key))
                        .with(Event.RUN, run)
                        .with(Event.OUTCOME, "already ran")
                        .between(at - 1, at));
        return this;
    }

    Story attempt(String process, String key) {
        evidence.add(process, Event.of("attempt").keys(List.of(key)).with(Event.FROM, 1));
        return this;
    }

    Story unexpected(String process, String error) {
        evidence.add(process, Event.of("unexpected").with(Event.OUTCOME, error));
        return this;
    }

    /** Adds the log of a key: the writes' ids with their tokens, in order. */
    Story logged(String key, Object... idsAndTokens) {
        for (int i = 0; i < idsAndTokens.length; i += 2) {
            evidence.addEntry(Event.row()
                    .with(Event.KEY, key)
                    .with("position", i / 2 + 1)
                    .with(Event.TOKEN, (int) idsAndTokens[i + 1])
                    .with(Event.ID, (String) idsAndTokens[i]));
        }
        return this;
    }

    Story item(String key, long token, boolean free) {
        Event row = Event.row().with(Event.KEY, key).with(Event.TOKEN, token);
        evidence.addItem(free ? row : row.with("version", "v"));
        return this;
    }

    Evidence evidence() {
        return evidence;
    }

    Map<String, List<String>> violations() {
        return Judge.judge(evidence).violations();
    }
}
