package io.leasekit.spring.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.expression.spel.standard.SpelExpressionParser;

@ExtendWith(OutputCaptureExtension.class)
class LeaseKeyPathsTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "#order.id",
                "#order.lines().size()",
                "#order.lines[0].price",
                "#order?.customer?.name",
                "#order.customer.Name",
                "#order.customer.name.bytes.length",
                "#order.number",
                "#order.urgent",
                "#order.tags.anything",
                "#order.note.value",
                "#order.note?.length",
                "#order.payload.anything.more",
                "#order.event.anything",
                "#plain.name + #plain.size + #p1.shown",
                "#order.class.simpleName",
                "#order.![unknown]",
                "#item.sku",
                "#number.longValue()",
                "#count.longValue()",
                "#array.length",
                "#orders[0].unknown",
                "#value.anything"
            })
    void namesThatExistOrMayExistAreTakenInSilence(String expression, CapturedOutput output) {
        assertThatNoException().isThrownBy(() -> check(expression));
        assertThat(output).doesNotContain("WARN");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "#order.ident",
                "'a' + #order.ident",
                "#order?.ident",
                "#p0.ident",
                "#order.getIdent()",
                "#order.customer.name.ident",
                "#order == null ? 'none' : #order.ident",
                "@tenants.of(#order.ident)",
                "#number.ident",
                "#count.ident"
            })
    void aNameThatAFinalTypeHasNotIsRefused(String expression) {
        assertThatExceptionOfType(InvalidLeaseKeyException.class)
                .isThrownBy(() -> check(expression))
                .withMessageMatching(
                        "it uses the (property|method) '(ident|getIdent)' of '.*', which the class '.*' does"
                                + " not have")
                .extracting(InvalidLeaseKeyException::fix)
                .asString()
                .startsWith("Correct the name.");
    }

    @Test
    void theKnownPropertiesAreNamed() {
        assertThatExceptionOfType(InvalidLeaseKeyException.class)
                .isThrownBy(() -> check("#order.ident"))
                .withMessage("it uses the property 'ident' of '#order.ident', which the class '" + Order.class.getName()
                        + "' does not have")
                .extracting(InvalidLeaseKeyException::fix)
                .isEqualTo(
                        "Correct the name. Known properties of 'Order' are 'customer', 'event', 'id', 'lines', 'note',"
                                + " 'number', 'payload', 'tags', 'urgent'.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"#plain.ident", "#order.customer.ident", "#item.ident", "#plain.getIdent()"})
    void whereASubclassMayHaveTheNameItIsAWarning(String expression, CapturedOutput output) {
        assertThatNoException().isThrownBy(() -> check(expression));
        assertThat(output)
                .contains("WARN")
                .contains("A lease key of '" + Orders.class.getName() + ".process' uses the ")
                .contains("Calls fail unless the argument is of a subclass that has it. Correct the name.");
    }

    private static void check(String expression) {
        DefaultListableBeanFactory beanFactory = new DefaultListableBeanFactory();
        beanFactory.registerSingleton("tenants", "");
        Method process = Arrays.stream(Orders.class.getMethods())
                .filter(method -> method.getName().equals("process"))
                .findFirst()
                .orElseThrow();
        new LeaseKeyNames(process, Orders.class, new DefaultParameterNameDiscoverer(), beanFactory)
                .check(new SpelExpressionParser().parseRaw(expression).getAST());
    }

    public abstract static class Base<T> {
        public void process(
                Order order,
                Plain plain,
                T item,
                Integer number,
                int count,
                String[] array,
                List<Order> orders,
                Object value) {}
    }

    public static class Orders extends Base<Item> {}

    public record Order(
            long id,
            List<Plain> lines,
            Customer customer,
            Map<String, String> tags,
            Optional<String> note,
            Object payload,
            Event event) {

        public int getNumber() {
            return 1;
        }

        public boolean isUrgent() {
            return true;
        }
    }

    public interface Event {}

    public static class Customer {
        public String getName() {
            return "name";
        }
    }

    public static class Plain {
        public static final String shown = "shown";
        public final int size = 1;

        public String getName() {
            return "name";
        }
    }

    public static class Item {
        public String getSku() {
            return "sku";
        }
    }
}
