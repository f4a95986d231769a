package io.leasekit.previous;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import javax.tools.ToolProvider;

/**
 * The core's previous version, compiled from the git history: that of the newest tag before this commit; while there is none,
 * that of a commit which the build names.
 *
 * @param commit its commit
 * @param classes the folder of its classes, whose name is the commit
 */
public record PreviousVersion(String commit, Path classes) {

    /** Why tests are skipped without a previous version. {@code .ci/run} accepts this reason and no other. */
    public static final String ABSENT = "the previous version is not in the git history";

    public static final String SOURCES = "lease-core/src/main/java";

    private static final String IN_THE_CORE = "io.leasekit.LeaseManager"; // no dependency: its tests use this module

    /**
     * Returns the previous version that the build names; empty if the git history does not have it. For tests, whose
     * working folder is that of their module.
     *
     * @param root the folder of the project
     */
    public static Optional<PreviousVersion> find(Path root) throws IOException, InterruptedException {
        return find(root, Path.of("target", "previous"), System.getProperty("leasekit.previous.commit", ""));
    }

    /**
     * Returns the previous version; empty if there is no git history, or if it does not have that version.
     *
     * @param root the folder of the project
     * @param work the folder for the classes of all previous versions
     * @param untagged the commit while no earlier version is tagged; empty for none
     * @throws IllegalStateException if its sources do not compile
     */
    public static Optional<PreviousVersion> find(Path root, Path work, String untagged)
            throws IOException, InterruptedException {
        String version = git(
                        root,
                        "tag",
                        "--merged",
                        "HEAD",
                        "--no-contains",
                        "HEAD",
                        "--sort=-v:refname",
                        "--list",
                        "v[0-9]*")
                .lines()
                .findFirst()
                .orElse(untagged);
        String commit = git(root, "rev-parse", "--verify", "--quiet", version + "^{commit}");
        String sources = git(root, "rev-parse", "--verify", "--quiet", version + ":./" + SOURCES);
        if (version.isEmpty() || commit.isEmpty() || sources.isEmpty()) {
            return Optional.empty();
        }
        Path classes = work.toAbsolutePath().resolve(commit);
        if (!Files.isDirectory(classes)) {
            compile(root, sources, classes);
        }
        return Optional.of(new PreviousVersion(commit, classes));
    }

    /** Returns the output of a git command; empty if it fails or git is not installed. */
    private static String git(Path folder, String... arguments) throws IOException, InterruptedException {
        Process process;
        try {
            process = new ProcessBuilder(Stream.concat(Stream.of("git"), Stream.of(arguments))
                            .toList())
                    .directory(folder.toFile())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            return ""; // not installed
        }
        try (InputStream output = process.getInputStream()) {
            String text = new String(output.readAllBytes(), StandardCharsets.UTF_8).strip();
            return process.waitFor() == 0 ? text : "";
        }
    }

    /** {@code tree}: the git object of the sources. */
    private static void compile(Path root, String tree, Path classes) throws IOException, InterruptedException {
        Path scratch = Files.createTempDirectory(Files.createDirectories(classes.getParent()), "compile");
        Path fresh = Files.createDirectory(scratch.resolve("classes"));
        Path zip = scratch.resolve("sources.zip");
        git(root, "archive", "--format=zip", "--output=" + zip, tree);
        List<String> arguments = new ArrayList<>(
                List.of("-d", fresh.toString(), "-cp", others(), "-proc:none", "-nowarn", "-encoding", "UTF-8"));
        arguments.addAll(extract(zip, scratch.resolve("sources")));
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        if (ToolProvider.getSystemJavaCompiler().run(null, errors, errors, arguments.toArray(String[]::new)) != 0) {
            throw new IllegalStateException(
                    "The previous version does not compile:\n" + errors.toString(StandardCharsets.UTF_8));
        }
        try {
            Files.move(fresh, classes, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileSystemException e) {
            if (!Files.isDirectory(classes)) { // otherwise another process was faster
                throw e;
            }
        }
    }

    /** Returns the extracted sources. */
    private static List<String> extract(Path zip, Path folder) throws IOException {
        List<String> sources = new ArrayList<>();
        try (ZipFile files = new ZipFile(zip.toFile())) {
            for (Enumeration<? extends ZipEntry> all = files.entries(); all.hasMoreElements(); ) {
                ZipEntry file = all.nextElement();
                if (file.getName().endsWith(".java")) {
                    Path source = folder.resolve(file.getName());
                    Files.createDirectories(source.getParent());
                    Files.copy(files.getInputStream(file), source);
                    sources.add(source.toString());
                }
            }
        }
        return sources;
    }

    /** Returns the class path of this process. */
    public static String presentClassPath() {
        return System.getProperty("java.class.path");
    }

    /** Returns the class path of a process that runs the previous core, and all else of this process. */
    public String classPath() {
        return classes + File.pathSeparator + others();
    }

    /** Returns the class path without the core. */
    private static String others() {
        Path core = core();
        return Stream.of(presentClassPath().split(File.pathSeparator))
                .filter(entry -> !Path.of(entry).toAbsolutePath().equals(core))
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** Returns the folder or jar of the core that this process runs. */
    public static Path core() {
        try {
            return Path.of(Class.forName(IN_THE_CORE)
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toAbsolutePath();
        } catch (ClassNotFoundException | URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
