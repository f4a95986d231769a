package io.leasekit;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The shape of the published code, read from its sources: short methods, few parameters, no class for one subclass. */
class CodeShapeTest {

    private static final int LONGEST_METHOD = 30;
    private static final int MOST_PARAMETERS = 7;

    private static final Path MODULES = Path.of("..");

    private static final List<String> longMethods = new ArrayList<>();
    private static final List<String> wideConstructors = new ArrayList<>();
    private static final List<String> abstractClasses = new ArrayList<>();
    private static final TreeMap<String, Integer> subclasses = new TreeMap<>();
    private static int methods;

    @BeforeAll
    static void read() throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            JavacTask task = (JavacTask) compiler.getTask(
                    null, files, null, List.of("-proc:none"), null, files.getJavaFileObjectsFromPaths(sources()));
            SourcePositions positions = Trees.instance(task).getSourcePositions();
            for (CompilationUnitTree unit : task.parse()) {
                new Reader(unit, positions).scan(unit, null);
            }
        }
    }

    private static List<Path> sources() throws IOException {
        try (Stream<Path> modules = Files.list(MODULES)) {
            return modules.filter(module -> module.getFileName().toString().startsWith("lease-"))
                    .map(module -> module.resolve("src/main/java"))
                    .filter(Files::isDirectory)
                    .flatMap(CodeShapeTest::javaFiles)
                    .toList();
        }
    }

    private static Stream<Path> javaFiles(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".java")).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final class Reader extends TreeScanner<Void, String> {

        private final CompilationUnitTree unit;
        private final SourcePositions positions;
        private final LineMap lines;
        private boolean inRecord;

        Reader(CompilationUnitTree unit, SourcePositions positions) {
            this.unit = unit;
            this.positions = positions;
            this.lines = unit.getLineMap();
        }

        @Override
        public Void visitClass(ClassTree type, String outer) {
            String name = type.getSimpleName().toString();
            if (type.getKind() == Tree.Kind.CLASS
                    && type.getModifiers().getFlags().contains(Modifier.ABSTRACT)) {
                abstractClasses.add(name);
            }
            if (type.getExtendsClause() != null) {
                String extended =
                        type.getExtendsClause().toString().replaceAll("<.*", "").replaceAll(".*\\.", "");
                subclasses.merge(extended, 1, Integer::sum);
            }
            boolean before = inRecord;
            inRecord = type.getKind() == Tree.Kind.RECORD;
            super.visitClass(type, name);
            inRecord = before;
            return null;
        }

        @Override
        public Void visitMethod(MethodTree method, String type) {
            methods++;
            String name = type + "." + method.getName();
            if (method.getBody() != null && length(method) > LONGEST_METHOD) {
                longMethods.add(name + " has " + length(method) + " lines");
            }
            boolean constructor = method.getReturnType() == null && !inRecord; // a record may have much data
            if (constructor && method.getParameters().size() > MOST_PARAMETERS) {
                wideConstructors.add(name + " has " + method.getParameters().size() + " parameters");
            }
            return super.visitMethod(method, type);
        }

        /** Returns the number of lines from the name to the closing brace, without annotations and documentation. */
        private long length(MethodTree method) {
            long end = positions.getEndPosition(unit, method.getBody());
            long begin = positions.getStartPosition(unit, method.getBody());
            return lines.getLineNumber(end) - lines.getLineNumber(begin) + 1;
        }
    }

    @Test
    void theSourcesWereRead() {
        assertThat(methods).isGreaterThan(2_000);
    }

    @Test
    void methodsAreShort() {
        assertThat(longMethods).isEmpty();
    }

    @Test
    void constructorsHaveFewParameters() {
        assertThat(wideConstructors).isEmpty();
    }

    @Test
    void noClassIsAbstractForOneSubclass() {
        assertThat(abstractClasses)
                .isNotEmpty()
                .allSatisfy(name -> assertThat(subclasses.getOrDefault(name, 0))
                        .as("subclasses of %s", name)
                        .isNotEqualTo(1));
    }
}
