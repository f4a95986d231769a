package io.leasekit.kotlin

import io.leasekit.Lease
import io.leasekit.LeaseAlreadyRanException
import io.leasekit.LeaseManager
import io.leasekit.LeaseUnavailableException
import io.leasekit.Progress
import io.leasekit.memory.InMemoryLeaseStore
import io.leasekit.spring.DistributedLease
import io.leasekit.spring.LeaseContext
import io.leasekit.spring.OnUnavailable
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.CountDownLatch
import java.util.concurrent.LinkedBlockingQueue
import java.util.concurrent.TimeUnit
import kotlin.coroutines.AbstractCoroutineContextElement
import kotlin.coroutines.CoroutineContext
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.ThreadContextElement
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.future.await
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import org.aopalliance.intercept.MethodInterceptor
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import org.junit.jupiter.api.assertThrows
import org.springframework.aop.Advisor
import org.springframework.aop.support.DefaultPointcutAdvisor
import org.springframework.aop.support.NameMatchMethodPointcut
import org.springframework.beans.factory.config.BeanDefinition
import org.springframework.boot.test.context.assertj.AssertableApplicationContext
import reactor.core.publisher.Mono

/** Suspending functions and flows under a lease. */
@Timeout(600)
class SuspendingFunctionsTest {

    private fun run(test: suspend AssertableApplicationContext.(Jobs) -> Unit) {
        runner
            .withBean(Jobs::class.java)
            .withBean(Advisor::class.java, ::secondAttempts, { it.role = BeanDefinition.ROLE_INFRASTRUCTURE })
            .withPropertyValues("lease.release-in-background=false")
            .run { context ->
                val jobs = context.getBean(Jobs::class.java)
                jobs.inject(jobs)
                runBlocking { context.test(jobs) }
            }
    }

    /** Advice under the lease that subscribes again after a failure. */
    private fun secondAttempts(): Advisor =
        DefaultPointcutAdvisor(
            NameMatchMethodPointcut().apply { setMappedName("twice") },
            MethodInterceptor { (it.proceed() as Mono<*>).retry(1) },
        )

    private fun AssertableApplicationContext.elsewhere() =
        LeaseManager.builder(getBean(InMemoryLeaseStore::class.java)).owner("other").build()

    @Test
    fun theLeaseIsHeldUntilTheFunctionReturnsAfterSuspensions() = run { jobs ->
        assertThat(jobs.held("7")).isEqualTo("order-7")
        awaitFree("order-7")
    }

    @Test
    fun theContextFollowsTheCoroutineToOtherThreads() = run { jobs ->
        assertThat(jobs.hopping()).containsOnly("hopping").hasSize(3)
        assertThat(LeaseContext.find()).isEmpty()
    }

    @Test
    fun aNestedCallForTheSameKeyJoins() = run { jobs ->
        assertThat(jobs.outer()).isTrue()
        awaitFree("nested")
    }

    @Test
    fun anExceptionIsTheCallersAndEndsTheLease() = run { jobs ->
        assertThrows<IllegalArgumentException> { jobs.failing() }
        awaitFree("failing")
    }

    @Test
    fun aCancelEndsTheLease() = run { jobs ->
        val begun = CompletableDeferred<Unit>()
        val call = CoroutineScope(Dispatchers.Default).launch { jobs.endless(begun) }
        begun.await()
        assertThat(isFree("endless")).isFalse()

        call.cancelAndJoin()

        awaitFree("endless")
    }

    @Test
    fun aCancelledFunctionHoldsTheLeaseUntilItsBodyHasEnded() = run { jobs ->
        val body = Body()
        body.cancelOnceBegun { jobs.migrate("v1", body) }

        assertHeld("migrate")

        body.rolledBack.complete(Unit)
        awaitFree("migrate")
        assertThat(body.heldAfterCancel).isTrue()
    }

    @Test
    fun aCancelledRunIsNotDoneEvenIfItsBodyReturnsLater() = run { jobs ->
        val body = Body()
        body.cancelOnceBegun { jobs.migrate("v2", body) }
        body.rolledBack.complete(Unit)
        awaitFree("migrate")

        assertThat(jobs.migrate("v2", null)).isEqualTo("done")
        assertThrows<LeaseAlreadyRanException> { jobs.migrate("v2", null) }
    }

