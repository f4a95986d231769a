package io.leasekit.spring;

import io.leasekit.LeaderElection;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;
import org.springframework.core.annotation.AliasFor;

/**
 * Runs a method on one node at a time, for as long as that node leads. The election calls the method once for each
 * term, on a separate thread. The method must return when it is interrupted.
 *
 * <p>The method is a {@code void} method of a singleton bean. The method may have a parameter of type
 * {@link io.leasekit.Lease}, and one of type {@link io.leasekit.Progress}, which lets the next leader continue.
 * {@link LeaseContext} also provides the lease.
 *
 * <p>The election begins once the application is ready ({@code ApplicationReadyEvent}). At shutdown, it ends before
 * schedulers and executors stop. The shutdown waits for the method, at most for
 * {@code spring.lifecycle.timeout-per-shutdown-phase}. Threads are virtual if {@code spring.threads.virtual.enabled} is
 * set, and daemons otherwise.
 *
 * <p>The thread is interrupted when the lease is lost or about to expire, and at shutdown. The lease is not released
 * before the method has returned. After the method has returned or thrown, the node campaigns again.
 * {@link LeaderElection} lists all guarantees. If the method does not stop, this is logged, and the health check is
 * down until the method returns.
 *
 * <p>Only the election may call the method. Any other call of the method on the bean throws an
 * {@link IllegalStateException}, unless leases are switched off.
 *
 * <p>Every attribute may contain <code>${…}</code> placeholders.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
public @interface LeaderOnly {

    /** Alias for {@link #key()}. */
    @AliasFor("key")
    String value() default "";

    /**
     * The key of the election; {@code lease.key-prefix} is prepended to it. Required. No two methods of one manager may
     * share a key.
     */
    @AliasFor("value")
    String key() default "";

    /** Duration of one grant or renewal. Defaults to the manager's ttl. See {@link LeaseRequest#ttl()}. */
    String ttl() default "";

    /**
     * Time before the lease expires at which the method is interrupted, at most a third of the ttl. Defaults to the
     * property {@code lease.leader.stop-timeout}.
     */
    String stopTimeout() default "";

    /** Bean name or qualifier of the {@link LeaseManager}. Defaults to the only or primary manager. */
    String manager() default "";
}
