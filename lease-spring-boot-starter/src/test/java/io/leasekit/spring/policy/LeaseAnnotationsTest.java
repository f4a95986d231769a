package io.leasekit.spring.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.DistributedLeases;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.AliasFor;
import org.springframework.core.annotation.MergedAnnotation;

class LeaseAnnotationsTest {

    @Test
    void theMethodsOwnAnnotationIsFound() {
        assertThat(key(Plain.class, "annotated")).isEqualTo("own");
        assertThat(key(Plain.class, "plain")).isNull();
    }

    @Test
    void valueAndKeyAreOne() {
        assertThat(key(Plain.class, "byKey")).isEqualTo("by-key");
    }

    @Test
    void anInheritedAndAnOverriddenMethodKeepTheirs() {
        assertThat(key(Sub.class, "inherited")).isEqualTo("inherited");
        assertThat(key(Sub.class, "overridden")).isEqualTo("overridden");
    }

    @Test
    void anInterfaceMethodsAnnotationIsFoundFromTheClassAndFromTheInterface() throws NoSuchMethodException {
        assertThat(key(Job.class, "run")).isEqualTo("interface");
        assertThat(key(Runs.class.getMethod("run"), Job.class)).isEqualTo("interface");
    }

    @Test
    void aDefaultMethodsAnnotationIsFound() {
        assertThat(key(Runs.class.getDeclaredMethods(), "byDefault", Job.class)).isEqualTo("default");
    }

    @Test
    void aBridgedMethodsAnnotationIsFound() throws NoSuchMethodException {
        assertThat(key(Handler.class.getMethod("handle", Object.class), TextHandler.class))
                .isEqualTo("generic");
        assertThat(key(TextHandler.class.getMethod("handle", String.class), TextHandler.class))
                .isEqualTo("generic");
    }

    @Test
    void theClassesMethodWinsOverTheInterfaces() {
        assertThat(key(OwnOverInterface.class, "run")).isEqualTo("class");
    }

    @Test
    void aComposedAnnotationOnTheClassesMethodWinsOverADirectOneOnTheInterface() {
        assertThat(key(ComposedOverInterface.class, "run")).isEqualTo("nightly");
    }

    @Test
    void theSuperclassesMethodWinsOverTheInterfaces() {
        assertThat(key(SuperclassOverInterface.class, "run")).isEqualTo("superclass");
    }

    @Test
    void aMethodWinsOverTheClass() {
        assertThat(key(OnClass.class, "own")).isEqualTo("own");
        assertThat(key(OnClassWithInterface.class, "run")).isEqualTo("interface");
    }

    @Test
    void aClassCoversItsPublicMethodsAndTheInherited() {
        assertThat(key(OnClass.class, "covered")).isEqualTo("class");
        assertThat(key(OnClass.class, "inherited")).isEqualTo("inherited");
        assertThat(key(SubOfOnClass.class, "more")).isEqualTo("class");
    }

    @Test
    void aClassCoversNeitherHiddenNorBeanNorObjectsMethods() {
        assertThat(key(OnClass.class, "hidden")).isNull();
        assertThat(key(OnClass.class, "bean")).isNull();
        assertThat(key(OnClass.class, "toString")).isNull();
    }

    @Test
    void aClassWinsOverItsInterface() {
        assertThat(key(OnClassAndInterface.class, "run")).isEqualTo("class");
        assertThat(key(OnInterface.class, "run")).isEqualTo("interface-type");
    }

    @Test
    void aComposedAnnotationPassesItsAttributesOn() throws NoSuchMethodException {
        MergedAnnotation<DistributedLease> found = LeaseAnnotations.find(
                        ComposedOverInterface.class.getMethod("run"), ComposedOverInterface.class)
                .get(0);

        assertThat(found.getString("value")).isEqualTo("nightly");
        assertThat(found.getString("ttl")).isEqualTo("5m");
    }

