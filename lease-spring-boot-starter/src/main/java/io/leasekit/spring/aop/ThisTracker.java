package io.leasekit.spring.aop;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.asm.ConstantDynamic;
import org.springframework.asm.Handle;
import org.springframework.asm.Label;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;

/**
 * Tracks which slots of the operand stack hold {@code this}, through the code of one method. It tracks only what is
 * needed to find the receivers of calls, and not copies of {@code this} in variables. At a label, it assumes the state
 * of the first jump to it.
 */
abstract class ThisTracker extends MethodVisitor {

    private static final char THIS = 'T';
    private static final char OTHER = '.';

    // change of the stack height by opcode: 'E' is none, 'F' is one more, 'D' is one less
    private static final String HEIGHTS =
            "EFFFFFFFFGGFFFGGEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEDEDEDDDDEEEEEEEEEEEEEEEEEEEEEEEEEB"
                    + "ABABBBBDCEEEEEEEDCDCDCDCDCDCDCDCDCDCEEEEDDDDDDDCDCDCEFEFDDEEFFDEDEEEBDDBB"
                    + "EEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEDD";

    private final Map<Label, String> atLabels = new HashMap<>();
    private final boolean isStatic;
    private StringBuilder stack = new StringBuilder();
    private boolean reachable = true;
    private int line;

    ThisTracker(boolean isStatic) {
        super(SpringAsmInfo.ASM_VERSION);
        this.isStatic = isStatic;
    }

    /** Called for each call on {@code this}, and for each reference to a method of {@code this}. */
    abstract void onCall(String owner, String name, String descriptor, int line);

    @Override
    public void visitLineNumber(int number, Label start) {
        line = number;
    }

    @Override
    public void visitTryCatchBlock(Label start, Label end, Label handler, @Nullable String type) {
        atLabels.put(handler, String.valueOf(OTHER));
    }

    @Override
    public void visitLabel(Label label) {
        if (!reachable) {
            stack = new StringBuilder(atLabels.getOrDefault(label, ""));
            reachable = true;
        }
    }

    @Override
    public void visitInsn(int opcode) {
        switch (opcode) {
            case Opcodes.DUP -> copy(1, 0);
            case Opcodes.DUP_X1 -> copy(1, 1);
            case Opcodes.DUP_X2 -> copy(1, 2);
            case Opcodes.DUP2 -> copy(2, 0);
            case Opcodes.DUP2_X1 -> copy(2, 1);
            case Opcodes.DUP2_X2 -> copy(2, 2);
            case Opcodes.SWAP -> swap();
            default -> change(HEIGHTS.charAt(opcode) - 'E');
        }
        if ((opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN) || opcode == Opcodes.ATHROW) {
            reachable = false;
        }
    }

    @Override
    public void visitIntInsn(int opcode, int operand) {
        change(opcode == Opcodes.NEWARRAY ? 0 : 1);
    }

    @Override
    public void visitVarInsn(int opcode, int variable) {
        switch (opcode) {
            case Opcodes.ALOAD -> stack.append(variable == 0 && !isStatic ? THIS : OTHER);
            case Opcodes.ILOAD, Opcodes.FLOAD -> change(1);
            case Opcodes.LLOAD, Opcodes.DLOAD -> change(2);
            case Opcodes.LSTORE, Opcodes.DSTORE -> change(-2);
            default -> change(-1);
        }
    }

    @Override
    public void visitTypeInsn(int opcode, String type) {
        if (opcode == Opcodes.NEW) {
            change(1);
        } else if (opcode != Opcodes.CHECKCAST) {
            replace(1, 1);
        }
    }

    @Override
    public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
        int size = Type.getType(descriptor).getSize();
        switch (opcode) {
            case Opcodes.GETSTATIC -> change(size);
            case Opcodes.PUTSTATIC -> change(-size);
            case Opcodes.GETFIELD -> replace(1, size);
            default -> change(-size - 1);
        }
    }

    @Override
    public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
        int sizes = Type.getArgumentsAndReturnSizes(descriptor);
        boolean receiver = opcode != Opcodes.INVOKESTATIC;
        int arguments = (sizes >> 2) - (receiver ? 0 : 1);
        if (receiver && isThis(arguments)) {
            onCall(owner, name, descriptor, line);
        }
        replace(arguments, sizes & 3);
    }

    @Override
    public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... constants) {
        int sizes = Type.getArgumentsAndReturnSizes(descriptor);
        int arguments = (sizes >> 2) - 1;
        if (arguments > 0 && isThis(arguments)) {
            for (Object constant : constants) {
                if (constant instanceof Handle method && method.getTag() != Opcodes.H_INVOKESTATIC) {
                    onCall(method.getOwner(), method.getName(), method.getDesc(), line);
                }
            }
        }
        replace(arguments, sizes & 3);
    }

    @Override
    public void visitJumpInsn(int opcode, Label label) {
        if (opcode != Opcodes.GOTO) {
            change(opcode >= Opcodes.IF_ICMPEQ && opcode <= Opcodes.IF_ACMPNE ? -2 : -1);
        }
        jump(label);
        reachable = opcode != Opcodes.GOTO;
    }

    @Override
    public void visitTableSwitchInsn(int min, int max, Label otherwise, Label... labels) {
        jumpByKey(otherwise, labels);
    }

    @Override
    public void visitLookupSwitchInsn(Label otherwise, int[] keys, Label[] labels) {
        jumpByKey(otherwise, labels);
    }

    @Override
    public void visitLdcInsn(Object value) {
        boolean wide = value instanceof Long
                || value instanceof Double
                || (value instanceof ConstantDynamic dynamic && dynamic.getSize() == 2);
        change(wide ? 2 : 1);
    }

    @Override
    public void visitMultiANewArrayInsn(String descriptor, int dimensions) {
        replace(dimensions, 1);
    }

    private void jumpByKey(Label otherwise, Label[] labels) {
        change(-1);
        jump(otherwise);
        for (Label label : labels) {
            jump(label);
        }
        reachable = false;
    }

    private void jump(Label label) {
        atLabels.putIfAbsent(label, stack.toString());
    }

    private boolean isThis(int depth) {
        return depth <= stack.length() && stack.charAt(stack.length() - depth) == THIS;
    }

    private void copy(int slots, int below) {
        int top = stack.length();
        stack.insert(top - slots - below, stack.substring(top - slots));
    }

    private void swap() {
        int top = stack.length();
        stack.insert(top - 2, stack.charAt(top - 1)).setLength(top);
    }

    private void replace(int taken, int given) {
        change(-taken);
        change(given);
    }

    private void change(int slots) {
        if (slots > 0) {
            stack.append(String.valueOf(OTHER).repeat(slots));
        } else {
            stack.setLength(stack.length() + slots);
        }
    }
}
