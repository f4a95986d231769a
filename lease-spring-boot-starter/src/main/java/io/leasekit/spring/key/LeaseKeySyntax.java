package io.leasekit.spring.key;

import java.util.ArrayList;
import java.util.List;

/**
 * Splits the text of a key into expressions and literal text, which may contain placeholders. Placeholders are resolved
 * after the split, so a value of a placeholder is never parsed as an expression.
 */
final class LeaseKeySyntax {

    /** Literal text, or an expression without its delimiters <code>#{</code> and <code>}</code>. */
    record Part(String text, boolean expression) {}

    private final String text;
    private final List<Part> parts = new ArrayList<>();
    // The index at which the literal text after the last expression begins.
    private int literal;

    private LeaseKeySyntax(String text) {
        this.text = text;
    }

    static List<Part> parts(String text) {
        return new LeaseKeySyntax(text).split();
    }

    private List<Part> split() {
        int at = 0;
        while (at < text.length()) {
            if (text.startsWith("#{", at)) {
                at = addExpression(at);
            } else if (text.startsWith("${", at) && !isEscaped(at)) {
                at = endOfPlaceholder(at) + 1;
            } else {
                at++;
            }
        }
        addLiteral(at);
        return List.copyOf(parts);
    }

    private boolean isEscaped(int at) {
        return at > 0 && text.charAt(at - 1) == '\\';
    }

    private int addExpression(int start) {
        addLiteral(start);
        int end = endOfExpression(start);
        String expression = text.substring(start + 2, end);
        if (expression.contains("${")) {
            throw new InvalidLeaseKeyException(
                    "the placeholder in '#{" + expression + "}' is not resolved there",
                    "Write '${…}' outside of '#{…}'.");
        }
        if (expression.isBlank()) {
            throw new InvalidLeaseKeyException(
                    "'#{" + expression + "}' is empty", "Write an expression between the braces.");
        }
        parts.add(new Part(expression, true));
        literal = end + 1;
        return literal;
    }

    private void addLiteral(int end) {
        if (end > literal) {
            parts.add(new Part(text.substring(literal, end), false));
        }
    }

    private int endOfExpression(int start) {
        int depth = 0;
        char quote = 0;
        for (int at = start + 1; at < text.length(); at++) {
            char c = text.charAt(at);
            if (quote != 0) {
                quote = c == quote ? 0 : quote;
            } else if (c == '\'' || c == '"') {
                quote = c;
            } else {
                depth += depth(c);
                if (depth == 0) {
                    return at;
                }
            }
        }
        throw withoutEnd(start);
    }

    private int endOfPlaceholder(int start) {
        int depth = 0;
        for (int at = start + 1; at < text.length(); at++) {
            if (text.startsWith("#{", at)) {
                throw new InvalidLeaseKeyException(
                        "the expression in '" + text.substring(start) + "' is not evaluated there",
                        "Write '#{…}' outside of '${…}'.");
            }
            depth += depth(text.charAt(at));
            if (depth == 0) {
                return at;
            }
        }
        throw withoutEnd(start);
    }

    private static int depth(char c) {
        return c == '{' ? 1 : c == '}' ? -1 : 0;
    }

    private InvalidLeaseKeyException withoutEnd(int start) {
        return new InvalidLeaseKeyException("'" + text.substring(start) + "' is not closed", "Close it with '}'.");
    }
}
