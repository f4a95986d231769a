package io.leasekit.docs;

import io.leasekit.LeaseAlreadyRanException;
import io.leasekit.LeaseException;
import io.leasekit.LeaseInfo;
import io.leasekit.LeaseLostException;
import io.leasekit.LeasePause;
import io.leasekit.LeaseStoreException;
import io.leasekit.LeaseUnavailableException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** A Java example of docs/service-methods.md. */
final class WebExamples {

    private WebExamples() {}
}

// advice
@RestControllerAdvice
class LeaseProblems {

    private static final Logger log = LoggerFactory.getLogger(LeaseProblems.class);
    private static final Duration SOON = Duration.ofSeconds(5);
    private static final Duration LONGEST = Duration.ofMinutes(1);

    /** Handles a request whose lease is paused or held by another owner. The work of the request has not begun. */
    @ExceptionHandler
    ResponseEntity<ProblemDetail> unavailable(LeaseUnavailableException e) {
        Optional<Instant> end =
                e.pause().map(LeasePause::until).or(() -> e.holder().map(LeaseInfo::expiresAt));
        HttpStatus status = e.pause().isPresent() ? HttpStatus.SERVICE_UNAVAILABLE : HttpStatus.CONFLICT;
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, e.getMessage());
        return later(problem, end.map(LeaseProblems::untilThen).orElse(SOON));
    }

    /**
     * Handles a request for a run that has already succeeded. If the request is repeated, the run is not executed
     * again.
     */
    @ExceptionHandler
    ProblemDetail done(LeaseAlreadyRanException e) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, e.getMessage());
    }

    /** Handles a request that got no lease because the store failed. The work of the request has not begun. */
    @ExceptionHandler
    ResponseEntity<ProblemDetail> storeFailed(LeaseStoreException e) {
        log.warn("A request was not served: {}", e.getMessage()); // a stack trace would follow for each in an outage
        return later(unavailable("The lease store does not answer"), SOON);
    }

    /**
     * Handles a request whose lease was lost during its work. The work may have had an effect, so repeating the request
     * may not be safe.
     */
    @ExceptionHandler
    ProblemDetail lost(LeaseLostException e) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.INTERNAL_SERVER_ERROR, e.getMessage());
    }

    /**
     * Handles a request that got no lease because this node stops or too many callers of this node already wait.
     * Another node may serve the request.
     */
    @ExceptionHandler
    ResponseEntity<ProblemDetail> notHere(LeaseException e) {
        return later(unavailable("This node takes no lease now"), SOON);
    }

    private static Duration untilThen(Instant end) {
        Duration left = Duration.between(Instant.now(), end);
        return left.compareTo(LONGEST) > 0 ? LONGEST : left;
    }

    private static ProblemDetail unavailable(String detail) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE, detail);
    }

    private static ResponseEntity<ProblemDetail> later(ProblemDetail problem, Duration retryAfter) {
        return ResponseEntity.status(problem.getStatus())
                .header(
                        HttpHeaders.RETRY_AFTER,
                        "" + Math.max(1, retryAfter.plusMillis(999).toSeconds()))
                .body(problem);
    }
}
// end
