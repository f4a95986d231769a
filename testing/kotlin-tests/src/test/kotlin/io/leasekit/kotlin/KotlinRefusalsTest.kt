package io.leasekit.kotlin

import io.leasekit.spring.DistributedLease
import io.leasekit.spring.LeaseContext
import io.leasekit.spring.OnUnavailable
import java.time.Duration
import java.util.concurrent.CopyOnWriteArrayList
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.Test
import org.springframework.boot.diagnostics.FailureAnalyzer
import org.springframework.core.io.support.SpringFactoriesLoader
import org.springframework.scheduling.annotation.EnableScheduling
import org.springframework.scheduling.annotation.Scheduled

/** Kotlin classes that cannot work under a lease, and those that look like it and can. */
class KotlinRefusalsTest {

    private fun failure(type: Class<*>): Throwable {
        var failure: Throwable? = null
        runner.withBean("job", type).run { context ->
            assertThat(context).hasFailed()
            failure = context.startupFailure
        }
        return failure!!
    }

    @Test
    fun aResultThatIsNotNullableCannotBeSkipped() {
        listOf(NonNull::class.java, NonNullSuspending::class.java).forEach { type ->
            assertThat(rootCause(failure(type)))
                .hasMessage(
                    "@DistributedLease on '${type.name}.run': a skipped call returns null, but the result of the Kotlin" +
                        " function is not nullable"
                )
                .extracting("fix")
                .isEqualTo("Declare the result as nullable, with '?', or set 'onUnavailable' to THROW.")
        }
    }

    @Test
    fun aNonNullResultIsFineIfCallsThrow() {
        runner.withBean(NonNullThrowing::class.java).run { assertThat(it).hasNotFailed() }
    }

    @Test
    fun aSuspendingFunctionWithAFlowIsRefused() {
        assertThat(rootCause(failure(SuspendedFlow::class.java)))
            .hasMessage(
                "@DistributedLease on '${SuspendedFlow::class.java.name}.run': Spring does not pass the context of a" +
                    " suspending function on to the flow that it returns, so the lease would not be seen in the flow"
            )
            .extracting("fix")
            .isEqualTo("Leave out 'suspend', and suspend in the flow. Or use the LeaseManager in the function.")
    }

    @Test
    fun aFinalClassGetsAnAnalysisWithTheFix() {
        val failure = failure(Final::class.java)

        val analysis =
            SpringFactoriesLoader.forDefaultResourceLocation()
                .load(FailureAnalyzer::class.java) { _, _, _ -> }
                .firstNotNullOf { it.analyze(failure) }

        assertThat(analysis.description)
            .isEqualTo(
                "@DistributedLease on methods of '${Final::class.java.name}': the class is final, so no proxy can guard" +
                    " them and they would run without a lease"
            )
        assertThat(analysis.action)
            .isEqualTo("Declare the class and the method as 'open', or use the compiler plugin 'kotlin-spring'.")
    }

    @Test
    fun anOpenSuspendingFunctionOfAnAnnotatedClassIsGuarded() {
        runner.withBean(OfClass::class.java).run { context ->
            assertThat(context).hasNotFailed()
            assertThat(runBlocking { context.getBean(OfClass::class.java).run("1") }).isEqualTo("of-class")
        }
    }

    @Test
    fun aScheduledSuspendingFunctionRunsUnderItsLease() {
        runner.withBean(Ticking::class.java).withUserConfiguration(Scheduling::class.java).run { context ->
            assertThat(context).hasNotFailed()
            val ticking = context.getBean(Ticking::class.java)
            await().atMost(Duration.ofMinutes(10)).until { ticking.keys().size >= 2 }
            assertThat(ticking.keys()).containsOnly("ticking")
        }
    }

    @EnableScheduling
    open class Scheduling

    open class Ticking {
        private val keys = CopyOnWriteArrayList<String>()

        open fun keys(): List<String> = keys

        @Scheduled(fixedDelay = 10)
        @DistributedLease("ticking")
        open suspend fun tick() {
            delay(5)
            keys.add(LeaseContext.current().key())
        }
    }

    open class NonNull {
        @DistributedLease(key = "key", onUnavailable = OnUnavailable.SKIP) open fun run(): String = ""
    }

    open class NonNullSuspending {
        @DistributedLease(key = "key", onUnavailable = OnUnavailable.SKIP) open suspend fun run(): String = ""
    }

    open class SuspendedFlow {
        @DistributedLease("key") open suspend fun run(): Flow<String> = flowOf("")
    }

    open class NonNullThrowing {
        @DistributedLease("key") open fun run(): String = ""
    }

    class Final {
        @DistributedLease("key") fun run() {}
    }

    @DistributedLease("of-class")
    open class OfClass {
        open suspend fun run(id: String): String {
            delay(5)
            return LeaseContext.current().key() + id.take(0)
        }
    }
}
