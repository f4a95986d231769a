package io.leasekit.test;

import io.leasekit.spring.autoconfigure.LeaseAutoConfiguration;
import io.leasekit.spring.autoconfigure.LeaseTransactionAutoConfiguration;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;

/**
 * Gives a test of a Spring context a {@link TestLeases} bean. All managers of the context keep their leases in its
 * table and run in its virtual time; no DynamoDB client, region or credentials are needed. Each test method begins
 * anew. Works with {@code @SpringBootTest}, and with test slices, where it enables annotated methods.
 *
 * <p>Scheduled methods of the application do not fire by themselves; {@link TestLeases#fire} calls them. Managers that
 * the application builds itself, without the starter's properties, stop the start of the context.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration({
    TestLeasesAutoConfiguration.class,
    LeaseAutoConfiguration.class,
    LeaseTransactionAutoConfiguration.class
})
public @interface AutoConfigureTestLeases {}
