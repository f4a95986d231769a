package io.leasekit.console;

import io.leasekit.console.ConsoleFiles.ConsoleFile;
import io.leasekit.spring.actuate.LeasesEndpoint;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.endpoint.EndpointAccessResolver;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.env.Environment;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.reactive.handler.SimpleUrlHandlerMapping;
import org.springframework.web.server.WebHandler;
import reactor.core.publisher.Mono;

/** Serves the console's page in a reactive application, on the management port. */
@ManagementContextConfiguration(proxyBeanMethods = false)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass({DispatcherHandler.class, LeasesEndpoint.class})
@ImportRuntimeHints(ConsoleFiles.Hints.class)
class LeaseConsoleReactiveConfiguration {

    @Bean
    HandlerMapping leaseConsoleMapping(
            PathMappedEndpoints endpoints, EndpointAccessResolver access, Environment environment) {
        return new SimpleUrlHandlerMapping(
                ConsoleFiles.of(endpoints, access, environment).mapped(LeaseConsoleReactiveConfiguration::handler),
                ConsoleFiles.ORDER);
    }

    private static WebHandler handler(ConsoleFile file) {
        return exchange -> {
            ServerHttpResponse response = exchange.getResponse();
            if (!ConsoleFiles.isRead(exchange.getRequest().getMethod())) {
                response.setStatusCode(HttpStatus.METHOD_NOT_ALLOWED);
                return response.setComplete();
            }
            ConsoleFiles.HEADERS.forEach(response.getHeaders()::set);
            response.getHeaders().setContentType(MediaType.parseMediaType(file.type));
            response.getHeaders().setContentLength(file.content.length);
            return response.writeWith(Mono.just(response.bufferFactory().wrap(file.content.clone())));
        };
    }
}
