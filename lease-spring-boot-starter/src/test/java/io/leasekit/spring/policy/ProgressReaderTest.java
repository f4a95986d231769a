package io.leasekit.spring.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import io.leasekit.Progress;
import io.leasekit.ProgressCodec;
import io.leasekit.spring.DistributedLease;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.core.annotation.MergedAnnotations;

/** The codecs by the type of the values. On Boot 3.5, Jackson is Jackson 2. */
@Tag("boot3")
class ProgressReaderTest {

    private final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();

    @SuppressWarnings("unchecked")
    private ProgressCodec<Object> codec(Class<?> type, String name) {
        return (ProgressCodec<Object>) Arrays.stream(type.getMethods())
                .filter(method -> method.getName().equals(name) && !method.isBridge())
                .findFirst()
                .map(method -> new ProgressReader(new AnnotationTexts<>(
                                method, type, MergedAnnotations.from(method).get(DistributedLease.class), beans))
                        .codec())
                .orElse(null);
    }

    private void assertCodec(String method, Object value, String encoded) throws Exception {
        assertCodec(Jobs.class, method, value, encoded);
    }

    private void assertCodec(Class<?> type, String method, Object value, String encoded) throws Exception {
        ProgressCodec<Object> codec = codec(type, method);
        assertThat(codec.encode(value)).asString(StandardCharsets.UTF_8).isEqualTo(encoded);
        assertThat(codec.decode(encoded.getBytes(StandardCharsets.UTF_8))).isEqualTo(value);
    }

    @Test
    void simpleTypes() throws Exception {
        assertCodec("text", "grüße", "grüße");
        assertCodec("integer", -7, "-7");
        assertCodec("number", Long.MAX_VALUE, "9223372036854775807");
        assertCodec("bytes", "data".getBytes(StandardCharsets.UTF_8), "data");
    }

    @Test
    void noParameterNoCodec() {
        assertThat(codec(Jobs.class, "none")).isNull();
    }

    @Test
    void otherTypesAreJson() throws Exception {
        assertCodec("position", new Position("a.csv", 7), "{\"file\":\"a.csv\",\"line\":7}");
        assertCodec("positions", List.of(new Position("a.csv", 7)), "[{\"file\":\"a.csv\",\"line\":7}]");
    }

    /** As in a scheduled method, which has no parameters. */
    @Test
    void aMapperIsACodecOfItsTwoMethods() throws Exception {
        ObjectMapper mapper = new ObjectMapper();

        ProgressCodec<Position> codec =
                ProgressCodec.of(mapper::writeValueAsBytes, data -> mapper.readValue(data, Position.class));

        byte[] data = codec.encode(new Position("a.csv", 7));
        assertThat(data).asString(StandardCharsets.UTF_8).isEqualTo("{\"file\":\"a.csv\",\"line\":7}");
        assertThat(codec.decode(data)).isEqualTo(new Position("a.csv", 7));
    }

    @Test
    void thePropertyOfALaterVersionIsIgnored() throws Exception {
        assertThat(codec(Jobs.class, "position")
                        .decode("{\"file\":\"a.csv\",\"line\":7,\"column\":3}".getBytes(StandardCharsets.UTF_8)))
                .isEqualTo(new Position("a.csv", 7));
    }

    @Test
    void theTypeMayBeThatOfASubclass() throws Exception {
        assertCodec(OfPositions.class, "of", new Position("a.csv", 7), "{\"file\":\"a.csv\",\"line\":7}");
    }

    @Test
    void theMapperOfTheApplicationIsUsed() throws Exception {
        beans.registerSingleton(
                "mapper", new ObjectMapper().setPropertyNamingStrategy(PropertyNamingStrategies.UPPER_CAMEL_CASE));

        assertCodec("position", new Position("a.csv", 7), "{\"File\":\"a.csv\",\"Line\":7}");
    }

    @Test
    void aBeanForTheTypeComesFirst() throws Exception {
        beans.registerSingleton("ofPositions", new PositionCodec());
        beans.registerSingleton("ofTexts", ProgressCodec.text()); // of an unknown type

        assertCodec("position", new Position("a.csv", 7), "a.csv:7");
        assertCodec("integer", 7, "7");
        assertCodec("positions", List.of(new Position("a.csv", 7)), "[{\"file\":\"a.csv\",\"line\":7}]");
    }

    @Test
    void aBeanReplacesTheCodecOfASimpleType() throws Exception {
        beans.registerSingleton("hex", new Hex());

        assertCodec("integer", 255, "ff");
        assertCodec("number", 255L, "255");
    }

    public record Position(String file, int line) {}

    static final class PositionCodec implements ProgressCodec<Position> {
        @Override
        public byte[] encode(Position value) {
            return (value.file() + ":" + value.line()).getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public Position decode(byte[] data) {
            String[] parts = new String(data, StandardCharsets.UTF_8).split(":");
            return new Position(parts[0], Integer.parseInt(parts[1]));
        }
    }

    static final class Hex implements ProgressCodec<Integer> {
        @Override
        public byte[] encode(Integer value) {
            return Integer.toHexString(value).getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public Integer decode(byte[] data) {
            return Integer.parseInt(new String(data, StandardCharsets.UTF_8), 16);
        }
    }

    public abstract static class Base<T> {
        @DistributedLease
        public void of(Progress<T> progress) {}
    }

    public static class OfPositions extends Base<Position> {}

    public static class Jobs {
        @DistributedLease
        public void none() {}

        @DistributedLease
        public void text(Progress<String> progress) {}

        @DistributedLease
        public void bytes(Progress<byte[]> progress) {}

        @DistributedLease
        public void integer(Progress<Integer> progress) {}

        @DistributedLease
        public void number(Progress<Long> progress) {}

        @DistributedLease
        public void position(Progress<Position> progress) {}

        @DistributedLease
        public void positions(Progress<List<Position>> progress) {}
    }
}
