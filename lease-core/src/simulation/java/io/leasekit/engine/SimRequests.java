package io.leasekit.engine;

import io.leasekit.store.LeaseCommand;
import io.leasekit.store.ReleaseCommand;
import io.leasekit.store.StoreRequest;
import java.util.List;
import java.util.stream.Collectors;

/** The names of requests in the recorded sequences. */
final class SimRequests {

    private SimRequests() {}

    static String kind(StoreRequest request) {
        if (request instanceof StoreRequest.Write write) {
            return kind(write.command());
        }
        if (request instanceof StoreRequest.Transaction transaction) {
            return "Together " + kinds(transaction.commands());
        }
        if (request instanceof StoreRequest.Batch batch) {
            return "Batch " + kinds(batch.commands());
        }
        return request.getClass().getSimpleName();
    }

    private static String kinds(List<LeaseCommand> commands) {
        return commands.stream().map(SimRequests::kind).distinct().collect(Collectors.joining("+"));
    }

    private static String kind(LeaseCommand command) {
        String kind = command.getClass().getSimpleName().replace("Command", "");
        return command instanceof ReleaseCommand release
                ? kind + "-" + release.form().getClass().getSimpleName()
                : kind;
    }
}
