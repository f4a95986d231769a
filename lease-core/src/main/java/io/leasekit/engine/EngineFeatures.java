package io.leasekit.engine;

import io.leasekit.kernel.EngineParts;
import io.leasekit.kernel.LeaseRecords;
import io.leasekit.kernel.LeaseReports;
import io.leasekit.log.LineLimit;
import io.leasekit.pause.PauseBoard;
import io.leasekit.requests.Gate;
import io.leasekit.requests.TableState;
import io.leasekit.threads.Losses;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Connects the features of one manager to the kernel: reports, records and pauses. */
final class EngineFeatures implements EngineParts.Features {

    final FeatureRules rules;
    private final String owner;
    private final EngineParts.Surroundings around;
    private @Nullable LeaseNotifier notifier;
    private @Nullable PauseBoard pauses;

    EngineFeatures(FeatureRules rules, String owner, EngineParts.Surroundings around) {
        this.rules = rules;
        this.owner = owner;
        this.around = around;
    }

    @Override
    public LeaseReports reports(Losses losses, TableState table, LineLimit lines) {
        Events events = new Events(around.listeners(), around.executors().events(), losses);
        long began = around.time().wallMillis();
        notifier = new LeaseNotifier(owner, events, losses, around.monitors(), table, lines, began);
        return notifier;
    }

    @Override
    public LeaseRecords records(EngineParts parts) {
        return new FeatureRecords(parts);
    }

    @Override
    public Gate gate(EngineParts parts) {
        pauses = new PauseBoard(parts.settings.pauses, rules, parts.requests, parts.clock, parts.time, parts.lines);
        return pauses.with(parts.path.sync());
    }

    LeaseNotifier notifier() {
        return Objects.requireNonNull(notifier);
    }

    PauseBoard pauses() {
        return Objects.requireNonNull(pauses);
    }
}
