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
import org.springframework.scheduling.annotation.SchedulingConfigurer;
import org.springframework.scheduling.config.ScheduledTaskRegistrar;
import org.springframework.scheduling.support.ScheduledMethodRunnable;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds calls in which an object calls its own annotated method, and so bypasses the proxy that acquires the lease.
 * Accepts a call if the calling method has the same fixed keys, because the caller already holds the lease.
 *
 * <p>Ignores a call that may be on another object, because a class file does not show the object.
 *
 * <p>Rejects a scheduled task that calls an annotated method on {@code this}. A {@code Runnable} of an annotated method
 * is no task, because the method may run the {@code Runnable} under its own lease.
 */
@Internal
public final class SelfCalls {

    private static final Logger log = LoggerFactory.getLogger(SelfCalls.class);

    private static final String TASK = Type.getInternalName(ScheduledMethodRunnable.class);
    private static final String RUNNABLE = Type.getInternalName(Runnable.class);
    private static final String REGISTRAR = Type.getInternalName(ScheduledTaskRegistrar.class);

    private final Class<?> type;
    private final Class<? extends Annotation> annotation;
    private final Map<String, Set<String>> keys = new HashMap<>();
    // The class and its supertypes, by internal name.
    private final Map<String, Class<?>> owners = new LinkedHashMap<>();
    private final List<Found> found = new ArrayList<>();
    private final Set<String> taskBodies = new HashSet<>(); // the methods used as tasks, as texts like Owner.name()V
    private @Nullable InvalidLeaseMethodException refusal;

    /**
     * A call of an object's own annotated method; {@code inTask} is true for a method reference used as a scheduled
     * task.
     */
    private record Found(String caller, String called, String place, boolean inTask) {}

    private SelfCalls(Class<?> type, Class<? extends Annotation> annotation) {
        this.type = type;
        this.annotation = annotation;
    }

    /**
     * Logs a warning for each call of an annotated method on {@code this}, and rejects scheduled tasks with such a
     * call.
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

    /** Returns the calls in the form {@code package.Class.method(File.java:line) calls 'method'}. */
    static Set<String> of(Class<?> targetClass, Class<? extends Annotation> annotation) {
        SelfCalls calls = new SelfCalls(ClassUtils.getUserClass(targetClass), annotation);
        calls.readAnnotations();
        calls.hierarchy().forEach(calls::scan);
        calls.found.stream()
                .filter(call -> call.inTask || calls.taskBodies.contains(call.caller))
                .forEach(call -> calls.refuseTask(call.called, call.place));
        if (calls.refusal != null) {
            throw calls.refusal;
        }
        return calls.found.stream()
                .map(call -> call.place + " calls '" + call.called.substring(0, call.called.indexOf('(')) + "'")
                .collect(Collectors.toCollection(LinkedHashSet::new));
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

    /** {@code called} is the name of the method, followed by the beginning of its descriptor. */
    private void refuseTask(String called, String place) {
        Stream.of(ReflectionUtils.getAllDeclaredMethods(type))
                .filter(method -> signature(method).startsWith(called) && keys.containsKey(signature(method)))
                .findFirst()
                .ifPresent(method -> refusal = task(method, place));
    }

    private InvalidLeaseMethodException task(Method method, String place) {
        return new InvalidLeaseMethodException(
                annotation,
                method,
                type,
                place
                        + " makes a task of 'this', which is not the bean's proxy, so the method would run without a"
                        + " lease",
                annotation == LeaderOnly.class
                        ? "Remove the task: only the election of the method may call it."
                        : "Annotate the method with @Scheduled, or inject this bean into itself with @Lazy and make the"
                                + " task of that reference.",
                null);
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

    /** Searches for a bridge method, because the descriptors can differ if the superclass is generic. */
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

        /** Collects the calls in the code of one method, and the classes of all objects other than {@code this}. */
        private final class Code extends MethodVisitor {

            private record Call(String owner, String called, int line, boolean isRunnable, boolean onThis) {}

            private final String name;
            private final String descriptor;
            private final List<Call> calls = new ArrayList<>();
            private boolean makesTasks;
            private final Set<Class<?>> others = new HashSet<>();
            private int line;
            private boolean isThis; // whether the value loaded last is 'this'
            private @Nullable String nameAfterThis; // the text constant loaded right after 'this', if any

            Code(String name, String descriptor) {
                super(SpringAsmInfo.ASM_VERSION);
                this.name = name;
                this.descriptor = descriptor;
                this.makesTasks =
                        SchedulingConfigurer.class.isAssignableFrom(type) && !keys.containsKey(name + descriptor);
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
                    refuseTask(nameAfterThis + "()", place(line));
                }
                makesTasks |= owner.equals(REGISTRAR);
                isThis = false;
                nameAfterThis = null;
                if (opcode != Opcodes.INVOKESTATIC) {
                    calls.add(new Call(owner, called + type, line, false, false));
                }
            }

            @Override
            public void visitInvokeDynamicInsn(String method, String type, Handle bootstrap, Object... constants) {
                addOther(Type.getReturnType(type));
                boolean isRunnable = Type.getReturnType(type).getInternalName().equals(RUNNABLE);
                // The bytecode of this::method, for example, passes 'this' as an argument.
                boolean onThis = isThis && Type.getArgumentTypes(type).length > 0;
                for (Object constant : constants) {
                    if (constant instanceof Handle reference && reference.getTag() != Opcodes.H_INVOKESTATIC) {
                        String called = reference.getName() + reference.getDesc();
                        calls.add(new Call(reference.getOwner(), called, line, isRunnable, onThis));
                    }
                }
                isThis = false;
            }

            private boolean mayBeOnOther(Call call) {
                Class<?> owner = owners.get(call.owner);
                return owner != null && others.stream().anyMatch(owner::isAssignableFrom);
            }

            @Override
            public void visitEnd() {
                String here = name + descriptor;
                for (Call call : calls) {
                    boolean inTask = makesTasks && call.isRunnable;
                    if (inTask) {
                        taskBodies.add(call.owner + "." + call.called);
                    }
                    if (isUnguarded(call.owner, call.called, declaring, here) && (call.onThis || !mayBeOnOther(call))) {
                        String caller = Type.getInternalName(declaring) + "." + here;
                        found.add(new Found(caller, call.called, place(call.line), inTask));
                    }
                }
            }
        }
    }
}
