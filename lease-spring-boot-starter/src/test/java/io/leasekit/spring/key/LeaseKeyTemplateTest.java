package io.leasekit.spring.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Method;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.util.HashMap;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.ParseException;
import org.springframework.util.PropertyPlaceholderHelper;

@Tag("boot3")
class LeaseKeyTemplateTest {

    private final DefaultListableBeanFactory beanFactory = new DefaultListableBeanFactory();

    LeaseKeyTemplateTest() {
        Map<String, String> properties = Map.of("region", "eu", "evil", "#{1 + 1}");
        beanFactory.addEmbeddedValueResolver(text ->
                new PropertyPlaceholderHelper("${", "}", ":", null, false).replacePlaceholders(text, properties::get));
        beanFactory.registerSingleton("tenants", new Tenants());
    }

    @Test
    void aLiteralStaysAsItIs() {
        assertThat(resolve("nightly-report", 1)).isEqualTo("nightly-report");
    }

    @Test
    void partsAreJoined() {
        assertThat(resolve("order-#{#order.id}-#{#order.id + 1}", new Order(7))).isEqualTo("order-7-8");
    }

    @Test
    void parametersAreKnownByNameAndByPosition() {
        assertThat(resolve("#{#order}-#{#p0}-#{#a0}", "x")).isEqualTo("x-x-x");
    }

    @Test
    void beansTargetAndMethodAreKnown() {
        assertThat(resolve("#{@tenants.current}-#{target.name}-#{method.name}-#{targetClass.simpleName}", 1))
                .isEqualTo("acme-orders-process-Orders");
    }

    @Test
    void placeholdersAreResolvedAndTheirValuesNeverParsed() {
        assertThat(resolve("${region}-#{#order}", 1)).isEqualTo("eu-1");
        assertThat(resolve("${evil}", 1)).isEqualTo("#{1 + 1}");
        assertThat(resolve("#{#order}", "#{1 + 1}${region}")).isEqualTo("#{1 + 1}${region}");
    }

    @Test
    void valuesThatAreTheSameTextEverywhereAreTaken() {
        UUID id = UUID.fromString("00000000-0000-0000-0000-000000000001");

        assertThat(resolve("#{#order}", true)).isEqualTo("true");
        assertThat(resolve("#{#order}", 'c')).isEqualTo("c");
        assertThat(resolve("#{#order}", DayOfWeek.MONDAY)).isEqualTo("MONDAY");
        assertThat(resolve("#{#order}", id)).isEqualTo(id.toString());
        assertThat(resolve("#{#order}", LocalDate.EPOCH)).isEqualTo("1970-01-01");
    }

    @Test
    void aNullPartIsRefused() {
        assertThatIllegalStateException()
                .isThrownBy(() -> resolve("order-#{#order}", null))
                .withMessage(
                        "The part '#{#order}' of the lease key of '" + Orders.class.getName()
                                + ".process' is null, expected a text, number, boolean, character, enum, UUID or java.time value");
    }

    @Test
    void anObjectWhoseTextDiffersBetweenProcessesIsRefused() {
        assertThatIllegalStateException()
                .isThrownBy(() -> resolve("order-#{#order}", new Object()))
                .withMessageContaining("is a java.lang.Object, expected");
    }

    @Test
    void anEnumIsItsNameWhateverItPrints() {
        assertThat(resolve("#{#order}", Loud.ONE)).isEqualTo("ONE");
    }

    @Test
    void aPartThatCannotBeEvaluatedIsNamed() {
        assertThatIllegalStateException()
                .isThrownBy(() -> resolve("order-#{#order.id}", null))
                .withMessageStartingWith("The part '#{#order.id}' of the lease key of '" + Orders.class.getName()
                        + ".process' cannot be evaluated: ")
                .withCauseInstanceOf(EvaluationException.class);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            "#order.ident"    | " Its properties are 'id', 'size', 'text'"
            "#p0.ident"       | " Its properties are 'id', 'size', 'text'"
            "#order.getIdent()" | ". Its methods are 'getSize', 'id', 'text'"
            """)
    void aNameThatTheArgumentDoesNotHaveIsNamedWithThoseThatItHas(String expression, String has) {
        assertThatIllegalStateException()
                .isThrownBy(() -> resolve("order-#{" + expression + "}", new Plain(7, "x")))
                .withMessageStartingWith("The part '#{" + expression + "}' of the lease key of '"
                        + Orders.class.getName() + ".process' cannot be evaluated: ")
                .withMessageContaining(Plain.class.getName())
                .withMessageEndingWith(has);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            target.nam          | " Its properties are 'name'"
            "#root.target.nam"  | " Its properties are 'name'"
            target.tenant(1)    | ". Its methods are 'getName', 'process'"
            """)
    void aNameThatTheBeanDoesNotHaveIsNamedWithThoseThatItHas(String expression, String has) {
        assertThatIllegalStateException()
                .isThrownBy(() -> resolve("order-#{" + expression + "}", 1))
                .withMessageContaining(Orders.class.getName())
                .withMessageEndingWith(has);
    }

