package io.leasekit.dynamodb.local;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Command that runs a class of this class path in another JVM of the same JDK.
 *
 * <p>{@code java.class.path} is complete under an IDE, {@code spring-boot:run}, Surefire and Failsafe, which set the
 * real entries even if they start from a manifest-only jar. In an executable Spring Boot jar, the classes are in nested
 * jars that only its launcher can open.
 */
final class JavaCommand {

    private static final String BOOT_LAUNCHER = "org.springframework.boot.loader.launch.PropertiesLauncher";

    private JavaCommand() {}

    static List<String> of(Class<?> main, List<String> args) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvmOptions());
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        if (isNested(main)) {
            command.add("-Dloader.main=" + main.getName());
            command.add(BOOT_LAUNCHER);
        } else {
            command.add(main.getName());
        }
        command.addAll(args);
        return command;
    }

    /**
     * Wraps a command so that Ctrl-C in the terminal of this process, or closing that terminal, does not end it. Both
     * signals reach every process that was started there. A JVM keeps ignoring signals that were ignored when it
     * started. On Windows, which has no such shell, the command is returned unchanged.
     */
    static List<String> outlivingTerminal(List<String> command) {
        if (File.separatorChar == '\\') {
            return command;
        }
        List<String> wrapped = new ArrayList<>(List.of("/bin/sh", "-c", "trap '' INT HUP; exec \"$@\"", "sh"));
        wrapped.addAll(command);
        return wrapped;
    }

    private static List<String> jvmOptions() {
        List<String> options = new ArrayList<>(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        options.add("-Djava.awt.headless=true");
        if (Runtime.version().feature() >= 22) {
            options.add("--enable-native-access=ALL-UNNAMED");
        }
        return options;
    }

    private static boolean isNested(Class<?> main) {
        return main.getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toString()
                .startsWith("jar:nested:");
    }
}
