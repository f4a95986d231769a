package io.leasekit.sample;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.regex.Pattern;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Refuses requests for host names other than {@code localhost}. Without this filter, another site could point its host
 * name to this machine, and use the sample through a user's browser.
 */
@Component
class LocalHosts extends OncePerRequestFilter {

    private static final Pattern LOCAL = Pattern.compile("(?i)localhost|[0-9.]+|\\[[0-9a-fA-F:.]+]");

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        if (LOCAL.matcher(request.getServerName()).matches()) {
            chain.doFilter(request, response);
        } else {
            response.sendError(HttpServletResponse.SC_FORBIDDEN, "Host is another name than localhost");
        }
    }
}
