package io.leasekit.spring.check;

import io.leasekit.internal.Internal;
import io.leasekit.spring.LeaderOnly;
import io.leasekit.spring.policy.InvalidLeaseMethodException;
import io.leasekit.spring.policy.LeaseAnnotations;
import java.io.IOException;
import java.io.InputStream;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.Handle;
import org.springframework.asm.Label;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;
import org.springframework.core.BridgeMethodResolver;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.scheduling.support.ScheduledMethodRunnable;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds calls of annotated methods that a class makes on its own object. A call that an object makes on itself bypasses
 * the proxy that acquires the lease. Reads only the class files of annotated classes, and skips a class whose file
 * cannot be read, as in a native image. Does not report a call if the calling method has the same fixed keys as the
 * called method, because the caller then already holds the lease.
 *
 * <p>The class file does not show on which object a method is called. So the calls in the code of a method are reported
 * only if this code uses no other object of the same class. Another object may be a field, an argument, a result, a
 * cast or a new object. For example, if the bean is injected into itself, calls on the injected object are correct.
 *
 * <p>{@code new ScheduledMethodRunnable(this, "name")} is rejected if the named method is annotated, because Spring's
 * scheduler would call the method on this object.
 */
@Internal
public final class SelfCalls {

    private static final Logger log = LoggerFactory.getLogger(SelfCalls.class);

    private static final String TASK = Type.getInternalName(ScheduledMethodRunnable.class);

    private final Class<?> type;
    private final Class<? extends Annotation> annotation;
    private final Map<String, Set<String>> keys = new HashMap<>();
    private final Map<String, Class<?>> owners = new LinkedHashMap<>(); // the class and its supertypes
    private final Set<String> found = new LinkedHashSet<>();
    private @Nullable InvalidLeaseMethodException refusal; // the last rejected task

    private SelfCalls(Class<?> type, Class<? extends Annotation> annotation) {
        this.type = type;
        this.annotation = annotation;
    }

    /**
     * Logs a warning for each call that an object of one of these classes makes on itself, to a method with this
     * annotation.
     *
     * @throws InvalidLeaseMethodException if a class creates a task that calls a method with this annotation on
     *     {@code this}
     */
    public static void warnOf(Set<Class<?>> targetClasses, Class<? extends Annotation> annotation) {
        targetClasses.stream()
                .flatMap(type -> of(type, annotation).stream())
                .distinct()
                .sorted()
                .forEach(call -> log.warn(
                        annotation == LeaderOnly.class
                                ? "{} on its own object: this call takes no lease, although the method has @LeaderOnly. Only its"
                                        + " election may call it, on the leader. Remove this call"
                                : "{} on its own object: this call takes no lease, although the method has @DistributedLease."
                                        + " Move the method to another bean, or inject this bean into itself with @Lazy and call"
                                        + " the method on that reference",
                        call));
    }

    /** Returns the calls, each as {@code package.Class.method(File.java:line) calls 'method'}. */
    static Set<String> of(Class<?> targetClass, Class<? extends Annotation> annotation) {
        SelfCalls calls = new SelfCalls(ClassUtils.getUserClass(targetClass), annotation);
        calls.readAnnotations();
        calls.hierarchy().forEach(calls::scan);
        if (calls.refusal != null) {
            throw calls.refusal;
        }
        return calls.found;
    }

    private void readAnnotations() {
        for (Method method : ReflectionUtils.getAllDeclaredMethods(type)) {
            Set<String> itsKeys = annotations(method)
                    .map(found -> found.getString("key"))
                    .map(key -> key.isEmpty() ? method.getName() : key)
                    .collect(Collectors.toSet());
            if (!itsKeys.isEmpty()) {
                keys.put(signature(method), itsKeys);
            }
        }
    }

