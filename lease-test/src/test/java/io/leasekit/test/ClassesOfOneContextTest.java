package io.leasekit.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.context.TestContextManager;

@Timeout(600)
class ClassesOfOneContextTest {

    @Test
    void aClassBeginsWithoutTheHoldersOfTheClassBefore() throws Exception {
        TestContextManager first = new TestContextManager(First.class);
        First test = new First();
        Method method = First.class.getDeclaredMethod("holds");
        first.beforeTestClass();
        first.prepareTestInstance(test);
        first.beforeTestMethod(test, method);
        test.holds();
        first.afterTestMethod(test, method, null);
        first.afterTestClass();

        TestContextManager second = new TestContextManager(Second.class);
        second.beforeTestClass();
        TestLeases leases = second.getTestContext().getApplicationContext().getBean(TestLeases.class);

        assertThat(leases).isSameAs(test.leases);
        assertThat(leases).as("in @BeforeAll").isFree("report").doesNotHold("own");
    }

    @SpringBootTest(classes = Application.class, webEnvironment = SpringBootTest.WebEnvironment.NONE)
    @AutoConfigureTestLeases
    static class First {

        @Autowired
        private TestLeases leases;

        void holds() {
            leases.node("other").hold("report");
            leases.manager().acquire("own");
        }
    }

    @SpringBootTest(classes = Application.class, webEnvironment = SpringBootTest.WebEnvironment.NONE)
    @AutoConfigureTestLeases
    static class Second {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}
}
