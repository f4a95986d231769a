package io.leasekit.spring.autoconfigure;

import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.reactive.handler.SimpleUrlHandlerMapping;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebHandler;
import reactor.core.publisher.Mono;

/**
 * In a reactive application, lets {@link ForeignWrites} check requests for the endpoint {@code leases} on the
 * management port.
 */
@ManagementContextConfiguration(proxyBeanMethods = false)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass({DispatcherHandler.class, PathMappedEndpoints.class})
class LeaseEndpointReactiveConfiguration {

    @Bean
    HandlerMapping leasesForeignWritesMapping(PathMappedEndpoints endpoints) {
        WebHandler refusal = exchange -> {
            ServerHttpResponse response = exchange.getResponse();
            response.setStatusCode(HttpStatus.FORBIDDEN);
            response.getHeaders().setContentType(MediaType.APPLICATION_JSON);
            return response.writeWith(Mono.just(response.bufferFactory().wrap(ForeignWrites.REFUSAL.clone())));
        };
        SimpleUrlHandlerMapping mapping = new SimpleUrlHandlerMapping() {
            @Override
            public Mono<Object> getHandlerInternal(ServerWebExchange exchange) {
                ServerHttpRequest request = exchange.getRequest();
                String header = request.getHeaders().getFirst(ForeignWrites.HEADER);
                return ForeignWrites.mayPass(request.getMethod(), header)
                        ? Mono.empty()
                        : super.getHandlerInternal(exchange);
            }
        };
        mapping.setUrlMap(ForeignWrites.mapped(endpoints, refusal));
        mapping.setOrder(ForeignWrites.ORDER);
        return mapping;
    }
}
