package io.leasekit.spring.autoconfigure;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.web.HttpRequestHandler;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.handler.SimpleUrlHandlerMapping;

/**
 * In a servlet application, lets {@link ForeignWrites} check requests for the endpoint {@code leases} on the management
 * port.
 */
@ManagementContextConfiguration(proxyBeanMethods = false)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({DispatcherServlet.class, PathMappedEndpoints.class})
class LeaseEndpointServletConfiguration {

    @Bean
    HandlerMapping leasesForeignWritesMapping(PathMappedEndpoints endpoints) {
        HttpRequestHandler refusal = (request, response) -> {
            response.setStatus(HttpServletResponse.SC_FORBIDDEN);
            response.setContentType(MediaType.APPLICATION_JSON_VALUE);
            response.getOutputStream().write(ForeignWrites.REFUSAL);
        };
        SimpleUrlHandlerMapping mapping = new SimpleUrlHandlerMapping() {
            @Override
            protected @Nullable Object getHandlerInternal(HttpServletRequest request) throws Exception {
                HttpMethod method = HttpMethod.valueOf(request.getMethod());
                return ForeignWrites.mayPass(method, request.getHeader(ForeignWrites.HEADER))
                        ? null
                        : super.getHandlerInternal(request);
            }
        };
        mapping.setUrlMap(ForeignWrites.mapped(endpoints, refusal));
        mapping.setOrder(ForeignWrites.ORDER);
        return mapping;
    }
}
