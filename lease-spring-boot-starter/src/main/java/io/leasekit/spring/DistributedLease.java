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
 * Each call acquires a lease, renews it while the method runs, and releases it afterwards.
 *
 * <p>The annotation guards calls from one Spring bean to another. The annotation does not guard calls on {@code this},
 * calls of final, private or static methods, or calls on objects that Spring did not create. If a process is paused in
 * the middle of the method for longer than the ttl, another process may start the method. To reject late writes of the
 * paused process, use {@link io.leasekit.Lease#conditionCheck()} or {@link io.leasekit.Lease#fencingToken()}.
 *
 * <p>If the caller passes {@code null} for a parameter of type {@link io.leasekit.Lease}, the method receives the lease
 * there. {@link LeaseContext} provides the lease everywhere else. A nested call for the same key joins the lease of the
 * outer call if it runs on the same thread, or in the same Reactor or coroutine context. Calls on other threads do not
 * join the lease, even in the same process.
 *
 * <p>In the same way, a parameter of type {@link io.leasekit.Progress} receives the progress of the call's run. With
 * it, the next call continues where a dead or failed call stopped. A success removes the progress. If there is a bean
 * of type {@link io.leasekit.ProgressCodec} for the type of the values, it encodes them. Otherwise, a {@code String},
 * {@code Integer} or {@code Long} is encoded as text, a {@code byte[]} is written unchanged, and Jackson encodes all
 * other types. Such a parameter implies {@link #resumable()} and has the same requirements.
 *
 * <p>If a method returns a {@code CompletionStage} or a publisher, or is a suspending function, its lease lasts until
 * its work has ended. No thread waits for that. If the caller cancels the stage or the publisher, the lease ends at
 * once. A cancel does not stop a task of {@code CompletableFuture.supplyAsync}: the task continues without the lease.
 * To hold the lease until such a task has ended, return {@code future.minimalCompletionStage()}, which no caller can
 * cancel. A suspending function holds the lease until its body has ended. Startup fails for a method that returns any
 * other result whose work continues after the return.
 *
 * <p>On a class or an interface, the annotation applies to each public method, and to methods of any visibility that a
 * framework calls, such as event listeners. An annotation on the method takes precedence over one on its class, and one
 * on the class over one on an interface. Composed annotations are supported, with {@link AliasFor}.
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

    /** Value of {@link #once()}: one run for each slot of the cron expression, if there is a cron expression. */
    String AUTO = "AUTO";

    /** Value of {@link #once()}: calls belong to no run. */
    String NEVER = "NEVER";

    /** Alias for {@link #key()}. */
    @AliasFor("key")
    String value() default "";

    /**
     * The key of the lease. Each <code>#{…}</code> is an expression over the method's parameters, by name, and the
     * application's beans, as in {@code order-#{#order.id}}. An expression can also use {@code target}, {@code method}
     * and {@code targetClass}. An expression must yield a text, number, boolean, character, enum, UUID or
     * {@code java.time} value, and not {@code null}. Each expression is evaluated once per call. Results of expressions
     * and placeholders are not parsed again. The property {@code lease.key-prefix} is prepended to the key. The default
     * key is the name of the class and of the method; overloads share it.
     */
    @AliasFor("value")
    String key() default "";

    /** Duration of one grant or renewal. Defaults to the manager's ttl. See {@link LeaseRequest#ttl()}. */
    String ttl() default "";

    /**
     * Maximum time that a call waits while another owner holds the lease, or {@code unlimited}. By default, a call does
     * not wait. See {@link LeaseRequest#waitFor()}.
     */
    String waitFor() default "";

    /**
     * Minimum time for which no other caller gets the lease, counted from the acquire, even if the call ends sooner.
     * See {@link LeaseRequest#holdAtLeast()}.
     */
    String holdAtLeast() default "";

    /** Time after the release for which no other caller gets the lease. See {@link LeaseRequest#cooldown()}. */
    String cooldown() default "";

    /** Maximum time for which the lease is valid. Unlimited by default. See {@link LeaseRequest#holdAtMost()}. */
    String holdAtMost() default "";

    /**
     * Maximum number of calls at a time, over all processes, from 1 to 100. By default, the method runs under an
     * exclusive lease. Each call has a numbered slot, see {@link LeaseContext#slot()}. All nodes should set the same
     * number. An exclusive lease of the same key does not exclude these calls. A method with permits has no runs, so a
     * scheduled method runs on every node. Permits cannot be combined with several keys, {@link #holdAtLeast()},
     * {@link #cooldown()} or a name in {@link #once()}. See {@link LeaseRequest#permits(int)}.
     */
    String permits() default "";

    /**
     * Maximum number of {@link #permits()} that this process uses at a time. See
     * {@link LeaseRequest#permitsPerNode(int)}.
     */
    String permitsPerNode() default "";

    /**
     * The run that a call belongs to. Once a run is done, no node executes it again. A firing of a schedule for such a
     * run is skipped, which is normal on all nodes but one. Any other call for such a run is skipped or throws
     * {@link io.leasekit.LeaseAlreadyRanException}, depending on {@link #onUnavailable()}.
     *
     * <p>{@link #AUTO}: a firing belongs to a slot, a time of its cron expression, if these times are at least 10 s
     * apart. The method then runs once for each slot, even if the clocks of the nodes differ. The key must be the same
     * at every firing. All other calls belong to no run. {@link #NEVER}: calls belong to no run.
     *
     * <p>Any other value is the name of the run. The name may contain placeholders and <code>#{…}</code> as in
     * {@link #key()}, for example <code>#{#businessDate}</code>. The method runs until it has succeeded once for that
     * name. The table remembers the success for the manager's once-retention. If a process dies before DynamoDB
     * confirms its release, the run is not done. So there may be several attempts, but at most one recorded success. A
     * name cannot be combined with {@link #holdAtLeast()} or {@link #cooldown()}. A nested call throws an
     * {@link IllegalStateException} if the outer call holds the same key for another run or for no run. See
     * {@link #onceOrder()}.
     */
    String once() default AUTO;

    /**
     * The order of the run names that {@link #once()} yields. A node waits for only one run of a method and key at a
     * time. With {@link OnceOrder#ANY}, the wait for a run on another node ends when a firing must wait for a different
     * run; this is logged.
     */
    OnceOrder onceOrder() default OnceOrder.ANY;

    /**
     * Whether the method saves its progress, so that the next call of the same run continues where a dead or failed
     * call stopped. {@link LeaseContext#progress} returns the progress, also in scheduled methods, which have no
     * parameters. A resumable method has one key, no permits and, if {@link #once()} is a name,
     * {@link OnceOrder#GROWING}. See {@link LeaseRequest#resumable()}. To let another node continue after a shutdown,
     * throw a {@link io.leasekit.RunStoppedException} once {@link LeaseContext#stopRequested()} returns true.
     */
    boolean resumable() default false;

    /**
     * Maximum age of a slot that is caught up after a start, for example {@code 2h}. By default, no slot is caught up.
     * If every node was down at a time of the cron expression, the first node that starts within this age runs the
     * method for that time. Only the newest slot is caught up. That firing is like any other, and begins up to 10 s
     * after the start. If several nodes start, only one of them runs the method.
     *
     * <p>Nothing is caught up for a key that has never run, or whose last run the table has forgotten; see
     * {@link io.leasekit.LeaseManagerBuilder#onceRetention}. A run that failed counts as done, except with
     * {@link OnFailure#RETRY}. Catching up costs one consistent read at each start. The method must have slots, see
     * {@link #AUTO}, and one key without an expression. The age must not exceed the manager's once-retention.
     */
    String catchUp() default "";

    /** Outcome of a run that ended with an error. */
    OnFailure onFailure() default OnFailure.AUTO;

    /** Action when another owner holds the lease, or the lease is paused. */
    OnUnavailable onUnavailable() default OnUnavailable.AUTO;

    /** Name of the {@link LeaseUnavailableHandler} bean that decides instead of {@link #onUnavailable()}. */
    String unavailableHandler() default "";

    /** Action when the lease cannot be acquired because the store failed. */
    OnStoreFailure onStoreFailure() default OnStoreFailure.AUTO;

    /** Action when the lease is lost while the method runs. */
    OnLost onLost() default OnLost.THROW;

    /** Bean name or qualifier of the {@link LeaseManager}. Defaults to the only or primary manager. */
    String manager() default "";
}
