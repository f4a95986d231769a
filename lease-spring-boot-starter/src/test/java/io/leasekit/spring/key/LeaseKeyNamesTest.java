package io.leasekit.spring.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.expression.spel.standard.SpelExpressionParser;

class LeaseKeyNamesTest {

    private final DefaultListableBeanFactory beanFactory = new DefaultListableBeanFactory();

    LeaseKeyNamesTest() {
        beanFactory.registerSingleton("tenants", "");
        beanFactory.registerSingleton("my.tenants", "");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "#order.id + #p1 + #a0",
                "@tenants.current",
                "@'my.tenants'.current",
                "target.name + method.name + targetClass.simpleName",
                "#root.target",
                "#root.method.name",
                "getTarget()",
                "#orders.?[size > 1 and #this != #order]",
                "#orders.![unknownHere]",
                "#order[plain] + #order['plain']",
                "{key: #order}['key']",
                "T(java.lang.Math).max(1, 2)",
                "new String('a')",
                "#order?.id ?: 'none'",
                "#order.call(method.name)",
                "'#text' + 1"
            })
    void namesThatExistAreTaken(String expression) {
        assertThatNoException().isThrownBy(() -> check(expression, process()));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            "#oder.id"               | variable '#oder'      | Correct the name. Known names are '#order', '#p0', '#a0', '#orders', '#p1', '#a1', 'target', 'method' and 'targetClass'.
            "#orders.![#oder]"       | variable '#oder'      | Correct the name. Known names are '#order', '#p0', '#a0', '#orders', '#p1', '#a1', 'target', 'method' and 'targetClass'.
            @tenant.current          | bean 'tenant'         | Correct the name, or define the bean.
            &''                      | bean '&'              | Correct the name, or define the bean.
            &'&'                     | bean '&&'             | Correct the name, or define the bean.
            'x' + @'a.b'.current     | bean 'a.b'            | Correct the name, or define the bean.
            order.id                 | name 'order'          | Write '#order' for the parameter.
            "#order.call(orders)"    | name 'orders'         | Write '#orders' for the parameter.
            other                    | name 'other'          | Correct the name. Known names are '#order', '#p0', '#a0', '#orders', '#p1', '#a1', 'target', 'method' and 'targetClass'.
            name()                   | method 'name'         | Write the object that has the method, as in 'target.name()'.
            "#root.methodName"       | name 'methodName'     | Write '#{method.name}'.
            methodName               | name 'methodName'     | Write '#{method.name}'.
            "#root.args[0]"          | name 'args'           | Write '#{#p0}' for the first argument.
            args.length              | name 'args'           | Write '#{#p0}' for the first argument.
            "#root?.args[1].id"      | name 'args'           | Write '#{#p0}' for the first argument.
            "#this.methodName"       | name 'methodName'     | Write '#{method.name}'.
            "#root.getMethodName()"  | method 'getMethodName' | Write '#{method.name}'.
            "#root.getArgs()[0]"     | method 'getArgs'      | Write '#{#p0}' for the first argument.
            "#order.get(#root.args[0])" | name 'args'          | Write '#{#p0}' for the first argument.
            "#methodName"            | variable '#methodName' | Write '#{method.name}'.
            "#args[0]"               | variable '#args'      | Write '#{#p0}' for the first argument.
            "#target.name"           | variable '#target'    | Write '#{target}' without '#' before the name.
            "#root.args.length"      | name 'args'           | Write '#{#p0}' for the first argument.
            "'x' + #root.methodName" | name 'methodName'     | Write '#{method.name}'.
            "#root.args[0] ?: 'x'"   | name 'args'           | Write '#{#p0}' for the first argument.
            "{#root.methodName, 1}"  | name 'methodName'     | Write '#{method.name}'.
            "#method.name"           | variable '#method'    | Write '#{method}' without '#' before the name.
            root.methodName          | name 'root'           | Correct the name. Known names are '#order', '#p0', '#a0', '#orders', '#p1', '#a1', 'target', 'method' and 'targetClass'.
            "#orders[args.length]"   | name 'args'           | Write '#{#p0}' for the first argument.
            "#root.caches"           | name 'caches'         | Correct the name. Known names are '#order', '#p0', '#a0', '#orders', '#p1', '#a1', 'target', 'method' and 'targetClass'.
            "#hash(1)"               | function '#hash(1)'   | Call a method of a bean or of a parameter.
            """)
    void namesThatDoNotExistAreRefused(String expression, String what, String fix) {
        assertThatExceptionOfType(InvalidLeaseKeyException.class)
                .isThrownBy(() -> check(expression, process()))
                .withMessage("it uses the " + what + ", which does not exist")
                .extracting(InvalidLeaseKeyException::fix)
                .isEqualTo(fix);
    }

    @Test
    void aParameterInPlainTextIsRefused() {
        assertThatExceptionOfType(InvalidLeaseKeyException.class)
                .isThrownBy(() -> names(process()).checkLiteral("order-#order.id"))
                .withMessage("'#order' is outside of '#{…}', where it is not evaluated")
                .extracting(InvalidLeaseKeyException::fix)
                .isEqualTo("Write it as an expression: '#{#order}'.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"#root.methodName", "x-#root.args[0]"})
    void aKeyOfCacheableIsRefused(String literal) {
        assertThatExceptionOfType(InvalidLeaseKeyException.class)
                .isThrownBy(() -> names(process()).checkLiteral(literal))
                .withMessage("'#root' is outside of '#{…}', where it is not evaluated")
                .extracting(InvalidLeaseKeyException::fix)
                .isEqualTo("Write an expression, such as '#{method.name}' or '#{#p0}'.");
    }

    @Test
    void otherHashesInPlainTextAreTaken() {
        assertThatNoException().isThrownBy(() -> names(process()).checkLiteral("report#1 #ordered order#"));
    }

    @Test
    void missingParameterNamesAreSaid(@TempDir Path directory) throws Exception {
        Method method = compiledWithoutParameterNames(directory);

        assertThatExceptionOfType(InvalidLeaseKeyException.class)
                .isThrownBy(() -> check("#id", method))
                .withMessage("it uses the parameter '#id', but the class was compiled without parameter names")
                .extracting(InvalidLeaseKeyException::fix)
                .asString()
                .startsWith("Compile with '-parameters'");
        assertThatNoException().isThrownBy(() -> check("#p0", method));
    }

    private static Method compiledWithoutParameterNames(Path directory) throws Exception {
        Path source = directory.resolve("Nameless.java");
        Files.writeString(source, "public class Nameless { public void run(String id) {} }");
        int result = ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "-proc:none", "-d", directory.toString(), source.toString());
        assertThat(result).isZero();
        return load(directory).getMethod("run", String.class);
    }

    private static Class<?> load(Path directory) throws IOException, ClassNotFoundException {
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {directory.toUri().toURL()})) {
            return loader.loadClass("Nameless");
        }
    }

    private void check(String expression, Method method) {
        names(method).check(new SpelExpressionParser().parseRaw(expression).getAST());
    }

    private LeaseKeyNames names(Method method) {
        return new LeaseKeyNames(method, new DefaultParameterNameDiscoverer(), beanFactory);
    }

    private static Method process() {
        try {
            return Orders.class.getMethod("process", Map.class, List.class);
        } catch (NoSuchMethodException e) {
            throw new AssertionError(e);
        }
    }

    public static class Orders {
        public void process(Map<String, String> order, List<String> orders) {}
    }
}
