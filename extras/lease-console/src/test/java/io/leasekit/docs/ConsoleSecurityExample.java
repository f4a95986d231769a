package io.leasekit.docs;

import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Makes the class of docs/console.md, which is not public, available to the tests of the console. */
@Configuration(proxyBeanMethods = false)
@Import(ConsoleSecurity.class)
public class ConsoleSecurityExample {}
