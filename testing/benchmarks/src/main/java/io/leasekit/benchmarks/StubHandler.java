package io.leasekit.benchmarks;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.UUID;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Promise;

/**
 * Answers immediately in place of DynamoDB: each write succeeds and each read finds nothing. It serves rows in which
 * DynamoDB Local, which shares two cores with the contender, would dominate the measurement.
 */
final class StubHandler extends Handler.Abstract.NonBlocking {

    private final ObjectMapper json = new ObjectMapper();

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        boolean batch = "BatchExecuteStatement".equals(CountingHandler.operation(request));
        Content.Source.asString(
                request,
                StandardCharsets.UTF_8,
                Promise.from(body -> answer(response, batch ? answers(body) : "{}", callback), callback::failed));
        return true;
    }

    static void answer(Response response, String body, Callback callback) {
        response.getHeaders().put("x-amzn-RequestId", UUID.randomUUID().toString());
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/x-amz-json-1.0");
        response.write(true, ByteBuffer.wrap(body.getBytes(StandardCharsets.UTF_8)), callback);
    }

    private String answers(String body) {
        try {
            int statements = json.readTree(body).path("Statements").size();
            return "{\"Responses\":[" + String.join(",", Collections.nCopies(statements, "{\"TableName\":\"leases\"}"))
                    + "]}";
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }
}
