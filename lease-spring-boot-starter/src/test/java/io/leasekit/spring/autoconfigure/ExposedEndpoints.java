package io.leasekit.spring.autoconfigure;

import java.util.List;
import org.springframework.boot.actuate.endpoint.EndpointFilter;
import org.springframework.boot.actuate.endpoint.invoke.ParameterValueMapper;
import org.springframework.boot.actuate.endpoint.web.EndpointMediaTypes;
import org.springframework.boot.actuate.endpoint.web.ExposableWebEndpoint;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpointDiscoverer;
import org.springframework.context.ApplicationContext;
import org.springframework.core.ResolvableType;

/** Finds the endpoints of a context as Boot does for HTTP. */
final class ExposedEndpoints {

    private ExposedEndpoints() {}

    static List<String> web(ApplicationContext context) {
        List<EndpointFilter<ExposableWebEndpoint>> filters = context
                .<EndpointFilter<ExposableWebEndpoint>>getBeanProvider(
                        ResolvableType.forClassWithGenerics(EndpointFilter.class, ExposableWebEndpoint.class))
                .stream()
                .toList();
        return new WebEndpointDiscoverer(
                        context,
                        ParameterValueMapper.NONE,
                        EndpointMediaTypes.DEFAULT,
                        List.of(),
                        List.of(),
                        List.of(),
                        filters,
                        List.of())
                .getEndpoints().stream()
                        .map(endpoint -> endpoint.getEndpointId().toString())
                        .toList();
    }
}
