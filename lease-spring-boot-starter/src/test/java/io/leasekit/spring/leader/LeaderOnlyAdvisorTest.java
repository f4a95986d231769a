package io.leasekit.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.spring.LeaderOnly;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.springframework.aop.Advisor;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;

/** The classes that the advisor remembers for the elections. */
class LeaderOnlyAdvisorTest {

    private final LeaderOnlyAdvisor advisor = new LeaderOnlyAdvisor(true);
    private final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();

    @Test
    void aClassThatAProxyCreatorHasAskedForIsKnown() {
        assertThat(AopUtils.canApply((Advisor) advisor, Leader.class)).isTrue();
        assertThat(AopUtils.canApply((Advisor) advisor, Plain.class)).isFalse();

        assertThat(advisor.isAnnotated(Leader.class)).isTrue();
        assertThat(advisor.isAnnotated(Plain.class)).isFalse();
    }

    @Test
    void aClassThatNobodyHasAskedForIsSearched() {
        assertThat(advisor.isAnnotated(Leader.class)).isTrue();
        assertThat(advisor.isAnnotated(ByInterface.class)).isTrue();
        assertThat(advisor.isAnnotated(Plain.class)).isFalse();
    }

    @Test
    void onlyClassesWithAnAnnotatedMethodAreRead() {
        beans.registerBeanDefinition("leader", new RootBeanDefinition(Leader.class));
        beans.registerBeanDefinition("plain", new RootBeanDefinition(Plain.class));
        List<Class<?>> asked = new ArrayList<>();

        assertThat(read(type -> asked.add(type) && type == Plain.class)).isEmpty();

        assertThat(asked).containsExactlyInAnyOrder(Leader.class, Plain.class);
    }

    @Test
    void aLazyBeanIsFoundThoughNoProxyCreatorHasSeenIt() {
        RootBeanDefinition lazy = new RootBeanDefinition(Leader.class);
        lazy.setLazyInit(true);
        beans.registerBeanDefinition("lazy", lazy);

        assertThat(read(advisor::isAnnotated))
                .singleElement()
                .extracting(LeaderMethod::bean)
                .isEqualTo("lazy");
        assertThat(beans.containsSingleton("lazy")).isFalse();
    }

    private List<LeaderMethod> read(Predicate<Class<?>> isAnnotated) {
        return new LeaderMethodReader(beans, new LeaderSettings("", null, false), isAnnotated).read();
    }

    static class Plain {
        public void run() {}
    }

    static class Leader {
        @LeaderOnly("key")
        public void run() {}
    }

    interface Leading {
        @LeaderOnly("by-interface")
        void run();
    }

    static class ByInterface implements Leading {
        @Override
        public void run() {}
    }
}
