package io.leasekit.console;

import io.leasekit.console.ConsoleFiles.ConsoleFile;
import io.leasekit.spring.actuate.LeasesEndpoint;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.endpoint.EndpointAccessResolver;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.env.Environment;
import org.springframework.http.HttpMethod;
import org.springframework.web.HttpRequestHandler;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.handler.SimpleUrlHandlerMapping;

/** Serves the console's page in a servlet application, on the management port. */
@ManagementContextConfiguration(proxyBeanMethods = false)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({DispatcherServlet.class, LeasesEndpoint.class})
@ImportRuntimeHints(ConsoleFiles.Hints.class)
class LeaseConsoleServletConfiguration {

    @Bean
    HandlerMapping leaseConsoleMapping(
            PathMappedEndpoints endpoints, EndpointAccessResolver access, Environment environment) {
        return new SimpleUrlHandlerMapping(
                ConsoleFiles.of(endpoints, access, environment).mapped(LeaseConsoleServletConfiguration::handler),
                ConsoleFiles.ORDER);
    }

    private static HttpRequestHandler handler(ConsoleFile file) {
        return (request, response) -> {
            if (!ConsoleFiles.isRead(HttpMethod.valueOf(request.getMethod()))) {
                response.sendError(HttpServletResponse.SC_METHOD_NOT_ALLOWED);
                return;
            }
            ConsoleFiles.HEADERS.forEach(response::setHeader);
            response.setContentType(file.type);
            response.setContentLength(file.content.length);
            response.getOutputStream().write(file.content);
        };
    }
}
