package io.leasekit.kotlin

import io.leasekit.spring.DistributedLease
import io.leasekit.spring.LeaseContext
import io.leasekit.spring.aop.DistributedLeaseAdvisor
import io.leasekit.test.TestLeases
import java.time.Duration
import java.util.concurrent.CopyOnWriteArrayList
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatIllegalArgumentException
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import org.springframework.scheduling.annotation.EnableScheduling
import org.springframework.scheduling.annotation.Scheduled

/** Suspending functions that Spring's scheduler calls. */
@Timeout(600)
class SuspendingJobsTest {
    @Test
    fun aCallByASuspendingJobTakesNoSlot() {
        runner
            .withBean(Yearly::class.java)
            .withBean(Commands::class.java)
            .withUserConfiguration(Scheduling::class.java)
            .run { context ->
                val slots = context.getBean(Yearly::class.java).slots()
                await().atMost(Duration.ofMinutes(10)).until { slots.size == 2 }
                assertThat(slots).containsExactly("none", "none")
            }
    }

    /** The helper has the annotations of its function, and a parameter, which no scheduled method may have. */
    @Test
    fun theCompilersHelperOfAnOpenFunctionIsNoAnnotatedMethod() {
        runner.withBean(Yearly::class.java).run { context ->
            val type = Yearly::class.java
            val methods = context.getBean(DistributedLeaseAdvisor::class.java).pointcut.methodMatcher
            val annotated = type.declaredMethods.filter { methods.matches(it, type) }.map { it.name }
            assertThat(type.declaredMethods).extracting<String> { it.name }.contains("suspendingReport\$suspendImpl")
            assertThat(annotated).containsExactlyInAnyOrder("report", "suspendingReport")
        }
    }

    @Test
    fun theTestKitSaysThatItFiresNoSuspendingFunction() {
        assertThatIllegalArgumentException()
            .isThrownBy { TestLeases.create().fire(Yearly(), "suspendingReport") }
            .withMessage(
                "Method '${Yearly::class.java.name}.suspendingReport' is a suspending function, which cannot be" +
                    " fired: call it directly, and it runs under its lease, but for no slot"
            )
    }

    @EnableScheduling
    open class Scheduling

    open class Yearly {
        private val slots = CopyOnWriteArrayList<String>()

        open fun slots(): List<String> = slots

        @Scheduled(cron = "0 0 3 1 1 *", zone = "UTC")
        @DistributedLease("yearly")
        open fun report() {
            slots.add(LeaseContext.current().runName().orElse("none"))
        }

        @Scheduled(cron = "0 0 3 1 1 *", zone = "UTC")
        @DistributedLease("yearly-suspending")
        open suspend fun suspendingReport() {
            slots.add(LeaseContext.current().runName().orElse("none"))
        }
    }

    open class Commands(private val yearly: Yearly) {
        @Scheduled(fixedDelay = 600_000)
        open suspend fun poll() {
            yearly.report()
            yearly.suspendingReport()
        }
    }
}
