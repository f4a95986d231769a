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
 * Runs a method in at most one process at a time. With {@link #permits()}, the method runs in at most the given number
 * of calls at a time, over all processes. Each call acquires a lease, renews the lease while the method runs, and
 * releases the lease after the method has ended.
 *
 * <p>The annotation guards calls from one Spring bean to another. The annotation does not guard calls on {@code this},
 * calls of final, private or static methods, or calls on objects that Spring did not create. If a process pauses in the
 * middle of the method for longer than the ttl, its lease expires, and another process can start the method. To reject
 * late writes of a process that has paused, use {@link io.leasekit.Lease#conditionCheck()} or
 * {@link io.leasekit.Lease#fencingToken()}.
 *
 * <p>If the caller passes {@code null} for a parameter of type {@link io.leasekit.Lease}, the method receives the lease
 * in that parameter. A method without a parameter of type {@code Lease} gets the lease from {@link LeaseContext}. A
 * nested call with the key of the outer call joins the outer call's lease. The nested call must run on the same thread,
 * or in the same Reactor or coroutine context, as the outer call. Calls on other threads do not join the outer call's
 * lease.
 *
 * <p>If the caller passes {@code null} for a parameter of type {@link io.leasekit.Progress}, the method receives the
 * progress of the call's run in that parameter. With the progress, the next call of a run continues where a dead or
 * failed call stopped. When a run succeeds, its progress is removed. If the application has a
 * {@link io.leasekit.ProgressCodec} bean for the type of the saved progress, this bean encodes the progress. Without a
 * codec bean, a {@code String}, {@code Integer} or {@code Long} is saved as text, a {@code byte[]} is saved unchanged,
 * and Jackson encodes all other types. A method with a parameter of type {@code Progress} must meet the requirements of
 * {@link #resumable()}.
 *
 * <p>If a method returns a {@code CompletionStage} or a publisher, or is a suspending function, the lease lasts until
 * the work of the method has ended. The lease blocks no thread while asynchronous work continues. If the caller cancels
 * the returned stage or publisher, the lease ends at once. If a caller cancels a stage of
 * {@code CompletableFuture.supplyAsync}, the task of this stage continues without the lease. To hold the lease until a
 * task of {@code supplyAsync} has ended, return {@code future.minimalCompletionStage()}, which no caller can cancel. If
 * a caller cancels a suspending function, the lease lasts until the body of the function has ended. Startup fails if a
 * method returns another type, such as a {@code Future}, whose work continues after the method has returned.
 *
 * <p>On a class or an interface, the annotation applies to each public method. The annotation also applies to
 * non-public methods that a framework calls, such as event listeners. An annotation on the method takes precedence over
 * an annotation on the class. An annotation on the class takes precedence over an annotation on an interface. The
 * annotation can be part of a composed annotation, which sets attributes with {@link AliasFor}.
 *
 * <p>If a method or class has several {@code @DistributedLease} annotations, each call acquires one lease for the keys
 * of all annotations. A lease for several keys is acquired and lost for all keys together; see
 * {@link LeaseRequest#ofAll}. Several {@code @DistributedLease} annotations on one element must have distinct keys, and
 * equal values of all other attributes.
 *
 * <p>Durations have the format of Spring Boot ({@code 500ms}, {@code 10s}, {@code 5m}, {@code PT1H}). Every attribute
 * that is a string may contain <code>${…}</code> placeholders.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Repeatable(DistributedLeases.class)
@Documented
public @interface DistributedLease {

    /**
     * Value of {@link #once()}: a method with a cron expression runs once for each time of the expression (a slot).
     * Calls that do not come from the scheduler belong to no run.
     */
    String AUTO = "AUTO";

    /** Value of {@link #once()}: no call belongs to a run, so no call is skipped because of an earlier success. */
    String NEVER = "NEVER";

    /** Alias for {@link #key()}. */
    @AliasFor("key")
    String value() default "";

    /**
     * The key of the lease. Each <code>#{…}</code> in a key is an expression. An expression can use the method's
     * parameters by name, as in {@code order-#{#order.id}}. An expression can also use the application's beans,
     * {@code target}, {@code method} and {@code targetClass}. The result of an expression must be a text, number,
     * boolean, character, enum, UUID or {@code java.time} value, and not {@code null}. Each expression is evaluated
     * once per call. If the result of an expression or placeholder contains <code>#{…}</code> or <code>${…}</code>,
     * that text is not evaluated. The property {@code lease.key-prefix} is prepended to the key. The default key
     * consists of the names of the class and the method, so overloaded methods share the default key.
     */
    @AliasFor("value")
    String key() default "";

    /**
     * Time for which one grant or renewal keeps the lease valid. The default is the manager's ttl. See
     * {@link LeaseRequest#ttl()}.
     */
    String ttl() default "";

    /**
     * Maximum time that a call waits while another owner holds the lease; {@code unlimited} sets no maximum. By
     * default, a call does not wait. See {@link LeaseRequest#waitFor()}.
     */
    String waitFor() default "";

    /**
     * Minimum time after the acquire for which no other caller gets the lease, even if the call ends earlier. See
     * {@link LeaseRequest#holdAtLeast()}.
     */
    String holdAtLeast() default "";

    /** Time after the release for which no other caller gets the lease. See {@link LeaseRequest#cooldown()}. */
    String cooldown() default "";

    /**
     * Maximum time after the acquire for which the lease is valid. By default, the lease has no maximum time. See
     * {@link LeaseRequest#holdAtMost()}.
     */
    String holdAtMost() default "";

    /**
     * Maximum number of calls that run at a time, over all processes, from 1 to 100. By default, the method runs under
     * an exclusive lease. {@link LeaseContext#slot()} returns the number of a call's permit. All nodes should set the
     * same number of permits. An exclusive lease does not exclude calls that hold permits of the same key. With
     * permits, every node runs a scheduled method at each firing, because no run is recorded as done. Permits cannot be
     * combined with several keys, {@link #holdAtLeast()}, {@link #cooldown()} or a name in {@link #once()}. See
     * {@link LeaseRequest#permits(int)}.
     */
    String permits() default "";

    /**
     * Maximum number of {@link #permits() permits} that one process uses at a time. See
     * {@link LeaseRequest#permitsPerNode(int)}.
     */
    String permitsPerNode() default "";

    /**
     * The run that a call belongs to. After a run is done, no node executes this run again. A firing (a call by the
     * scheduler) is skipped if its run is done. One node executes each scheduled run, and all other nodes skip it. If
     * other code calls the method and the run is done, the call is skipped or throws
     * {@link io.leasekit.LeaseAlreadyRanException}, depending on {@link #onUnavailable()}.
     *
     * <p>With {@link #AUTO}, each time of the cron expression is a slot if the times are at least 10 s apart. Each
     * firing belongs to one slot. The method runs once for each slot, even if the clocks of the nodes differ. If the
     * method has slots, its key must be the same at every firing. Calls that do not come from the scheduler belong to
     * no run. With {@link #NEVER}, no call belongs to a run.
     *
     * <p>Any value other than {@code AUTO} and {@code NEVER} is the name of the run. The run name may contain
     * placeholders and <code>#{…}</code> as in {@link #key()}, for example <code>#{#businessDate}</code>. A call runs
     * the method, unless an earlier call with the same run name has succeeded. The table records a success for the
     * manager's once-retention, 400 days by default. If a process dies before DynamoDB confirms the release of the
     * lease, the run might not count as done. A named run can be executed several times, for example after a process
     * has died, but only one success is recorded. A run name in {@code once} cannot be combined with
     * {@link #holdAtLeast()} or {@link #cooldown()}. A nested call with a run name throws an
     * {@link IllegalStateException} if the outer call holds the lease for another run or for no run. See
     * {@link #onceOrder()}.
     */
    String once() default AUTO;

    /**
     * Whether the run names of {@link #once()} grow over time, or come in any order. While another node executes a run,
     * this node's firing for the same run waits until the run ends. For each method and key, a node waits for only one
     * run at a time. With {@link OnceOrder#ANY}, a waiting firing gives up when a later firing must wait for a
     * different run. Leasekit logs a line when a firing gives up.
     */
    OnceOrder onceOrder() default OnceOrder.ANY;

    /**
     * Whether the method saves its progress. With saved progress, the next call of the same run continues where a dead
     * or failed call stopped. Scheduled methods, which cannot have parameters, get the progress from
     * {@link LeaseContext#progress}. A resumable method must have one key and no permits. If a resumable method has a
     * name in {@link #once()}, its {@link #onceOrder()} must be {@link OnceOrder#GROWING}. See
     * {@link LeaseRequest#resumable()}. To let another node continue after a shutdown, throw a
     * {@link io.leasekit.RunStoppedException} once {@link LeaseContext#stopRequested()} returns true.
     */
    boolean resumable() default false;

    /**
     * Maximum age of a missed slot (a time of the cron expression), for example {@code 2h}. After the start of the
     * application, the method runs for a slot up to this age. By default, the method does not run for missed slots. A
     * slot is missed if every node was down at its time. The first node that starts after a missed slot runs the
     * method. If several slots were missed, the method runs only for the newest slot. The firing for a missed slot
     * begins at most 10 s after the start of the application. If several nodes start at the same time, only one node
     * runs the method for the missed slot.
     *
     * <p>The method does not run for a missed slot if the table records no earlier run for the key; see
     * {@link io.leasekit.LeaseManagerBuilder#onceRetention}. A failed run counts as done, unless {@link #onFailure()}
     * is {@link OnFailure#RETRY}. With {@code catchUp}, each start of the application sends one consistent read. A
     * method with {@code catchUp} must have slots, as described at {@link #once()}, and one key without an expression.
     * The maximum age of a missed slot must not exceed the manager's once-retention.
     */
    String catchUp() default "";

    /** Whether a run that ended with an error counts as done or is executed again. */
    OnFailure onFailure() default OnFailure.AUTO;

    /** Action when another owner holds the lease, or the lease is paused. */
    OnUnavailable onUnavailable() default OnUnavailable.AUTO;

    /**
     * Name of the {@link LeaseUnavailableHandler} bean that handles calls without a lease. The handler replaces
     * {@link #onUnavailable()}.
     */
    String unavailableHandler() default "";

    /** Action when the lease cannot be acquired because the store failed. */
    OnStoreFailure onStoreFailure() default OnStoreFailure.AUTO;

    /** Action when the lease is lost while the method runs. */
    OnLost onLost() default OnLost.THROW;

    /** Bean name or qualifier of the {@link LeaseManager}. The default is the application's only or primary manager. */
    String manager() default "";
}
