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
 * Runs a method on one node at a time, for as long as that node leads. The method is called once for each term, on a
 * thread of its own, and must return when it is interrupted. It is a {@code void} method of a singleton bean. It has at
 * most one parameter of type {@link io.leasekit.Lease} and one of type {@link io.leasekit.Progress}, from which the
 * next leader continues. {@link LeaseContext} provides the lease too.
 *
 * <p>The election begins once the application is ready ({@code ApplicationReadyEvent}). At shutdown, it ends before
 * schedulers and executors stop. The shutdown waits for the method for
 * {@code spring.lifecycle.timeout-per-shutdown-phase} at most. Threads are virtual if
 * {@code spring.threads.virtual.enabled} is set, and daemons otherwise.
 *
 * <p>The method is interrupted when its lease is lost or close to its end, and at the shutdown. The lease is not
 * released before the method has returned. After that, or after a failure, the node campaigns again; see {@link
 * LeaderElection} for all that is guaranteed. If a method does not stop, this is logged, and the health check is down
 * until it returns.
 *
 * <p>Only the election may call the method: any other call of it on the bean throws an {@link IllegalStateException}, unless
 * leases are switched off.
 *
 * <p>Every text may contain <code>${…}</code> placeholders.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
public @interface LeaderOnly {

    /** Alias for {@link #key()}. */
    @AliasFor("key")
    String value() default "";

    /** The key of the election, with {@code lease.key-prefix} before it. Required. Only one method of a manager may have it. */
    @AliasFor("value")
    String key() default "";

    /** Duration of one grant or renewal. Defaults to the ttl of the manager. See {@link LeaseRequest#ttl()}. */
    String ttl() default "";

    /**
     * Time before the end of the validity at which the method is told to stop, at most a third of the ttl. Defaults to
     * the property {@code lease.leader.stop-timeout}.
     */
    String stopTimeout() default "";

    /** Bean name or qualifier of the {@link LeaseManager}. Defaults to the only or primary one. */
    String manager() default "";
}
