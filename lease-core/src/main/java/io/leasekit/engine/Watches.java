package io.leasekit.engine;

import io.leasekit.requests.BoundedClock;
import io.leasekit.requests.Gate;
import io.leasekit.requests.Requests;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.MarkCommand;
import io.leasekit.store.StoreReply;
import io.leasekit.tenure.Polling;
import io.leasekit.tenure.SeenItems;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Watches the items that keep acquires from their leases (protocol 4.2, 4.3, 5.1, 6). This class is shared by all
 * acquires; {@link Watch} is the part of one acquire.
 */
final class Watches {

    private static final int MAX_AT_ONCE = 4;

    private final LeaseRules rules;
    private final BoundedClock clock;
    private final SeenItems seen;
    private final Inspection inspection;
    private final Polling polling;
    private final SharedKeys shared;

    Watches(
            LeaseRules rules,
            BoundedClock clock,
            SeenItems seen,
            Inspection inspection,
            Polling polling,
            SharedKeys shared) {
        this.rules = rules;
        this.clock = clock;
        this.seen = seen;
        this.inspection = inspection;
        this.polling = polling;
        this.shared = shared;
    }

    /** Takes in an item that keeps a caller from a key. */
    void heldByOther(String key, LeaseItem item) {
        shared.held(key, item);
    }

    /** Returns the watch of one acquire. */
    Watch of(Acquisition caller, Attempts.Series attempts, LeaseTerms terms) {
        return new Watch(caller, attempts, terms);
    }

    /** Returns whether this item would not refuse the next attempt, for a reason that the attempt can name. */
    boolean mayBeTaken(SeenItems.@Nullable Observation last, long now) {
        if (last == null || last.item().version() == null || isDead(last, now)) {
            return true;
        }
        LeaseItem item = last.item();
        BoundedClock.Reading reading = clock.readingSince(now);
        Long freeBelow = reading == null ? null : rules.freeBelow(reading);
        return freeBelow != null && item.expiry() != null && item.expiry() < freeBelow;
    }

    private boolean isDead(SeenItems.Observation last, long now) {
        String version = last.item().version();
        return version != null && (seen.isEnded(version) || seen.nanosUntilDead(last, now) <= 0);
    }

    /**
     * Tracks each item as last seen, the items that block the acquire, and the time of the next look. With several keys,
     * it looks at one after the other before the acquire asks for all of them again. Lives in the mailbox of the acquire.
     */
    final class Watch {

        private final Acquisition caller;
        private final Attempts.Series attempts;
        private final LeaseTerms terms;

        // replaced on each change, to stay small: there are many waiters, most of them for one key
        private List<SeenItems.Observation> shown = List.of();
        private List<String> inTheWay = List.of();
        private String watched; // the key to look at next
        private Polling.Pace pace; // of that key
        private long standBackUntil;
        private int atOnce; // attempts in a row without a look or a pause

        private Watch(Acquisition caller, Attempts.Series attempts, LeaseTerms terms) {
            this.caller = caller;
            this.attempts = attempts;
            this.terms = terms;
            this.watched = terms.item();
            this.standBackUntil = caller.called();
            this.pace = polling.of(watched, standBackUntil);
        }

        // ---- input from the attempts

        /** Leaves a free lease to others until this time. */
        void standBack(long until) {
            standBackUntil = until;
        }

        /** Pauses before the first look. */
        void pause(long nanos) {
            standBackUntil = clock.now();
            attempts.after(Math.min(nanos, Math.max(0, caller.waitsUntil() - standBackUntil)), this::goOn);
        }

        /** Leaves a free lease to others until this time, or until one of them was seen to hold it. */
        void standBackForOthers(long until) {
            standBackUntil = until;
            pace.markAtOnce();
            attempts.after(delayNanos(clock.now()), this::goOn);
        }

        boolean mayHurry(long now) {
            return standBackUntil - now <= 0;
        }

        void looked(Requests.Reply reply) {
            pace.looked(reply.at() - reply.sent());
        }

        void granted(long now) {
            pace.granted(now);
        }

        /** Asks for the lease without a look or a pause. */
        void attemptAtOnce() {
            atOnce++;
            attempts.attempt();
        }

        /** Takes in a refused attempt. It shows nothing of the items that did not refuse it. */
        void refusedBy(List<StoreReply.Refusal> refusals, Requests.Reply reply) {
            refusals.forEach(refusal -> show(refusal.key(), refusal.item(), reply));
            inTheWay = refusals.size() == terms.items().size()
                    ? terms.items()
                    : refusals.stream().map(StoreReply.Refusal::key).toList();
            watched = inTheWay.get(0);
            decide(reply);
        }

        /** Returns the version of this key that an attempt may overwrite, as its holder is dead; {@code null}: none. */
        @Nullable
        String deadVersion(String key, long now) {
            SeenItems.Observation last = observed(key);
            return last != null && isDead(last, now) ? last.item().version() : null;
        }

        // ---- observations

        private void saw(@Nullable LeaseItem item, Requests.Reply reply) {
            show(watched, item, reply);
            if (!inTheWay.contains(watched)) {
                List<String> withIt = new ArrayList<>(List.of(watched));
                withIt.addAll(inTheWay);
                inTheWay = List.copyOf(withIt);
            }
            decide(reply);
        }

