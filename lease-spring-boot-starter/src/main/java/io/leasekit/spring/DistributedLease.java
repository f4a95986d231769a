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
 * Runs a method in at most one process at a time or, with {@link #permits()}, in at most that many calls at a time.
 * Each call acquires a lease, keeps it alive by heartbeats while the method runs, and releases it afterwards.
 *
 * <p>It guards calls from one bean to another, for beans that Spring creates. It does not guard calls on {@code this},
 * or final, private and static methods. If a process is paused in the middle of the method for longer than the ttl,
 * another process may start the method. See {@link io.leasekit.Lease#conditionCheck()} and
 * {@link io.leasekit.Lease#fencingToken()}.
 *
 * <p>If the caller passes {@code null} for a parameter of type {@link io.leasekit.Lease}, the parameter receives the
 * lease. Elsewhere {@link LeaseContext} provides it. A nested call for the same key joins the lease if it is on the
 * same thread, or in the Reactor or coroutine context of the call. Calls on other threads do not join it, even in the
 * same process.
 *
 * <p>A parameter of type {@link io.leasekit.Progress} receives the progress of the call's run in the same way, so that
 * the next call continues where a dead or failed one stopped. A success removes it. The bean of type {@link
 * io.leasekit.ProgressCodec} for the type of its values encodes them. Without one, a {@code String}, {@code Integer} or
 * {@code Long} is encoded as text, a {@code byte[]} is written unchanged, and Jackson encodes all other types. It has
 * the requirements of {@link #resumable()}, which it implies.
 *
 * <p>The lease of a method that returns a {@code CompletionStage} or a publisher, and that of a suspending function,
 * lasts until the work ends; no thread waits for it. If the caller cancels the stage or the publisher, the lease ends at
 * once. A cancel does not stop a task of {@code CompletableFuture.supplyAsync}, which goes on without the lease. To hold
 * the lease until such work has ended, return {@code future.minimalCompletionStage()}, which nobody can cancel. A
 * suspending function holds it until its body has ended. Other results whose work continues after the return are refused.
 *
 * <p>On a class or an interface, the annotation applies to each public method, and to methods of any visibility
 * that a framework calls, such as event listeners. An annotation on the method takes
 * precedence over one on its class, and one on the class over one on an interface. Composed annotations are supported,
 * with {@link AliasFor}.
 *
 * <p>Several annotations on one method or one class form one lease of all their keys. The keys are acquired together or
 * not at all, and are lost together; see {@link LeaseRequest#ofAll}. The annotations must have distinct keys and agree
 * in all other attributes.
 *
 * <p>Durations have the format of Spring Boot ({@code 500ms}, {@code 10s}, {@code 5m}, {@code PT1H}). Every attribute
 * that is a string may contain <code>${…}</code> placeholders.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Repeatable(DistributedLeases.class)
@Documented
public @interface DistributedLease {

    /** Value of {@link #once()}: one run for each slot of the cron expression, if there is one. */
    String AUTO = "AUTO";

    /** Value of {@link #once()}: calls belong to no run. */
    String NEVER = "NEVER";

    /** Alias for {@link #key()}. */
    @AliasFor("key")
    String value() default "";

    /**
     * The key of the lease. Each <code>#{…}</code> is an expression over the method's parameters, by name, and the
     * application's beans, as in {@code order-#{#order.id}}. It can also use {@code target}, {@code method} and
     * {@code targetClass}. An expression must yield a text, number, boolean, character, enum, UUID or {@code java.time}
     * value, and not {@code null}. It is evaluated once per call. Results of expressions and placeholders are not
     * parsed again. The property {@code lease.key-prefix} is prepended to the key. The default key is the name of the
     * class and of the method; overloads share it.
     */
    @AliasFor("value")
    String key() default "";

    /** Duration of one grant or renewal. Defaults to the ttl of the manager. See {@link LeaseRequest#ttl()}. */
    String ttl() default "";

    /**
     * Maximum time that a call waits while another owner holds the lease, or {@code unlimited}. By default it does not
     * wait. See {@link LeaseRequest#waitFor()}.
     */
    String waitFor() default "";

    /**
     * Minimum time for which other callers are kept out, counted from the acquire, even if the call ends sooner. See
     * {@link LeaseRequest#holdAtLeast()}.
     */
    String holdAtLeast() default "";

    /** Time for which other callers are kept out after the release. See {@link LeaseRequest#cooldown()}. */
    String cooldown() default "";

    /** Maximum time for which the lease is valid. Unlimited by default. See {@link LeaseRequest#holdAtMost()}. */
    String holdAtMost() default "";

    /**
     * Maximum number of calls at a time, over all processes, from 1 to 100; by default the method runs under an
     * exclusive lease. Each call has a numbered slot, see {@link LeaseContext#slot()}. All nodes should set the same
     * number. An exclusive lease of the same key does not exclude these calls. A method with permits has no runs, so
     * every node that fires a schedule runs it. Permits cannot be combined with several keys, {@link #holdAtLeast()},
     * {@link #cooldown()} or a name in {@link #once()}. See {@link LeaseRequest#permits(int)}.
     */
    String permits() default "";

    /** Maximum number of {@link #permits()} used by this process. See {@link LeaseRequest#permitsPerNode(int)}. */
    String permitsPerNode() default "";

    /**
     * The run that a call belongs to. A run that is done is not executed again by any node. A firing whose slot is done
     * is skipped, because all nodes but one find it done. Any other call for a run that is done is skipped or throws {@link
     * io.leasekit.LeaseAlreadyRanException}, as {@link #onUnavailable()} says.
     *
     * <p>{@link #AUTO}: a firing has a slot if the task that fired has a cron expression whose times are at least 10 s
     * apart. The method then runs once for each of these times, whatever the clocks of the nodes show. Its key must
     * be the same at every firing. Calls that are not firings belong to no run, nor do calls of methods without slots.
     * {@link #NEVER}: calls belong to no run.
     *
     * <p>Any other value is the name of the run. It may contain placeholders and <code>#{…}</code> as in
     * {@link #key()}, for example <code>#{#businessDate}</code>. The method runs until it has succeeded once for that
     * name. The table remembers this for the manager's once-retention. If a process dies before its release is
     * answered, the run is not done. So at most one success is recorded, but there may be several attempts. A name
     * cannot be combined with {@link #holdAtLeast()} or {@link #cooldown()}. A nested call throws an
     * {@link IllegalStateException} if the outer call holds the same key for another run or for none. See
     * {@link #onceOrder()}.
     */
    String once() default AUTO;

    /**
     * The order of the run names that {@link #once()} yields. A node waits for one run of a method and key at a time. With {@link
     * OnceOrder#ANY}, its wait for a run on another node ends when a firing has to wait for another run; this is logged.
     */
    OnceOrder onceOrder() default OnceOrder.ANY;

    /**
     * Whether the work saves its progress, so that the next call of the same run continues where a dead or failed one stopped.
     * {@link LeaseContext#progress} returns it, also in scheduled methods, which have no parameters. It requires one key, no
     * permits and, if {@link #once()} is a name, {@link OnceOrder#GROWING}. See {@link LeaseRequest#resumable()}. To let another
     * node go on at a shutdown, throw a {@link io.leasekit.RunStoppedException} once {@link LeaseContext#stopRequested()}.
     */
    boolean resumable() default false;

    /**
     * Maximum age of a slot that is caught up after a start, for example {@code 2h}; by default none is. If every node was down at
     * a time of the cron expression, the first node that starts afterwards and within this time runs the method for it. Only the
     * newest slot is caught up, by a firing like any other. It begins up to 10 s after the start, so that of several nodes that start
     * only one runs it.
     *
     * <p>Nothing is caught up for a key that has never run, or whose last run the table has forgotten, see {@link
     * io.leasekit.LeaseManagerBuilder#onceRetention}. A run that failed is done, except with {@link OnFailure#RETRY}. Costs one
     * consistent read at each start. Requires slots, see {@link #AUTO}, and one key without an expression. Must not be longer than
     * the manager's once-retention.
     */
    String catchUp() default "";

    /** Outcome of a run that ended with an error. */
    OnFailure onFailure() default OnFailure.AUTO;

    /** Action when another owner holds the lease, or it is paused. */
    OnUnavailable onUnavailable() default OnUnavailable.AUTO;

    /** Name of the {@link LeaseUnavailableHandler} bean that decides instead of {@link #onUnavailable()}. */
    String unavailableHandler() default "";

    /** Action when the lease cannot be acquired because the store failed. */
    OnStoreFailure onStoreFailure() default OnStoreFailure.AUTO;

    /** Action when the lease is lost while the method runs. */
    OnLost onLost() default OnLost.THROW;

    /** Bean name or qualifier of the {@link LeaseManager}. Defaults to the only or primary one. */
    String manager() default "";
}
