package io.leasekit.spring.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.leasekit.Progress;
import io.leasekit.ProgressCodec;
import io.leasekit.spring.DistributedLease;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.core.annotation.MergedAnnotations;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

/** JSON by Jackson 3, which Boot 4 uses. */
class Boot4ProgressReaderTest {

    private static final JsonMapper UPPER = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.UPPER_CAMEL_CASE)
            .build();

    private final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();

    @SuppressWarnings("unchecked")
    private ProgressCodec<Position> codec() throws NoSuchMethodException {
        Method method = Jobs.class.getMethod("load", Progress.class);
        return (ProgressCodec<Position>) new ProgressReader(new AnnotationTexts<>(
                        method, Jobs.class, MergedAnnotations.from(method).get(DistributedLease.class), beans))
                .codec();
    }

    @Test
    void theMapperOfTheApplicationIsUsedBeforeThatOfJackson2() throws Exception {
        beans.registerSingleton("jackson2", new ObjectMapper());
        beans.registerSingleton("jackson3", UPPER);

        assertThat(codec().encode(new Position(7)))
                .asString(StandardCharsets.UTF_8)
                .isEqualTo("{\"Line\":7}");
        assertThat(codec().decode("{\"Line\":7}".getBytes(StandardCharsets.UTF_8)))
                .isEqualTo(new Position(7));
    }

    @Test
    void withoutAMapperOfTheApplicationThereIsOne() throws Exception {
        assertThat(codec()).isInstanceOf(Jackson3Codec.class);
    }

    @Test
    void aMapperIsACodecOfItsTwoMethods() throws Exception {
        JsonMapper mapper = JsonMapper.shared();

        ProgressCodec<Position> codec =
                ProgressCodec.of(mapper::writeValueAsBytes, data -> mapper.readValue(data, Position.class));

        assertThat(codec.decode(codec.encode(new Position(7)))).isEqualTo(new Position(7));
    }

    @Test
    void severalMappersAreRefused() {
        beans.registerSingleton("one", UPPER);
        beans.registerSingleton("two", JsonMapper.shared());

        assertThatExceptionOfType(InvalidLeaseMethodException.class)
                .isThrownBy(this::codec)
                .withMessageStartingWith("@DistributedLease on '" + Jobs.class.getName()
                        + ".load': the values of its parameter of type Progress are encoded as JSON, but there are several"
                        + " beans for that: ")
                .withMessageEndingWith("expected single matching bean but found 2: one,two")
                .extracting(InvalidLeaseMethodException::fix)
                .isEqualTo("Make one of them @Primary, or define a bean of type ProgressCodec for the values.");
    }

    public record Position(int line) {}

    public static class Jobs {
        @DistributedLease
        public void load(Progress<Position> progress) {}
    }
}
