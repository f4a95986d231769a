package io.leasekit.spring;

import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.OnceOrder;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * A method that runs in at most one process at a time: it is called under a lease, which heartbeats keep alive while it runs
 * and which is released afterwards.
 *
 * <p>It guards calls from one bean to another, for beans that Spring makes; not calls on {@code this}, nor final, private and
 * static methods. A process that is stopped for longer than the ttl in the middle of the method may find another running it:
 * see {@link io.leasekit.Lease#conditionCheck()} and {@link io.leasekit.Lease#fencingToken()}.
 *
 * <p>A parameter of type {@link io.leasekit.Lease} is given the lease where the caller passes {@code null}; elsewhere
 * {@link LeaseContext} has it. A call from within a call for the same key joins its lease, on the same thread; other threads
 * do not join, in whatever process.
 *
 * <p>On a class or an interface it holds for each public method. An annotation on the method wins over one on its class, and
 * a class's over an interface's. It may be composed into annotations of your own, with {@link AliasFor}.
 *
 * <p>Several of them on one method, or on one class, are one lease of all their keys: acquired together or not at all, and lost
 * together; see {@link LeaseRequest#ofAll}. In all but the key they must be alike, and no two keys may be the same.
 *
 * <p>Durations are written as Spring Boot reads them ({@code 500ms}, {@code 10s}, {@code 5m}, {@code PT1H}); all texts may
 * hold <code>${…}</code> placeholders.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Repeatable(DistributedLeases.class)
@Documented
public @interface DistributedLease {

    /** For {@link #once()}: by the slots of a cron expression where there are any. */
    String AUTO = "AUTO";

    /** For {@link #once()}: for no run. */
    String NEVER = "NEVER";

    /** The same as {@link #key()}. */
    @AliasFor("key")
    String value() default "";

    /**
     * What the lease is about: a text in which <code>#{…}</code> is an expression over the method's parameters, by name, and
     * the application's beans, as in {@code order-#{#order.id}}; also {@code target}, {@code method} and {@code targetClass}
     * are known. Each expression yields a text, number, boolean, character, enum, UUID or {@code java.time} value and not
     * {@code null}. It is evaluated once per call, and what it or a placeholder yields is not parsed again. The property
     * {@code lease.key-prefix} stands before it. Without it: the class and the method's name, which overloads share.
     */
    @AliasFor("value")
    String key() default "";

    /** How long one grant or renewal lasts; without it the manager's. See {@link LeaseRequest#ttl()}. */
    String ttl() default "";

    /**
     * How long a call waits while another holds the lease, or {@code unlimited}; without it not at all. See
     * {@link LeaseRequest#waitFor()}.
     */
    String waitFor() default "";

    /** How long others are kept out after the call has begun, though it end sooner. See {@link LeaseRequest#holdAtLeast()}. */
    String holdAtLeast() default "";

    /** How long others are kept out after the call has ended. See {@link LeaseRequest#cooldown()}. */
    String cooldown() default "";

    /** How long the lease is kept alive at most; without it without a limit. See {@link LeaseRequest#holdAtMost()}. */
    String holdAtMost() default "";

    /**
     * Which run a call is for: each is run once in the cluster, and a call for one that is done is skipped, or throws
     * {@link io.leasekit.LeaseAlreadyRanException} as {@link #onUnavailable()} says.
     *
     * <p>{@link #AUTO}: a method whose only {@code @Scheduled} has a cron expression with times at least 10 s apart runs once for
     * each of these times, whatever the nodes' clocks show; its key must then be the same at every firing, and calls by
     * others are for no run. Any other method is for no run. {@link #NEVER}: for no run.
     *
     * <p>Everything else names the run, with placeholders and <code>#{…}</code> as in {@link #key()}, as in
     * <code>#{#businessDate}</code>: it is run until it succeeded once, which the manager remembers for its once-retention. A process
     * that dies before its release is answered has not done it: at most one success is recorded, and there may be more
     * than one attempt. It cannot be combined with {@link #holdAtLeast()} or {@link #cooldown()}. See {@link #onceOrder()}.
     */
    String once() default AUTO;

    /** How the names of runs that {@link #once()} yields follow each other. */
    OnceOrder onceOrder() default OnceOrder.ANY;

    /** What a run counts as that ended with an error. */
    OnFailure onFailure() default OnFailure.AUTO;

    /** What a call does that does not get the lease because another holds it. */
    OnUnavailable onUnavailable() default OnUnavailable.AUTO;

    /** The name of the {@link LeaseUnavailableHandler} bean that decides instead of {@link #onUnavailable()}. */
    String unavailableHandler() default "";

    /** What a call does that does not get the lease because the store failed. */
    OnStoreFailure onStoreFailure() default OnStoreFailure.THROW;

    /** What a call does whose lease is lost while the method runs. */
    OnLost onLost() default OnLost.THROW;

    /** The bean name or qualifier of the {@link LeaseManager}; without it the only or primary one. */
    String manager() default "";
}
