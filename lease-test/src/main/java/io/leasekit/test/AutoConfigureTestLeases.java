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
 * Adds a {@link TestLeases} bean to the Spring context of a test. All managers of the context keep their leases in the
 * table of the {@code TestLeases} bean, and run in the virtual time of this bean. The tests need no DynamoDB client,
 * region or credentials. Each test method starts with free keys. This annotation works with {@code @SpringBootTest} and
 * with test slices. In a test slice, this annotation also loads the starter's auto-configuration, so that annotated
 * methods acquire leases.
 *
 * <p>No scheduler calls the application's {@code @Scheduled} methods; a test calls them with {@link TestLeases#fire}.
 * The context fails to start if the application builds a manager without passing its builder to the
 * {@code LeaseManagerCustomizer} beans.
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
