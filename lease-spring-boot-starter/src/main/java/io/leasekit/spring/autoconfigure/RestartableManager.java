package io.leasekit.spring.autoconfigure;

import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.internal.EngineTable;
import io.leasekit.log.CallLog;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Lets a manager bean outlive a stop of its context. A closed manager cannot be reopened, so the start after it creates
 * a successor, to which the bean passes all calls. Thread-safe.
 */
final class RestartableManager implements InvocationHandler {

    private static final Set<String> CLOSING = Set.of("close", "closeAsync");

    private final Supplier<LeaseManager> source;
    private volatile LeaseManager current;
    private volatile boolean closed;

    private RestartableManager(Supplier<LeaseManager> source) {
        this.source = source;
        this.current = source.get();
    }

    /** Returns a bean for the managers of this source. The first is created at once. */
    static LeaseManager of(Supplier<LeaseManager> source) {
        return (LeaseManager) Proxy.newProxyInstance(
                LeaseManager.class.getClassLoader(),
                new Class<?>[] {LeaseManager.class, CallLog.class, EngineTable.class},
                new RestartableManager(source));
    }

    /** Returns whether this bean is one of these, and not a manager of another origin. */
    static boolean is(LeaseManager bean) {
        return Proxy.isProxyClass(bean.getClass()) && Proxy.getInvocationHandler(bean) instanceof RestartableManager;
    }

    /** Replaces the manager behind this bean if it is closed. Does nothing for a manager of another origin. */
    static void restart(LeaseManager bean) {
        if (Proxy.isProxyClass(bean.getClass())
                && Proxy.getInvocationHandler(bean) instanceof RestartableManager restartable) {
            restartable.restart();
        }
    }

    private void restart() {
        if (closed) {
            current = source.get();
            closed = false;
        }
    }

    @Override
    public @Nullable Object invoke(Object bean, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        String name = method.getName();
        if (name.equals("equals")) {
            return arguments != null && bean == arguments[0];
        }
        if (name.equals("hashCode")) {
            return System.identityHashCode(bean);
        }
        if (CLOSING.contains(name)) {
            closed = true;
        }
        LeaseManager now = current;
        if (method.getDeclaringClass() == CallLog.class && !(now instanceof CallLog)) {
            return withoutCallLog(now, arguments);
        }
        if (method.getDeclaringClass() == EngineTable.class && !(now instanceof EngineTable)) {
            return withoutTable(now, name);
        }
        try {
            return method.invoke(now, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    private static @Nullable Object withoutCallLog(LeaseManager manager, @Nullable Object @Nullable [] arguments) {
        if (arguments != null && arguments[0] instanceof Runnable warning && arguments[1] instanceof Runnable debug) {
            CallLog.log(manager, warning, debug);
        }
        return null;
    }

    private static Object withoutTable(LeaseManager manager, String name) {
        return switch (name) {
            case "table" -> "";
            case "awaitLastRun" ->
                CompletableFuture.failedFuture(new IllegalStateException("The manager is not of Leasekit"));
            case "onceRetention" -> LeaseRequest.UNLIMITED; // unknown
            case "awaitTime" -> CompletableFuture.completedFuture(manager.time());
            default -> manager.time();
        };
    }

    /** The proxy class, for native images. */
    static final class Hints implements RuntimeHintsRegistrar {

        @Override
        public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
            hints.proxies().registerJdkProxy(LeaseManager.class, CallLog.class, EngineTable.class);
        }
    }
}
