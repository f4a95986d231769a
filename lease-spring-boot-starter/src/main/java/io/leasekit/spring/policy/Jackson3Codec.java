package io.leasekit.spring.policy;

import io.leasekit.ProgressCodec;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.json.JsonMapper;

/** Encodes values as JSON with Jackson 3, an optional dependency. Thread-safe. */
final class Jackson3Codec implements ProgressCodec<Object> {

    private final JsonMapper mapper;
    private final JavaType type;

    private Jackson3Codec(JsonMapper mapper, Type type) {
        this.mapper = mapper;
        this.type = mapper.constructType(type);
    }

    static @Nullable ProgressCodec<?> ofBean(Type type, BeanFactory beans) {
        JsonMapper mapper = beans.getBeanProvider(JsonMapper.class).getIfAvailable();
        return mapper == null ? null : new Jackson3Codec(mapper, type);
    }

    static ProgressCodec<?> of(Type type) {
        return new Jackson3Codec(JsonMapper.builder().findAndAddModules().build(), type);
    }

    @Override
    public byte[] encode(Object value) {
        return mapper.writerFor(type).writeValueAsBytes(value);
    }

    @Override
    public Object decode(byte[] data) {
        return mapper.readerFor(type).readValue(data);
    }
}
