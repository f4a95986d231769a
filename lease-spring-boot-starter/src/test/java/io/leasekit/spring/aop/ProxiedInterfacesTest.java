package io.leasekit.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaderOnly;
import io.leasekit.spring.LeaseContext;
import io.leasekit.spring.autoconfigure.LeaseAutoConfiguration;
import io.leasekit.spring.policy.LeasedMethod;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Beans that are JDK proxies or lambdas already: repositories, HTTP interfaces, gateways. */
class ProxiedInterfacesTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LeaseAutoConfiguration.class))
            .withBean(InMemoryLeaseStore.class);

    /** How libraries create implementations of an interface. */
    enum Library {

        /** As Spring Data: a proxy of Spring AOP with a target of another class. */
        REPOSITORY {
            @Override
            <T> T create(Class<T> type, InvocationHandler handler) {
                ProxyFactory factory = new ProxyFactory();
                factory.setTarget(new SimpleStore());
                factory.setInterfaces(type, Plain.class);
                factory.addAdvice((MethodInterceptor)
                        call -> handler.invoke(call.getThis(), call.getMethod(), call.getArguments()));
                return type.cast(factory.getProxy(type.getClassLoader()));
            }
        },

        /** As HTTP interfaces and Spring Integration's gateways: a proxy of Spring AOP without a target. */
        HTTP {
            @Override
            <T> T create(Class<T> type, InvocationHandler handler) {
                return ProxyFactory.getProxy(type, (MethodInterceptor)
                        call -> handler.invoke(call.getThis(), call.getMethod(), call.getArguments()));
            }
        },

        /** As Feign and MyBatis. */
        FEIGN {
            @Override
            <T> T create(Class<T> type, InvocationHandler handler) {
                return type.cast(Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (self, method, arguments) -> method.getName().equals("toString")
                                ? "feign"
                                : handler.invoke(self, method, arguments)));
            }
        };

        abstract <T> T create(Class<T> type, InvocationHandler handler);

        <T> T create(Class<T> type) {
            return create(
                    type,
                    (self, method, arguments) -> LeaseContext.find()
                            .map(context -> context.lease().key())
                            .orElse("none"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void methodsOfAnAnnotatedInterfaceAreGuarded(Library library) {
        runner.withBean("orders", Orders.class, () -> library.create(Orders.class))
                .run(context -> {
                    Orders orders = context.getBean(Orders.class);

                    assertThat(orders.find("7", "eu")).isEqualTo("order-7");
                    assertThat(orders.save("order")).isEqualTo("save-order");
                    assertThat(((Store<String>) orders).save("order")).isEqualTo("save-order");
                    assertThat(orders.list()).isEqualTo(Orders.class.getName() + ".list");
                    assertThat(orders.count()).isEqualTo("none");
                    assertThat(orders.withLease("7", null)).isEqualTo("order-7");
                });
    }

    @ParameterizedTest
    @EnumSource
    void anAnnotatedInterfaceIsGuarded(Library library) {
        runner.withBean("typed", Typed.class, () -> library.create(Typed.class)).run(context -> {
            Typed typed = context.getBean(Typed.class);

            assertThat(typed.find("7", "eu")).isEqualTo("find-Typed");
            assertThat(typed.save("order")).isEqualTo("save-Typed");
            assertThat(typed.count()).isEqualTo("count-Typed");
            assertThat(typed.toString()).doesNotContain("Typed-");
            assertThat(context.getBean(DistributedLeaseAdvisor.class).methods())
                    .extracting(LeasedMethod::method)
                    .allMatch(method -> method.startsWith(Typed.class.getName() + "."))
                    .extracting(method -> method.replaceAll(".*\\.", ""))
                    .containsOnly("count", "find", "list", "save", "withLease");
        });
    }

    @ParameterizedTest
    @EnumSource
    void defaultKeysOfTwoInterfacesDiffer(Library library) {
        runner.withBean("one", First.class, () -> library.create(First.class))
                .withBean("two", Second.class, () -> library.create(Second.class))
                .run(context -> {
                    assertThat(context.getBean(First.class).list()).isEqualTo(First.class.getName() + ".list");
                    assertThat(context.getBean(Second.class).list()).isEqualTo(Second.class.getName() + ".list");
                });
    }

    @ParameterizedTest
    @EnumSource
    void theProductOfAFactoryBeanIsGuarded(Library library) {
        runner.withBean("orders", OrdersFactory.class, () -> new OrdersFactory(library))
                .run(context -> assertThat(context.getBean(Orders.class).find("7", "eu"))
                        .isEqualTo("order-7"));
    }

    @Test
    void aLambdaOfAnAnnotatedInterfaceIsGuardedWithItsParameters() {
        runner.withBean(
                        "ship",
                        Ships.class,
                        () -> order -> LeaseContext.current().key())
                .run(context ->
                        assertThat(context.getBean(Ships.class).ship("7")).isEqualTo("ship-7"));
    }

    @Test
    void ofTwoInterfacesTheAnnotatedOneNamesTheParameters() {
        runner.withBean(
                        "both",
                        Object.class,
                        () -> Proxy.newProxyInstance(
                                getClass().getClassLoader(),
                                new Class<?>[] {Unannotated.class, Ships.class},
                                (self, method, arguments) ->
                                        LeaseContext.current().key()))
                .run(context -> {
                    assertThat(((Ships) context.getBean("both")).ship("7")).isEqualTo("ship-7");
                    assertThat(((Unannotated) context.getBean("both")).ship("8"))
                            .isEqualTo("ship-8");
                });
    }

    @Test
    void anAnnotationBehindAProxyThatIsNotSpringsIsRefusedWithTheReason() {
        runner.withBean("job", Plain.class, () -> {
                    ProxyFactory factory = new ProxyFactory(new AnnotatedPlain());
                    factory.setProxyTargetClass(false);
                    return (Plain) factory.getProxy();
                })
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessage(
                                "@DistributedLease on '" + AnnotatedPlain.class.getName()
                                        + ".plain': the bean 'job' is a proxy that was created before Spring could advise this class,"
                                        + " and none of its interfaces has the annotation, so its methods would run without a lease")
                        .extracting("fix")
                        .asString()
                        .startsWith("Put the annotation on the interface or its methods"));
    }

    @ParameterizedTest
    @EnumSource
    void aLeadersMethodOfAnInterfaceIsCalled(Library library) {
        CountDownLatch led = new CountDownLatch(1);
        runner.withBean(
                        "leads",
                        Leads.class,
                        () -> library.create(Leads.class, (self, method, arguments) -> {
                            led.countDown();
                            return null;
                        }))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    context.publishEvent(new ApplicationReadyEvent(
                            new SpringApplication(),
                            new String[0],
                            context.getSourceApplicationContext(),
                            Duration.ZERO));
                    assertThat(led.await(10, TimeUnit.MINUTES)).isTrue();
                });
    }

    interface Plain {
        default void plain() {}
    }

    static class AnnotatedPlain implements Plain {
        @Override
        @DistributedLease("plain")
        public void plain() {}
    }

    static class SimpleStore {
        public Object save(Object one) {
            return "";
        }

        public String list() {
            return "";
        }
    }

    interface Store<T> {

        Object save(T one);

        String list();

        String count();
    }

    interface Orders extends Store<String> {

        @DistributedLease("order-#{#id}")
        String find(String id, String region);

        @Override
        @DistributedLease("save-#{#order}")
        String save(String order);

        @Override
        @DistributedLease
        String list();

        @DistributedLease("order-#{#id}")
        String withLease(String id, @Nullable Lease lease);
    }

    @DistributedLease("#{method.name}-#{targetClass.simpleName}")
    interface Typed extends Store<String> {

        String find(String id, String region);

        @Override
        String save(String order);

        String withLease(String id, @Nullable Lease lease);
    }

    @DistributedLease
    interface First extends Store<String> {}

    @DistributedLease
    interface Second extends Store<String> {}

    @FunctionalInterface
    interface Ships {
        @DistributedLease("ship-#{#order}")
        String ship(String order);
    }

    interface Unannotated {
        String ship(String other);
    }

    interface Leads {
        @LeaderOnly("leads")
        void lead(Lease lease);
    }

    static class OrdersFactory implements FactoryBean<Orders> {

        private final Library library;

        OrdersFactory(Library library) {
            this.library = library;
        }

        @Override
        public Orders getObject() {
            return library.create(Orders.class);
        }

        @Override
        public Class<?> getObjectType() {
            return Orders.class;
        }
    }
}
