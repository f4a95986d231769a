package io.leasekit.kotlin

import io.leasekit.memory.InMemoryLeaseStore
import io.leasekit.spring.autoconfigure.LeaseAutoConfiguration
import kotlinx.coroutines.delay
import kotlinx.coroutines.withTimeout
import org.assertj.core.api.Assertions.assertThat
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration
import org.springframework.boot.test.context.assertj.AssertableApplicationContext
import org.springframework.boot.test.context.runner.ApplicationContextRunner

/** Contexts of Kotlin applications with a table in memory. */
internal val runner: ApplicationContextRunner =
    ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(AopAutoConfiguration::class.java, LeaseAutoConfiguration::class.java))
        .withBean(InMemoryLeaseStore::class.java)

internal fun AssertableApplicationContext.isFree(key: String): Boolean =
    getBean(InMemoryLeaseStore::class.java).item(key).map { it.releasedAtMillis() != null }.orElse(true)

internal suspend fun AssertableApplicationContext.awaitFree(key: String) =
    withTimeout(600_000) { while (!isFree(key)) delay(5) }

/** Gives a wrong release time to appear. */
internal suspend fun AssertableApplicationContext.assertHeld(key: String) {
    delay(200)
    assertThat(isFree(key)).isFalse()
}

internal fun rootCause(failure: Throwable): Throwable = generateSequence(failure) { it.cause }.last()