    @Test
    void aProxiesInterfaceIsRead() throws NoSuchMethodException {
        Object proxy = Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Runs.class}, (self, method, arguments) -> null);

        assertThat(key(Runs.class.getMethod("run"), proxy.getClass())).isEqualTo("interface");
    }

    @Test
    void allAnnotationsOfOneMethodAreFoundInTheirOrder() throws NoSuchMethodException {
        assertThat(keys(Several.class.getMethod("twice"), Several.class)).containsExactly("one", "two");
        assertThat(keys(Several.class.getMethod("held"), Several.class)).containsExactly("one", "two");
        assertThat(keys(Several.class.getMethod("composed"), Several.class)).containsExactly("own", "nightly");
        assertThat(keys(Several.class.getMethod("composedOfTwo"), Several.class))
                .containsExactly("from", "to");
    }

    @Test
    void severalOnTheMethodWinOverSeveralOnItsClassAndTheClassesOverTheInterfaces() throws NoSuchMethodException {
        assertThat(keys(SeveralOnClass.class.getMethod("covered"), SeveralOnClass.class))
                .containsExactly("class-one", "class-two");
        assertThat(keys(SeveralOnClass.class.getMethod("own"), SeveralOnClass.class))
                .containsExactly("own");
        assertThat(keys(SeveralOnClass.class.getMethod("run"), SeveralOnClass.class))
                .containsExactly("here", "there");
    }

    private static @Nullable String key(Class<?> type, String method) {
        for (Class<?> declaring = type; declaring != null; declaring = declaring.getSuperclass()) {
            if (Arrays.stream(declaring.getDeclaredMethods())
                    .anyMatch(candidate -> candidate.getName().equals(method))) {
                return key(declaring.getDeclaredMethods(), method, type);
            }
        }
        throw new AssertionError("No method " + method);
    }

    private static @Nullable String key(Method[] methods, String name, Class<?> type) {
        return Arrays.stream(methods)
                .filter(method -> method.getName().equals(name) && !method.isBridge())
                .findFirst()
                .map(method -> key(method, type))
                .orElse(null);
    }

    private static @Nullable String key(Method method, Class<?> type) {
        List<String> keys = keys(method, type);
        assertThat(keys).hasSizeLessThan(2);
        return keys.isEmpty() ? null : keys.get(0);
    }

    private static List<String> keys(Method method, Class<?> type) {
        return LeaseAnnotations.find(method, type).stream()
                .map(found -> found.getString("key"))
                .toList();
    }

    @Retention(RetentionPolicy.RUNTIME)
    @DistributedLease(ttl = "5m")
    @interface Nightly {
        @AliasFor(annotation = DistributedLease.class, attribute = "key")
        String name();
    }

    interface Runs {
        @DistributedLease("interface")
        void run();

        @DistributedLease("default")
        default void byDefault() {}
    }

    @Retention(RetentionPolicy.RUNTIME)
    @DistributedLease("from")
    @DistributedLease("to")
    @interface Transfer {}

    static class Several {
        @DistributedLease("one")
        @DistributedLease("two")
        public void twice() {}

        @DistributedLeases({@DistributedLease("one"), @DistributedLease("two")})
        public void held() {}

        @Nightly(name = "nightly")
        @DistributedLease("own")
        public void composed() {}

        @Transfer
        public void composedOfTwo() {}
    }

    @DistributedLease("class-one")
    @DistributedLease("class-two")
    static class SeveralOnClass implements Runs {
        public void covered() {}

        @DistributedLease("own")
        public void own() {}

        @Override
        @DistributedLease("here")
        @DistributedLease("there")
        public void run() {}
    }

    interface Handler<T> {
        @DistributedLease("generic")
        void handle(T value);
    }

    @DistributedLease("interface-type")
    interface TypeLevel {
        void run();
    }

    static class Plain {
        @DistributedLease("own")
        public void annotated() {}

        @DistributedLease(key = "by-key")
        public void byKey() {}

        public void plain() {}
    }

    static class Base {
        @DistributedLease("inherited")
        public void inherited() {}

        @DistributedLease("overridden")
        public void overridden() {}
    }

    static class Sub extends Base {
        @Override
        public void overridden() {}
    }

    static class Job implements Runs {
        @Override
        public void run() {}
    }

    static class TextHandler implements Handler<String> {
        @Override
        public void handle(String value) {}
    }

    static class OwnOverInterface implements Runs {
        @Override
        @DistributedLease("class")
        public void run() {}
    }

    static class ComposedOverInterface implements Runs {
        @Override
        @Nightly(name = "nightly")
        public void run() {}
    }

    abstract static class RunBase {
        @DistributedLease("superclass")
        public void run() {}
    }

    static class SuperclassOverInterface extends RunBase implements Runs {
        @Override
        public void run() {}
    }

    @DistributedLease("class")
    static class OnClass extends Base {
        public void covered() {}

        @DistributedLease("own")
        public void own() {}

        void hidden() {}

        @Bean
        public Object bean() {
            return new Object();
        }

        @Override
        public String toString() {
            return "text";
        }
    }

    static class SubOfOnClass extends OnClass {
        public void more() {}
    }

    @DistributedLease("class")
    static class OnClassWithInterface implements Runs {
        @Override
        public void run() {}
    }

    @DistributedLease("class")
    static class OnClassAndInterface implements TypeLevel {
        @Override
        public void run() {}
    }

    static class OnInterface implements TypeLevel {
        @Override
        public void run() {}
    }
}