    @Test
    void anEntryOfAMapIsNoPropertyOfIt() {
        assertThatIllegalStateException()
                .isThrownBy(() -> resolve("order-#{#order.id}", new HashMap<>(Map.of("id", 7))))
                .withMessageEndingWith(" Write ['id'] for an entry of a map");
        assertThat(resolve("order-#{#order['id']}", Map.of("id", 7))).isEqualTo("order-7");
    }

    @Test
    void whatAMethodOfTheApplicationThrowsReachesTheCaller() {
        assertThatThrownBy(() -> resolve("order-#{T(" + LeaseKeyTemplateTest.class.getName() + ").unknown(#order)}", 7))
                .isInstanceOf(NoSuchElementException.class)
                .hasMessage("No order 7");
        assertThatThrownBy(() -> resolve("order-#{T(" + LeaseKeyTemplateTest.class.getName() + ").required(null)}", 7))
                .isInstanceOf(NullPointerException.class);
    }

    public static String unknown(int order) {
        throw new NoSuchElementException("No order " + order);
    }

    public static String required(@Nullable Object order) {
        return Objects.requireNonNull(order).toString(); // thrown by the JDK, on behalf of this method
    }

    @ParameterizedTest
    @ValueSource(strings = {"1 / #order", "1 % #order", "'abc'.substring(#order + 7)"})
    void aPartWhoseOperatorOrMethodThrowsIsNamed(String expression) {
        assertThatIllegalStateException()
                .isThrownBy(() -> resolve("order-#{" + expression + "}", 0))
                .withMessageStartingWith("The part '#{" + expression + "}' of the lease key of '"
                        + Orders.class.getName() + ".process' cannot be evaluated: ")
                .withCauseInstanceOf(RuntimeException.class);
    }

    @Test
    void placeholdersAndExpressionsStandSideBySide() {
        assertThat(resolve("${region}/#{#order}/${evil}/#{'{' + #order + '}'}", 1))
                .isEqualTo("eu/1/#{1 + 1}/{1}");
    }

    @Test
    void eachPartIsEvaluatedOncePerCall() {
        LeaseKeyTemplate template = template("#{@tenants.next}-#{@tenants.next}");

        assertThat(template.resolve(new Orders(), new Object[] {1})).isEqualTo("1-2");
        assertThat(template.resolve(new Orders(), new Object[] {1})).isEqualTo("3-4");
    }

    @Test
    void aKeyWithoutExpressionsIsConstant() {
        assertThat(template("${region}-nightly").constant()).isEqualTo("eu-nightly");
        assertThat(template("#{#order}").constant()).isNull();
    }

    @Test
    void aSyntaxErrorIsFoundWhenTheTemplateIsMade() {
        assertThatExceptionOfType(ParseException.class).isThrownBy(() -> template("order-#{#order +}"));
    }

    @Test
    void anUnknownPlaceholderIsFoundWhenTheTemplateIsMade() {
        assertThatIllegalArgumentException().isThrownBy(() -> template("${unknown}"));
    }

    private String resolve(String text, @Nullable Object order) {
        return template(text).resolve(new Orders(), new Object[] {order});
    }

    private LeaseKeyTemplate template(String text) {
        return template(text, beanFactory);
    }

    private static LeaseKeyTemplate template(String text, DefaultListableBeanFactory beanFactory) {
        try {
            Method method = Orders.class.getMethod("process", Object.class);
            return new LeaseKeyTemplate(text, "lease key", method, Orders.class, beanFactory);
        } catch (NoSuchMethodException e) {
            throw new AssertionError(e);
        }
    }

    public record Order(int id) {
        public int getId() {
            return id;
        }
    }

    public record Plain(int id, String text) {
        public int getSize() {
            return 1;
        }
    }

    public enum Loud {
        ONE;

        @Override
        public String toString() {
            return "one!";
        }
    }

    public static class Tenants {
        private int calls;

        public int getNext() {
            return ++calls;
        }

        public String getCurrent() {
            return "acme";
        }
    }

    public static class Orders {
        public String getName() {
            return "orders";
        }

        public void process(Object order) {}
    }
}
