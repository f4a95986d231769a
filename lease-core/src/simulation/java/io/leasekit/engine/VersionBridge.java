package io.leasekit.engine;

import io.leasekit.LeaseRequest;
import io.leasekit.OnceOrder;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Carries values between two versions, whose classes have the same names and different loaders. Records are copied, and
 * constants are found by name. Any other object gets a proxy, which carries arguments and results of its calls.
 *
 * <p>A component that the receiving version does not know is left out. One that the sending version does not know becomes
 * {@code null}, and a command whose value is {@code null} leaves the attribute as it is. So commands may come from an older
 * version and items may go to it, as with DynamoDB. An item must never come from an older version.
 */
final class VersionBridge {

    private static final String OURS = "io.leasekit.";

    /** Components that had another name before. */
    private static final Map<String, String> FORMER = Map.of("unlessRecords", "unlessRun");

    /** One version. */
    static final class Side {
        private static final List<String> HELPERS =
                List.of("io.leasekit.internal.", "io.leasekit.time.", "io.leasekit.log.");

        private final ClassLoader classes;
        private final Map<String, UnaryOperator<Object>> changes;
        private final Map<Class<?>, Optional<Class<?>>> found = new ConcurrentHashMap<>();
        private final Map<Class<?>, Class<?>[]> interfaces = new ConcurrentHashMap<>();

        /**
         * @param classes the loader of its classes
         * @param changes what becomes of components of records on their way to it, by name
         */
        Side(ClassLoader classes, Map<String, UnaryOperator<Object>> changes) {
            this.classes = classes;
            this.changes = changes;
        }

        /** Returns its class of the same name, maybe in another package of helpers; empty: it has none. */
        Optional<Class<?>> find(Class<?> type) {
            return found.computeIfAbsent(
                    type, other -> names(other.getName()).flatMap(this::named).findFirst());
        }

        private Stream<Class<?>> named(String name) {
            try {
                return Stream.of(Class.forName(name, false, classes));
            } catch (ClassNotFoundException e) {
                return Stream.empty();
            }
        }

        /** The other version has all helpers in one package. */
        private static Stream<String> names(String name) {
            String simple = name.substring(name.lastIndexOf('.') + 1);
            boolean isHelper = HELPERS.stream().anyMatch(helpers -> name.equals(helpers + simple));
            return isHelper ? HELPERS.stream().map(helpers -> helpers + simple) : Stream.of(name);
        }

        /** Returns its interfaces that an object of this class implements. */
        private Class<?>[] interfaces(Class<?> type) {
            return Stream.<Class<?>>iterate(type, next -> next != null, Class::getSuperclass)
                    .flatMap(next -> Stream.of(next.getInterfaces()))
                    .filter(VersionBridge::isOurs)
                    .flatMap(next -> find(next).stream())
                    .distinct()
                    .toArray(Class<?>[]::new);
        }

        private Class<?> same(Class<?> type) {
            return isOurs(type) ? find(type).orElseThrow() : type;
        }
    }

    /** How records of a class are copied; a source is empty if the class does not have this component. */
    private record Copier(Constructor<?> constructor, List<String> names, List<Optional<Method>> sources) {}

    private final Side here;
    private final Side there;
    private final Map<List<Object>, Copier> copiers = new ConcurrentHashMap<>();
    private final Map<List<Object>, Optional<Method>> methods = new ConcurrentHashMap<>();

    VersionBridge(Side here, Side there) {
        this.here = here;
        this.there = there;
    }

    /** Returns this version's value for the other one. */
    Object there(Object value) {
        return object(value, here, there);
    }

    /** Returns the other version's value for this one. */
    <T> T here(Class<T> type, Object value) {
        return type.cast(object(value, there, here));
    }