        private void show(String key, @Nullable LeaseItem item, Requests.Reply reply) {
            SeenItems.Observation before = observed(key);
            List<SeenItems.Observation> now = new ArrayList<>(shown);
            now.remove(before);
            if (item != null) {
                now.add(rules.observation(before, item, reply));
            }
            shown = List.copyOf(now);
        }

        private SeenItems.@Nullable Observation observed(String key) {
            return shown.stream()
                    .filter(one -> one.item().key().equals(key))
                    .findFirst()
                    .orElse(null);
        }

        private @Nullable LeaseItem shown(String key) {
            SeenItems.Observation last = observed(key);
            return last == null ? null : last.item();
        }

        /** Turns to the first blocking item; returns whether there is none. */
        private boolean allMayBeTaken(long now) {
            while (!inTheWay.isEmpty() && mayBeTaken(observed(inTheWay.get(0)), now)) {
                inTheWay = List.copyOf(inTheWay.subList(1, inTheWay.size()));
            }
            if (!inTheWay.isEmpty()) {
                watched = inTheWay.get(0);
            }
            return inTheWay.isEmpty();
        }

        private @Nullable LeaseItem doneRun() {
            String run = terms.once();
            LeaseItem item = run == null ? null : shown(terms.runKey());
            return run != null && item != null && item.isDone(run) ? item : null;
        }

        // ---- decisions

        private void decide(Requests.Reply reply) {
            long now = reply.at();
            String polled = pace.key();
            boolean mayBeTaken = allMayBeTaken(now);
            LeaseItem item = shown(watched);
            LeaseItem done = doneRun();
            if (done != null) {
                shared.ran(terms.key(), done);
                caller.finish(new AcquireCall.AlreadyRan(inspection.info(done, now)));
            } else if (!polled.equals(watched)) {
                turnToAnotherKey(reply);
            } else {
                pace.saw(item, now);
                decide(mayBeTaken, item, reply);
            }
        }

        private void decide(boolean mayBeTaken, @Nullable LeaseItem item, Requests.Reply reply) {
            long now = reply.at();
            if (!mayBeTaken && item != null) {
                heldByOther(terms.keys().contains(item.key()) ? item.key() : terms.key(), item);
            }
            if (mayBeTaken && now - standBackUntil < 0 && caller.waitsUntil() - now > 0) {
                lookLater(now);
            } else if (mayBeTaken && atOnce < MAX_AT_ONCE) {
                attemptAtOnce();
            } else if (caller.waitsUntil() - now <= 0) {
                caller.finish(new AcquireCall.Unavailable(item == null ? null : inspection.info(item, now)));
            } else {
                atOnce = 0;
                standBackUntil = now;
                caller.onHeldByOther(item, reply.sent());
                if (pace.shouldMark(item)) {
                    mark(reply);
                } else {
                    lookLater(now);
                }
            }
        }

        /** Turns to another key of several, at which the last look may be some time ago. */
        private void turnToAnotherKey(Requests.Reply reply) {
            pace = polling.of(watched, reply.at());
            if (reply.outcome() instanceof StoreReply.Found) {
                goOn();
            } else {
                decide(reply);
            }
        }

        // ---- looks

        private void lookLater(long now) {
            attempts.after(Math.min(delayNanos(now), Math.max(0, caller.waitsUntil() - now)), this::goOn);
        }

        private long delayNanos(long now) {
            return pace.delayNanos(observed(watched), now, clock.at(now));
        }

        /** Looks at the lease, or asks for it if a look would come too late (6.3). */
        void goOn() {
            long now = clock.now();
            if (!terms.isGroup() && now - standBackUntil >= 0 && pace.asksAtOnce(now)) {
                attempts.attempt();
            } else {
                attempts.ask(
                        Gate.Kind.LOOK,
                        request -> request.read(watched, reply -> attempts.receive(() -> onLooked(reply))));
            }
        }

        private void onLooked(Requests.Reply reply) {
            if (!caller.isRunning()) {
                return;
            }
            if (reply.outcome() instanceof StoreReply.Found found) {
                attempts.onAnswered();
                attempts.forgetBefore(reply.at());
                looked(reply);
                saw(found.item(), reply);
            } else if (reply.outcome() instanceof StoreReply.Failed failed) {
                attempts.onFailed(failed, this::goOn);
            }
        }

        /** Marks the item as waited for, which limits the hand-overs within the process of the holder (6.3). */
        private void mark(Requests.Reply seenBefore) {
            attempts.ask(Gate.Kind.LOOK, request -> {
                BoundedClock.Reading reading = rules.beforeSending(clock);
                if (reading == null) {
                    lookLater(seenBefore.at());
                } else {
                    request.write(
                            List.of(new MarkCommand(watched, reading.middleMillis())),
                            new Requests.Pending(reading, reply -> attempts.receive(() -> onMarked(reply))));
                }
            });
        }

        private void onMarked(Requests.Reply reply) {
            if (!caller.isRunning()) {
                return;
            }
            if (reply.outcome() instanceof StoreReply.Refused refused) {
                saw(refused.item(), reply);
            } else {
                lookLater(reply.at()); // after a failed mark, the next look decides again
            }
        }
    }
}