    @Test
    fun aJoinedCallThatIsCancelledHoldsTheLeaseToo() = run { jobs ->
        val body = Body()
        jobs.outerOfEndless(body)

        assertHeld("joined")

        body.rolledBack.complete(Unit)
        awaitFree("joined")
    }

    @Test
    fun aSecondAttemptThatIsCancelledHoldsTheLeaseToo() = run { jobs ->
        val body = Body()
        body.cancelOnceBegun { jobs.twice(body) }

        assertHeld("twice")

        body.rolledBack.complete(Unit)
        awaitFree("twice")
        assertThat(jobs.ran).containsExactly("twice", "twice")
    }

    @Test
    fun aFunctionThatIsCancelledBeforeItBeginsEndsTheLease() = run { jobs ->
        val dispatcher = HoldingDispatcher()
        val begun = CompletableDeferred<Unit>()
        val call = CoroutineScope(dispatcher).launch { jobs.endless(begun) }
        dispatcher.next().run()
        val body = dispatcher.next()
        assertThat(isFree("endless")).isFalse()

        call.cancel()
        awaitFree("endless")

        body.run()
        assertThat(begun.isCompleted).isFalse()
        dispatcher.next().run()
        call.join()
    }

    /** Without a dispatcher, a coroutine that has found itself active begins, whatever happens before its first statement. */
    @Test
    fun aFunctionThatIsCancelledWhileItBeginsHoldsTheLease() = run { jobs ->
        val begins = Begins()
        val call = CoroutineScope(Dispatchers.Unconfined + begins).launch { jobs.endless(CompletableDeferred()) }
        assertThat(begins.reached.await(10, TimeUnit.MINUTES)).isTrue()

        try {
            call.cancel()
            assertHeld("endless")
        } finally {
            begins.goesOn.countDown()
        }

        awaitFree("endless")
        call.join()
    }

    @Test
    fun aCancelledFlowHoldsTheLeaseUntilItsBodyHasEnded() = run { jobs ->
        val body = Body()
        assertThat(jobs.rows(body).first()).isEqualTo("rows")
        body.cancelled.await()

        assertHeld("rows")

        body.rolledBack.complete(Unit)
        awaitFree("rows")
        assertThat(body.heldAfterCancel).isTrue()
    }

    @Test
    fun aHeldLeaseIsAnExceptionOrASkippedCall() = run { jobs ->
        elsewhere().use { other ->
            other.tryAcquire("order-7").orElseThrow().use {
                assertThrows<LeaseUnavailableException> { jobs.held("7") }
            }
            other.tryAcquire("nullable").orElseThrow().use { assertThat(jobs.nullable()).isNull() }
            other.tryAcquire("unit").orElseThrow().use { jobs.unit() }
        }
        assertThat(jobs.ran).isEmpty()
    }

    @Test
    fun aWaitingFunctionGetsTheLeaseWhenItIsFree() = run { jobs ->
        elsewhere().use { other ->
            val theirs = other.tryAcquire("waiting").orElseThrow()
            CoroutineScope(Dispatchers.Default).launch {
                delay(100)
                theirs.close()
            }
            assertThat(jobs.waiting()).isEqualTo("waited")
        }
    }

    @Test
    fun theParameterReceivesTheLease() = run { jobs ->
        assertThat(jobs.withLease(null)).isEqualTo("parameter")
    }

    @Test
    fun theNextCallGoesOnFromTheProgressOfAFailedOne() = run { jobs ->
        assertThrows<IllegalArgumentException> { runBlocking { jobs.resumed(null, failing = true) } }

        assertThat(jobs.resumed(null, failing = false)).isEqualTo(1)
        assertThat(jobs.resumed(null, failing = false)).isNull()
    }

    @Test
    fun theLeaseOfAFlowIsHeldWhileItIsCollected() = run { jobs ->
        val flow = jobs.flow()
        assertThat(isFree("flow")).isTrue()

        assertThat(flow.toList()).containsExactly("flow", "flow")
        awaitFree("flow")
        assertThat(flow.first()).isEqualTo("flow")
        awaitFree("flow")
    }

    /** Work that cleans up after a cancel. */
    class Body {

        val begun = CompletableDeferred<Unit>()
        val cancelled = CompletableDeferred<Unit>()
        val rolledBack = CompletableDeferred<Unit>()

        @Volatile var heldAfterCancel = false

        suspend fun run() {
            try {
                begun.complete(Unit)
                delay(3_600_000)
            } finally {
                withContext(NonCancellable) {
                    cancelled.complete(Unit)
                    rolledBack.await()
                    heldAfterCancel = LeaseContext.find().isPresent
                }
            }
        }