    /** Returns the object behind a proxy as one of this interface of the simulation, with methods of the same names. */
    static <T> T as(Class<T> type, Object proxy) {
        InvocationHandler calls = Proxy.getInvocationHandler(proxy);
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, calls));
    }

    private @Nullable Object carried(@Nullable Object value, Side from, Side to) {
        return value == null ? null : object(value, from, to);
    }

    private Object object(Object value, Side from, Side to) {
        if (value instanceof List<?> list) {
            return list.stream().map(element -> object(element, from, to)).toList();
        }
        if (value instanceof Optional<?> optional) {
            return optional.map(element -> object(element, from, to));
        }
        if (value instanceof CompletionStage<?> stage) {
            return stage(stage, from, to);
        }
        if (value instanceof LeaseRequest request) {
            return request(request, to);
        }
        if (value instanceof Enum<?> constant && isOurs(constant.getDeclaringClass())) {
            return constant(constant, to);
        }
        if (value instanceof Record && isOurs(value.getClass())) {
            return copy(value, from, to);
        }
        return value instanceof Throwable ? value : proxied(value, from, to);
    }

    private static boolean isOurs(Class<?> type) {
        return type.getName().startsWith(OURS);
    }

    private static Object constant(Enum<?> constant, Side to) {
        return Stream.of(to.same(constant.getDeclaringClass()).getEnumConstants())
                .filter(same -> ((Enum<?>) same).name().equals(constant.name()))
                .findFirst()
                .orElseThrow();
    }

    private CompletableFuture<Object> stage(CompletionStage<?> stage, Side from, Side to) {
        CompletableFuture<Object> carried = new CompletableFuture<>();
        stage.thenApply(value -> carried(value, from, to)).whenComplete((value, error) -> {
            if (error == null) {
                carried.complete(value);
            } else {
                carried.completeExceptionally(error);
            }
        });
        carried.whenComplete((value, error) -> {
            if (carried.isCancelled()) {
                stage.toCompletableFuture().cancel(true);
            }
        });
        return carried;
    }

    // ---- records

    private Object copy(Object value, Side from, Side to) {
        Copier copier = copiers.computeIfAbsent(List.of(value.getClass(), to.classes), key -> copier(value, to));
        Class<?>[] types = copier.constructor.getParameterTypes();
        Object[] components = new Object[types.length];
        for (int i = 0; i < types.length; i++) {
            Method source = copier.sources.get(i).orElse(null);
            Object component = source == null ? Array.get(Array.newInstance(types[i], 1), 0) : call(source, value);
            UnaryOperator<Object> change = to.changes.getOrDefault(copier.names.get(i), UnaryOperator.identity());
            components[i] = component == null ? null : change.apply(object(component, from, to));
        }
        try {
            return copier.constructor.newInstance(components);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("No copy of " + value, e);
        }
    }

    private static Copier copier(Object value, Side to) {
        Class<?> type = to.same(value.getClass());
        RecordComponent[] components = type.getRecordComponents();
        List<String> names = Stream.of(components).map(RecordComponent::getName).toList();
        try {
            Constructor<?> constructor = type.getDeclaredConstructor(
                    Stream.of(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
            constructor.setAccessible(true);
            return new Copier(
                    constructor,
                    names,
                    names.stream()
                            .map(name -> method(value.getClass(), name)
                                    .or(() -> method(value.getClass(), FORMER.getOrDefault(name, name))))
                            .toList());
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A request is no record. It has a method to set each of these values, with the name of the method that returns it. */
    private static Object request(LeaseRequest request, Side to) {
        Class<?> type = to.same(LeaseRequest.class);
        Object copy = call(method(type, "ofAll", Collection.class).orElseThrow(), type, request.keys());
        for (String value : List.of("waitFor", "holdAtLeast", "cooldown", "holdAtMost", "ttl")) {
            Object set = call(method(LeaseRequest.class, value).orElseThrow(), request);
            copy = set == null ? copy : call(method(type, value, Duration.class).orElseThrow(), copy, set);
        }
        if (request.isPassive()) {
            copy = call(method(type, "passive").orElseThrow(), copy);
        }
        if (request.once() != null) {
            Object order = constant(request.onceOrder(), to);
            Class<?> orders = to.same(OnceOrder.class);
            copy = call(method(type, "once", String.class, orders).orElseThrow(), copy, request.once(), order);
        }
        return copy;
    }

    // ---- proxies

    /** Returns an object with the same interfaces of the project; the object itself if it has none. */
    private Object proxied(Object value, Side from, Side to) {
        if (Proxy.isProxyClass(value.getClass())
                && Proxy.getInvocationHandler(value) instanceof Calls calls
                && calls.home == to) {
            return calls.target;
        }
        Class<?>[] types = to.interfaces.computeIfAbsent(value.getClass(), to::interfaces);
        return types.length == 0 ? value : Proxy.newProxyInstance(to.classes, types, new Calls(value, from, to));
    }

    /** The calls of an object of the version {@code home} by the other one. */
    private final class Calls implements InvocationHandler {
        private final Object target;
        private final Side home;
        private final Side away;

        Calls(Object target, Side home, Side away) {
            this.target = target;
            this.home = home;
            this.away = away;
        }

        @Override
        public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
            if (method.getName().equals("equals")) {
                return arguments != null
                        && Proxy.isProxyClass(arguments[0].getClass())
                        && Proxy.getInvocationHandler(arguments[0]) instanceof Calls calls
                        && calls.target == target;
            }
            Method its = methods.computeIfAbsent(List.of(method, target.getClass()), key -> itsOwn(method))
                    .orElse(null);
            if (its == null) {
                return InvocationHandler.invokeDefault(proxy, method, arguments);
            }
            Object[] carried = arguments == null
                    ? null
                    : Arrays.stream(arguments)
                            .map(argument -> carried(argument, away, home))
                            .toArray();
            try {
                Object result = its.invoke(target, carried);
                return result == target ? proxy : carried(result, home, away);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }

        private Optional<Method> itsOwn(Method method) {
            Class<?>[] types =
                    Stream.of(method.getParameterTypes()).map(home::same).toArray(Class<?>[]::new);
            return method(target.getClass(), method.getName(), types);
        }
    }

    /** Returns a method of the class, of any visibility, its own or inherited. */
    private static Optional<Method> method(Class<?> type, String name, Class<?>... parameters) {
        Stream<Class<?>> declaring = Stream.concat(
                Stream.<Class<?>>iterate(type, next -> next != null, Class::getSuperclass),
                Stream.of(type.getInterfaces()));
        return declaring
                .flatMap(next -> Stream.of(next.getDeclaredMethods()))
                .filter(method -> method.getName().equals(name)
                        && Arrays.equals(method.getParameterTypes(), parameters)
                        && !method.isBridge())
                .findFirst()
                .map(method -> {
                    method.setAccessible(true);
                    return method;
                });
    }

    private static Object call(Method method, Object target, Object... arguments) {
        try {
            return method.invoke(target, arguments);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
