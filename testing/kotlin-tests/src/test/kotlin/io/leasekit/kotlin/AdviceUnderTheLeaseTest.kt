package io.leasekit.kotlin

import io.leasekit.Lease
import io.leasekit.LeaseLostException
import io.leasekit.LeaseManager
import io.leasekit.spring.DistributedLease
import io.leasekit.spring.LeaseContext
import io.leasekit.spring.OnLost
import java.time.Duration
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.TimeoutException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.GlobalScope
import kotlinx.coroutines.Job
import kotlinx.coroutines.async
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.launch
import kotlinx.coroutines.reactor.mono
import kotlinx.coroutines.runBlocking
import org.aopalliance.intercept.MethodInterceptor
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import org.junit.jupiter.api.assertThrows
import org.springframework.aop.Advisor
import org.springframework.aop.support.DefaultPointcutAdvisor
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut
import org.springframework.beans.factory.config.BeanDefinition
import org.springframework.boot.test.context.assertj.AssertableApplicationContext
import reactor.core.publisher.Mono

/**
 * Advice under the lease that cancels a coroutine. The lease sees a failure or a success then, and not a cancel, while
 * the body goes on.
 */
@Timeout(600)
class AdviceUnderTheLeaseTest {

    private val first = SuspendingFunctionsTest.Body()
    private val second = SuspendingFunctionsTest.Body()
    private val attempts = ConcurrentLinkedQueue(listOf(first, second))

    /** Runs the test beside a caller of these jobs, whose publishers get this advice. */
    private fun run(
        advice: (Any?) -> Any?,
        call: suspend Jobs.() -> Any?,
        test: suspend AssertableApplicationContext.(caller: Deferred<Result<Any?>>) -> Unit,
    ) {
        runner
            .withBean(Jobs::class.java, { Jobs(ConcurrentLinkedQueue(listOf(first, second))) })
            .withBean(Advisor::class.java, { advisor(advice) }, { it.role = BeanDefinition.ROLE_INFRASTRUCTURE })
            .withPropertyValues("lease.release-in-background=false")
            .run { context ->
                val jobs = context.getBean(Jobs::class.java)
                runBlocking {
                    val caller = async(Dispatchers.Default) { runCatching { jobs.call() } }
                    context.test(caller)
                }
            }
    }

    private fun advisor(advice: (Any?) -> Any?): Advisor =
        DefaultPointcutAdvisor(
            AnnotationMatchingPointcut.forMethodAnnotation(DistributedLease::class.java),
            MethodInterceptor { advice(it.proceed()) },
        )

    private fun work(result: Any?): Mono<Any> = (result as Mono<*>).cast(Any::class.java)

    /** Emits when the body has begun, so that the advice does not give up earlier. */
    private fun begun(body: SuspendingFunctionsTest.Body) = mono { body.begun.await() }

    @Test
    fun aTimeoutHoldsTheLeaseUntilTheBodyHasEnded() =
        run({ work(it).timeout(begun(first)) }, { work() }) { caller ->
            first.cancelled.await()
            assertHeld("work")

            first.rolledBack.complete(Unit)
            assertThat(caller.await().exceptionOrNull()).isInstanceOf(TimeoutException::class.java)
            awaitFree("work")
            assertThat(first.heldAfterCancel).isTrue()
        }

    @Test
    fun aFallbackHoldsTheLeaseUntilTheBodyHasEnded() =
        run({ work(it).timeout(begun(first), Mono.just("fallback")) }, { work() }) { caller ->
            first.cancelled.await()
            assertHeld("work")

            first.rolledBack.complete(Unit)
            assertThat(caller.await().getOrThrow()).isEqualTo("fallback")
            awaitFree("work")
        }

    @Test
    fun aSecondAttemptBesideTheFirstHoldsTheLeaseToo() =
        run({ work(it).timeout(Mono.defer { begun(attempts.remove()) }).retry(1) }, { work() }) { caller ->
            second.cancelled.await()
            first.rolledBack.complete(Unit)
            assertHeld("work")

            second.rolledBack.complete(Unit)
            assertThat(caller.await().exceptionOrNull()).isInstanceOf(TimeoutException::class.java)
            awaitFree("work")
        }

    @Test
    fun aLossEndsTheCallAtOnce() =
        run({ it }, { interrupted() }) { caller ->
            first.begun.await()
            val lease = getBean(Jobs::class.java).lease.await()
            getBean(LeaseManager::class.java).forceRelease(lease.key(), lease.fencingToken())
            assertThrows<LeaseLostException> { lease.extend(Duration.ofSeconds(10)) }

            assertThat(caller.await().exceptionOrNull()).isInstanceOf(LeaseLostException::class.java)
            first.rolledBack.complete(Unit)
        }

    @Test
    fun aCoroutineThatTheBodyLeavesBehindDoesNotHoldTheLease() =
        run({ work(it).timeout(begun(first)) }, { leavingBehind(second) }) { caller ->
            first.cancelled.await()
            first.rolledBack.complete(Unit)

            assertThat(caller.await().exceptionOrNull()).isInstanceOf(TimeoutException::class.java)
            awaitFree("leaving-behind")
            assertThat(second.cancelled.isCompleted).isFalse()
        }

    open class Jobs(private val bodies: ConcurrentLinkedQueue<SuspendingFunctionsTest.Body>) {

        open val lease = CompletableDeferred<Lease>()

        @DistributedLease("work")
        open suspend fun work(): String {
            bodies.remove().run()
            return "worked"
        }

        @DistributedLease(key = "interrupted", onLost = OnLost.INTERRUPT)
        open suspend fun interrupted() {
            lease.complete(LeaseContext.current().lease())
            bodies.remove().run()
        }

        @DistributedLease("leaving-behind")
        open suspend fun leavingBehind(body: SuspendingFunctionsTest.Body) {
            GlobalScope.launch(currentCoroutineContext().minusKey(Job)) { body.run() }
            body.begun.await()
            bodies.remove().run()
        }
    }
}
