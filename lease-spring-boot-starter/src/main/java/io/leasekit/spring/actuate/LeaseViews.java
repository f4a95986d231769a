package io.leasekit.spring.actuate;

import io.leasekit.LeaderElection;
import io.leasekit.LeaseInfo;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseManagerStatus;
import io.leasekit.LeasePastRun;
import io.leasekit.LeasePause;
import io.leasekit.LeaseProgress;
import io.leasekit.LeaseRun;
import io.leasekit.LeaseStatus;
import io.leasekit.LeaseWait;
import io.leasekit.spring.policy.LeasedMethod;
import io.leasekit.spring.schedule.Firing;
import io.leasekit.spring.schedule.FiringOutcome;
import io.leasekit.text.Text;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Creates replies of the endpoint {@code leases} and parts of replies (views). Views contain only texts, numbers,
 * booleans, lists and maps, so that all JSON libraries write them alike. Thread-safe.
 */
final class LeaseViews {

    static final String HIDDEN = "******";
    private static final Comparator<LeaseStatus> BY_KEY =
            Comparator.comparing(LeaseStatus::key).thenComparing(LeaseStatus::slot);

    private final boolean showKeys;

    LeaseViews(boolean showKeys) {
        this.showKeys = showKeys;
    }

    /** Returns {@code null} if the manager has no status, for example because the manager is a mock. */
    @Nullable
    Map<String, Object> node(LeaseManager manager) {
        LeaseManagerStatus status = manager.status();
        if (status == null) {
            return null;
        }
        Map<String, Object> view = new LinkedHashMap<>();
        put(view, "owner", status.owner());
        view.put("ttl", status.ttl().toString());
        view.put("held", manager.held().stream().sorted(BY_KEY).map(this::held).toList());
        view.put("waiting", manager.waiting().stream().map(this::waiting).toList());
        view.put("readsPauses", manager.pauses().isEnabled());
        putDuration(view, "failingFor", status.failingFor());
        put(view, "lastError", status.lastError());
        putDuration(view, "clockOffset", status.clockOffset());
        putDuration(view, "clockUncertainty", status.clockUncertainty());
        return view;
    }