    private Stream<? extends MergedAnnotation<?>> annotations(Method method) {
        return annotation == LeaderOnly.class
                ? MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).stream(LeaderOnly.class)
                : LeaseAnnotations.find(method, type).stream();
    }

    private void refuseTask(String called, String place) {
        Method method = ReflectionUtils.findMethod(type, called);
        if (method != null && keys.containsKey(signature(method))) {
            refusal = new InvalidLeaseMethodException(
                    annotation,
                    method,
                    type,
                    place
                            + " makes a ScheduledMethodRunnable of 'this', which is not the bean's proxy, so the method would"
                            + " run without a lease",
                    annotation == LeaderOnly.class
                            ? "Remove the task: only the election of the method may call it."
                            : "Annotate the method with @Scheduled, or inject this bean into itself with @Lazy and make the"
                                    + " task of that reference.",
                    null);
        }
    }

    private List<Class<?>> hierarchy() {
        addWithSupertypes(type);
        return List.copyOf(owners.values());
    }

    private void addWithSupertypes(@Nullable Class<?> next) {
        if (next != null && next != Object.class && owners.put(Type.getInternalName(next), next) == null) {
            addWithSupertypes(next.getSuperclass());
            Stream.of(next.getInterfaces()).forEach(this::addWithSupertypes);
        }
    }

    private void scan(Class<?> declaring) {
        String file = ClassUtils.getClassFileName(declaring);
        try (InputStream bytes = declaring.getResourceAsStream(file)) {
            if (bytes != null) {
                new ClassReader(bytes).accept(new Scanner(declaring), ClassReader.SKIP_FRAMES);
            }
        } catch (IOException | RuntimeException e) {
            log.debug("Class file of '{}' could not be searched for calls on 'this'", declaring.getName(), e);
        }
    }

    private boolean isUnguarded(String owner, String called, Class<?> declaring, String caller) {
        Set<String> needed = keys.get(called);
        if (needed == null || !owners.containsKey(owner)) {
            return false;
        }
        boolean ofSuper = !owner.equals(Type.getInternalName(declaring)) && overrides(caller, called, declaring);
        boolean fixed = needed.stream().noneMatch(text -> text.contains("#{"));
        boolean sameLease = fixed && keys.getOrDefault(caller, Set.of()).containsAll(needed);
        return !ofSuper && !sameLease;
    }

    /**
     * Returns whether the caller overrides the called method. If the parameters or results of the two methods differ,
     * for example because the superclass is generic, the compiler has generated a bridge method.
     */
    private static boolean overrides(String caller, String called, Class<?> declaring) {
        return called.equals(caller)
                || Stream.of(declaring.getDeclaredMethods())
                        .filter(method -> method.isBridge() && signature(method).equals(called))
                        .anyMatch(bridge -> signature(BridgeMethodResolver.findBridgedMethod(bridge))
                                .equals(caller));
    }

    private static String signature(Method method) {
        return method.getName() + Type.getMethodDescriptor(method);
    }

    private final class Scanner extends ClassVisitor {

        private final Class<?> declaring;
        private String file = "";

        Scanner(Class<?> declaring) {
            super(SpringAsmInfo.ASM_VERSION);
            this.declaring = declaring;
        }

        @Override
        public void visitSource(@Nullable String source, @Nullable String debug) {
            file = source == null ? "Unknown Source" : source;
        }

        @Override
        public @Nullable MethodVisitor visitMethod(
                int access, String name, String descriptor, @Nullable String signature, String @Nullable [] thrown) {
            boolean hasThis = (access & (Opcodes.ACC_STATIC | Opcodes.ACC_BRIDGE)) == 0;
            return hasThis ? new Code(name, descriptor) : null;
        }

        /**
         * Collects the calls in the code of one method, and the classes of all objects in that code other than
         * {@code this}.
         */
        private final class Code extends MethodVisitor {

            private record Call(String owner, String name, String descriptor, int line) {}

            private final String name;
            private final String descriptor;
            private final List<Call> calls = new ArrayList<>();
            private final Set<Class<?>> others = new HashSet<>();
            private int line;
            private boolean isThis; // of the value loaded last
            private @Nullable String nameAfterThis; // a text loaded right after this

            Code(String name, String descriptor) {
                super(SpringAsmInfo.ASM_VERSION);
                this.name = name;
                this.descriptor = descriptor;
                Stream.of(Type.getArgumentTypes(descriptor)).forEach(this::addOther);
            }

            private void addOther(Type type) {
                Type element = type.getSort() == Type.ARRAY ? type.getElementType() : type;
                Class<?> other = element.getSort() == Type.OBJECT ? owners.get(element.getInternalName()) : null;
                if (other != null) {
                    others.add(other);
                }
            }

            @Override
            public void visitLineNumber(int number, Label start) {
                line = number;
            }

            private String place(int at) {
                return declaring.getName() + "." + name + "(" + file + ":" + at + ")";
            }

            @Override
            public void visitVarInsn(int opcode, int variable) {
                isThis = opcode == Opcodes.ALOAD && variable == 0;
                nameAfterThis = null;
            }

            @Override
            public void visitLdcInsn(Object value) {
                nameAfterThis = isThis && value instanceof String text ? text : null;
                isThis = false;
            }

            @Override
            public void visitFieldInsn(int opcode, String owner, String field, String type) {
                isThis = false;
                addOther(Type.getType(type));
            }

            @Override
            public void visitTypeInsn(int opcode, String other) {
                addOther(Type.getObjectType(other));
            }

            @Override
            public void visitMethodInsn(int opcode, String owner, String called, String type, boolean isInterface) {
                addOther(Type.getReturnType(type));
                if (owner.equals(TASK) && nameAfterThis != null) {
                    refuseTask(nameAfterThis, place(line));
                }
                isThis = false;
                nameAfterThis = null;
                if (opcode != Opcodes.INVOKESTATIC) {
                    calls.add(new Call(owner, called, type, line));
                }
            }

            @Override
            public void visitInvokeDynamicInsn(String method, String type, Handle bootstrap, Object... constants) {
                addOther(Type.getReturnType(type));
                for (Object constant : constants) {
                    if (constant instanceof Handle reference && reference.getTag() != Opcodes.H_INVOKESTATIC) {
                        calls.add(new Call(reference.getOwner(), reference.getName(), reference.getDesc(), line));
                    }
                }
            }

            private boolean mayBeOnOther(Call call) {
                Class<?> owner = owners.get(call.owner);
                return owner != null && others.stream().anyMatch(owner::isAssignableFrom);
            }

            @Override
            public void visitEnd() {
                calls.stream()
                        .filter(call ->
                                isUnguarded(call.owner, call.name + call.descriptor, declaring, name + descriptor))
                        .filter(call -> !mayBeOnOther(call))
                        .forEach(call -> found.add(place(call.line) + " calls '" + call.name + "'"));
            }
        }
    }
}
