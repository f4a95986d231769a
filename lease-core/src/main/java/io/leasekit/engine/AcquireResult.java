package io.leasekit.engine;

import io.leasekit.Lease;
import io.leasekit.LeaseAlreadyRanException;
import io.leasekit.LeaseException;
import io.leasekit.LeaseInfo;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.internal.Text;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** How an acquire ended: with a lease, with another's, with a run that is done already, or with an error. */
sealed interface AcquireResult {

    /** The lease, or empty if another holds it. */
    Optional<Lease> lease();

    /** The lease, or an error if another holds it. */
    Lease orThrow(LeaseRequest request);

    /** The lease was granted. */
    record Granted(Lease held) implements AcquireResult {
        @Override
        public Optional<Lease> lease() {
            return Optional.of(held);
        }

        @Override
        public Lease orThrow(LeaseRequest request) {
            return held;
        }
    }

    /** Another holds it. */
    record Unavailable(@Nullable LeaseInfo holder) implements AcquireResult {
        @Override
        public Optional<Lease> lease() {
            return Optional.empty();
        }

        @Override
        public Lease orThrow(LeaseRequest request) {
            throw new LeaseUnavailableException(text(request), holder);
        }

        private String text(LeaseRequest request) {
            String held = holder == null ? "another" : inWords(holder);
            return "Lease " + name(request.keys()) + " is held by " + held + ", waited " + request.waitFor();
        }

        /** Names the holder in the middle of a sentence; what is not known is left out. */
        private static String inWords(LeaseInfo holder) {
            if (!holder.held()) {
                return "another";
            }
            StringJoiner known = new StringJoiner(", ", " (", ")").setEmptyValue("");
            if (holder.fencingToken() != 0) {
                known.add("token " + holder.fencingToken());
            }
            if (holder.acquiredAt() != null) {
                known.add("acquired at " + holder.acquiredAt());
            }
            if (holder.expiresAt() != null) {
                known.add("until " + holder.expiresAt() + " if it is not renewed");
            }
            return (holder.owner() == null ? "another" : "owner " + Text.quote(holder.owner())) + known;
        }

        private String name(List<String> keys) {
            return holder == null || keys.size() == 1
                    ? Text.quoteAll(keys)
                    : Text.quote(holder.key()) + " of " + Text.quoteAll(keys);
        }
    }

    /** The run that was asked for, or a later one, is done. */
    record AlreadyRan(LeaseInfo shown) implements AcquireResult {
        @Override
        public Optional<Lease> lease() {
            return Optional.empty();
        }

        @Override
        public Lease orThrow(LeaseRequest request) {
            throw new LeaseAlreadyRanException(
                    "Run " + Text.quote(request.once()) + " under lease " + Text.quote(request.key())
                            + " is done already: the table shows " + shown.lastRun(),
                    shown);
        }
    }

    /** The store did not do what was asked, or the acquire was given up. */
    record Failed(LeaseException error) implements AcquireResult {
        @Override
        public Optional<Lease> lease() {
            throw error;
        }

        @Override
        public Lease orThrow(LeaseRequest request) {
            throw error;
        }
    }
}
