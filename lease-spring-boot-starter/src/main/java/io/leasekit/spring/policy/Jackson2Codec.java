package io.leasekit.spring.policy;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.leasekit.ProgressCodec;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;

/** Encodes values as JSON with Jackson 2, an optional dependency. Thread-safe. */
final class Jackson2Codec implements ProgressCodec<Object> {

    private final ObjectMapper mapper;
    private final JavaType type;

    private Jackson2Codec(ObjectMapper mapper, Type type) {
        this.mapper = mapper;
        this.type = mapper.constructType(type);
    }

    static @Nullable ProgressCodec<?> ofBean(Type type, BeanFactory beans) {
        ObjectMapper mapper = beans.getBeanProvider(ObjectMapper.class).getIfAvailable();
        return mapper == null ? null : new Jackson2Codec(mapper, type);
    }

    /** The mapper ignores unknown properties, because a later version of the application may have added them. */
    static ProgressCodec<?> of(Type type) {
        return new Jackson2Codec(
                JsonMapper.builder()
                        .findAndAddModules()
                        .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                        .build(),
                type);
    }

    @Override
    public byte[] encode(Object value) throws Exception {
        return mapper.writerFor(type).writeValueAsBytes(value);
    }

    @Override
    public Object decode(byte[] data) throws Exception {
        return mapper.readerFor(type).readValue(data);
    }
}
