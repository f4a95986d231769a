package io.leasekit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Creates owner names that show, in logs and on displays, to which process an owner belongs. Never queries a name
 * service such as DNS. Stateless, so thread-safe.
 */
public final class OwnerNames {

    private static final Path HOSTNAME_FILE = Path.of("/etc/hostname");

    private OwnerNames() {}

    /**
     * Returns {@code application@host/pid-4hex}. {@code 4hex} stands for four hexadecimal digits, which each call
     * chooses at random. Never throws.
     */
    public static String of(String application) {
        return String.format(
                Locale.ROOT,
                "%s@%s/%d-%04x",
                application,
                host(),
                ProcessHandle.current().pid(),
                ThreadLocalRandom.current().nextInt(0x10000));
    }

    private static String host() {
        for (String variable : new String[] {"HOSTNAME", "COMPUTERNAME"}) {
            String value = System.getenv(variable);
            if (value != null && !value.isBlank()) {
                return value.strip();
            }
        }
        try {
            String name = Files.readString(HOSTNAME_FILE).strip();
            return name.isEmpty() ? "localhost" : name;
        } catch (IOException e) {
            return "localhost";
        }
    }
}
