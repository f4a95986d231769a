package io.leasekit.kotlin

import io.leasekit.memory.InMemoryLeaseStore
import io.leasekit.spring.autoconfigure.LeaseAutoConfiguration
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

internal fun rootCause(failure: Throwable): Throwable = generateSequence(failure) { it.cause }.last()