    private Map<String, Object> held(LeaseStatus lease) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("key", key(lease.key()));
        view.put("fencingToken", lease.fencingToken());
        view.put("acquiredAt", lease.acquiredAt().toString());
        view.put("valid", lease.valid());
        putDuration(view, "remaining", lease.remaining());
        putDuration(view, "heldFor", lease.heldFor());
        putPermits(view, lease.permits());
        if (lease.permits() > 0) {
            view.put("slot", lease.slot());
        }
        return view;
    }

    private Map<String, Object> waiting(LeaseWait wait) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("key", key(wait.key()));
        put(view, "name", wait.name());
        putDuration(view, "waitedFor", wait.waitedFor());
        return view;
    }

    Map<String, Object> info(LeaseInfo lease) {
        Map<String, Object> view = lease(lease);
        putRun(view, lease.lastRun());
        putHistory(view, lease.history());
        putProgress(view, lease.progress());
        return view;
    }

    private Map<String, Object> lease(LeaseInfo lease) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("key", key(lease.key()));
        view.put("held", lease.held() && !lease.isKept());
        view.put("kept", lease.isKept());
        put(view, "owner", lease.owner());
        put(view, "application", lease.application());
        view.put("fencingToken", lease.fencingToken());
        put(view, "acquiredAt", lease.acquiredAt());
        put(view, "expiresAt", lease.expiresAt());
        put(view, "releasedAt", lease.releasedAt());
        putPermits(view, lease.permits());
        return view;
    }

    private static void putPermits(Map<String, Object> view, int permits) {
        if (permits > 0) {
            view.put("permits", permits);
        }
    }

    private static void putRun(Map<String, Object> view, @Nullable LeaseRun run) {
        if (run == null) {
            return;
        }
        Map<String, Object> shown = new LinkedHashMap<>();
        if (run.isToRunAgain()) {
            shown.put("toRunAgain", true);
        } else {
            put(shown, "name", run.name());
        }
        put(shown, "owner", run.owner());
        put(shown, "begunAt", run.begunAt());
        put(shown, "outcome", run.outcome());
        putDuration(shown, "duration", run.duration());
        view.put("lastRun", shown);
    }

    private static void putHistory(Map<String, Object> view, List<LeasePastRun> history) {
        if (!history.isEmpty()) {
            view.put("history", history.stream().map(LeaseViews::pastRun).toList());
        }
    }

    /** If keys are hidden, hides saved progress, too, because the progress may reveal the same data as a key. */
    private void putProgress(Map<String, Object> view, @Nullable LeaseProgress progress) {
        if (progress == null) {
            return;
        }
        Map<String, Object> shown = new LinkedHashMap<>();
        put(shown, "run", progress.run());
        put(shown, "savedAt", progress.savedAt());
        shown.put("bytes", progress.bytes());
        if (showKeys) {
            put(shown, "value", progress.text());
        }
        view.put("progress", shown);
    }

    private static Map<String, Object> pastRun(LeasePastRun run) {
        Map<String, Object> view = new LinkedHashMap<>();
        put(view, "name", run.name());
        put(view, "owner", run.owner());
        view.put("fencingToken", run.fencingToken());
        put(view, "begunAt", run.begunAt());
        view.put(
                "outcome",
                run.isRunAgain()
                        ? "RUN_AGAIN"
                        : run.outcome() == null ? "NOT_FINISHED" : run.outcome().name());
        putDuration(view, "duration", run.duration());
        put(view, "error", run.isRunAgain() ? null : run.error());
        return view;
    }

    /** {@code end} is the time at which the key becomes free; {@code null} if the key is free now. */
    void putRemaining(Map<String, Object> view, @Nullable Instant end, Instant now) {
        put(view, "freeAt", end);
        boolean isOver = end == null || end.isBefore(now);
        putDuration(view, "remaining", isOver ? Duration.ZERO : Duration.between(now, end));
    }

    Map<String, Object> job(
            LeasedMethod method, @Nullable String manager, LeaseReads.Read read, @Nullable Instant nextRun) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("method", method.method());
        put(view, "manager", manager);
        view.put("scheduled", method.scheduled());
        put(view, "nextRun", nextRun);
        putPermits(view, method.permits());
        view.put("skippedUnavailable", method.skippedUnavailable());
        view.put("skippedPaused", method.skippedPaused());
        view.put("skippedStoreFailures", method.skippedStoreFailures());
        view.put("failedStoreFailures", method.failedStoreFailures());
        if (method.key() != null) {
            view.put("key", key(method.key()));
        }
        if (!method.firings().isEmpty()) {
            view.put(
                    "firings", method.firings().stream().map(LeaseViews::firing).toList());
        }
        put(view, "error", read.error());
        LeaseInfo lease = read.lease();
        if (lease != null) {
            view.put("lease", lease(lease));
            putRun(view, lease.lastRun());
            putHistory(view, lease.history());
            putProgress(view, lease.progress());
        }
        return view;
    }

    private static Map<String, Object> firing(Firing firing) {
        FiringOutcome outcome = firing.outcome();
        Map<String, Object> view = new LinkedHashMap<>();
        put(view, "run", firing.run());
        put(view, "begunAt", firing.begun());
        putDuration(view, "late", firing.delay());
        put(view, "outcome", outcome.kind());
        put(view, "by", outcome.by());
        put(view, "at", outcome.at());
        put(view, "why", outcome.why());
        return view;
    }

    Map<String, Object> election(
            String method, @Nullable String manager, LeaderElection election, LeaseReads.Read read) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("method", method);
        put(view, "manager", manager);
        view.put("key", key(election.key()));
        view.put("leads", election.isLeader());
        view.put("stuck", LeaseHealth.isStuck(election));
        putDuration(view, "stoppingFor", election.stoppingFor().orElse(null));
        put(view, "error", read.error());
        LeaseInfo leader = read.lease();
        if (leader != null) {
            Map<String, Object> shown = new LinkedHashMap<>();
            put(shown, "owner", leader.owner());
            put(shown, "since", leader.acquiredAt());
            shown.put("fencingToken", leader.fencingToken());
            view.put("leader", shown);
        }
        return view;
    }

    Map<String, Object> pause(LeasePause pause) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("key", key(pause.keyOrPrefix()));
        view.put("until", pause.until().toString());
        put(view, "by", pause.by());
        put(view, "reason", pause.reason());
        return view;
    }

    boolean showsKeys() {
        return showKeys;
    }

    String key(String key) {
        return showKeys ? key : HIDDEN;
    }

    private static void putDuration(Map<String, Object> view, String name, @Nullable Duration value) {
        put(view, name, value == null ? null : Duration.ofMillis(value.toMillis()));
    }

    private static void put(Map<String, Object> view, String name, @Nullable Object value) {
        if (value != null) {
            view.put(name, Text.masked(value.toString()));
        }
    }
}
