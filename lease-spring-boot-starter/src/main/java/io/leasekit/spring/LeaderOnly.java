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
 * Runs a method on one node at a time, the leader. Each time that a node becomes the leader, the election calls the
 * method once, on a separate thread. The annotated method must return when its thread is interrupted.
 *
 * <p>The annotated method must be a {@code void} method of a singleton bean. The annotated method may have a parameter
 * of type {@link io.leasekit.Lease}, and a parameter of type {@link io.leasekit.Progress}. With the {@code Progress},
 * the next leader continues where the previous leader stopped. A method without a parameter of type {@code Lease} gets
 * the lease from {@link LeaseContext}.
 *
 * <p>The election begins once the application is ready ({@code ApplicationReadyEvent}). At shutdown, the election ends
 * before schedulers and executors stop. The shutdown waits until the method has returned, but no longer than
 * {@code spring.lifecycle.timeout-per-shutdown-phase}. The method runs on a virtual thread if
 * {@code spring.threads.virtual.enabled} is set, otherwise on a daemon thread.
 *
 * <p>Leasekit interrupts the method's thread when the lease is lost, when the lease is about to expire, and at
 * shutdown. The lease is released only after the method has returned or thrown. After the release of the lease, the
 * node takes part in the election again. If the method does not return within {@link #stopTimeout()} after an
 * interrupt, Leasekit logs a line. While the method still runs after its stop timeout, the health check is down.
 * {@link LeaderElection} lists all guarantees of an election.
 *
 * <p>Only the election may call the annotated method. All other calls of the method on the bean throw an
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
     * The key of the election; required. The property {@code lease.key-prefix} is prepended to the key. Two methods
     * with {@code LeaderOnly} and the same manager must have different keys.
     */
    @AliasFor("value")
    String key() default "";

    /**
     * Time for which one grant or renewal keeps the lease valid. The default is the manager's ttl. See
     * {@link LeaseRequest#ttl()}.
     */
    String ttl() default "";

    /**
     * Time in which the method must return after the interrupt of its thread, before the lease expires. The stop
     * timeout must be at most a third of the ttl. The default is the property {@code lease.leader.stop-timeout}.
     */
    String stopTimeout() default "";

    /** Bean name or qualifier of the {@link LeaseManager}. The default is the application's only or primary manager. */
    String manager() default "";
}