        /** Returns when the caller has been told of its cancel and this work has noticed it. */
        suspend fun cancelOnceBegun(call: suspend () -> Unit) = coroutineScope {
            val caller = launch { call() }
            begun.await()
            caller.cancelAndJoin()
            cancelled.await()
        }
    }

    /** Holds up the thread that begins a function. */
    class Begins : AbstractCoroutineContextElement(Begins), ThreadContextElement<Unit> {

        companion object : CoroutineContext.Key<Begins>

        val reached = CountDownLatch(1)
        val goesOn = CountDownLatch(1)

        override fun updateThreadContext(context: CoroutineContext) {
            if (context[Job]!!.parent == null) { // the function's, not the caller's
                reached.countDown()
                goesOn.await()
            }
        }

        override fun restoreThreadContext(context: CoroutineContext, oldState: Unit) {}
    }

    /** Runs no task until the test does. */
    class HoldingDispatcher : CoroutineDispatcher() {

        private val tasks = LinkedBlockingQueue<Runnable>()

        override fun dispatch(context: CoroutineContext, block: Runnable) {
            tasks.add(block)
        }

        fun next(): Runnable = tasks.poll(10, TimeUnit.MINUTES)!!
    }

    open class Jobs {

        open val ran = CopyOnWriteArrayList<String>()

        private var self: Jobs = this

        open fun inject(advised: Jobs) {
            self = advised
        }

        @DistributedLease("order-#{#id}")
        open suspend fun held(id: String): String {
            delay(5)
            return LeaseContext.current().key()
        }

        @DistributedLease("hopping")
        open suspend fun hopping(): List<String> {
            val keys = mutableListOf(LeaseContext.current().key())
            withContext(Dispatchers.IO) { keys.add(LeaseContext.current().key()) }
            delay(5)
            keys.add(LeaseContext.current().key())
            return keys
        }

        @DistributedLease("nested")
        open suspend fun outer(): Boolean {
            val token = LeaseContext.current().fencingToken()
            delay(5)
            return self.inner() == token
        }

        @DistributedLease("nested")
        open suspend fun inner(): Long = LeaseContext.current().fencingToken()

        @DistributedLease("failing")
        open suspend fun failing(): String {
            delay(5)
            throw IllegalArgumentException("own")
        }

        @DistributedLease("endless")
        open suspend fun endless(begun: CompletableDeferred<Unit>) {
            begun.complete(Unit)
            delay(3_600_000)
        }

        @DistributedLease(key = "migrate", once = "#{#version}")
        open suspend fun migrate(version: String, body: Body?): String {
            body?.run()
            return "done"
        }

        @DistributedLease("joined")
        open suspend fun outerOfEndless(body: Body) {
            body.cancelOnceBegun { self.innerOfEndless(body) }
        }

        @DistributedLease("joined")
        open suspend fun innerOfEndless(body: Body) = body.run()

        @DistributedLease("twice")
        open suspend fun twice(body: Body) {
            ran.add("twice")
            check(ran.size == 2) { "first attempt" }
            body.run()
        }

        @DistributedLease("rows")
        open fun rows(body: Body): Flow<String> = flow {
            coroutineScope {
                launch { body.run() }
                body.begun.await()
                emit(LeaseContext.current().key())
            }
        }

        @DistributedLease(key = "nullable", onUnavailable = OnUnavailable.SKIP)
        open suspend fun nullable(): String? {
            ran.add("nullable")
            return "ran"
        }

        @DistributedLease(key = "unit", onUnavailable = OnUnavailable.SKIP)
        open suspend fun unit() {
            ran.add("unit")
        }

        @DistributedLease(key = "waiting", waitFor = "1m")
        open suspend fun waiting(): String = "waited"

        @DistributedLease("parameter")
        open suspend fun withLease(lease: Lease?): String {
            delay(5)
            return lease!!.key()
        }

        @DistributedLease("resumed")
        open suspend fun resumed(progress: Progress<Int>?, failing: Boolean): Int? {
            delay(5)
            progress!!.saveAsync(1).await()
            require(!failing)
            return progress.last().orElse(null)
        }

        @DistributedLease("flow")
        open fun flow(): Flow<String> = flow {
            emit(LeaseContext.current().key())
            delay(5)
            emit(LeaseContext.current().key())
        }
    }
}
