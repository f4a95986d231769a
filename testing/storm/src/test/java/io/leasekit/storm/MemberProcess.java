package io.leasekit.storm;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A {@link Member} that runs. Its other output is printed. Used by one thread. */
final class MemberProcess implements AutoCloseable {

    private static final long PATIENCE_SECONDS = 600;

    private final String owner;
    private final Process process;
    private final Writer commands;
    private final Map<String, CompletableFuture<String>> answers = new ConcurrentHashMap<>();
    private final AtomicInteger numbers = new AtomicInteger();

    MemberProcess(String classPath, URI endpoint, String owner) throws IOException {
        this.owner = owner;
        this.process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx96m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        classPath,
                        Member.class.getName(),
                        endpoint.toString(),
                        owner))
                .redirectErrorStream(true)
                .start();
        this.commands = process.outputWriter(StandardCharsets.UTF_8);
        Thread reader = new Thread(this::read, "answers-of-" + owner);
        reader.setDaemon(true);
        reader.start();
    }

    private void read() {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] words = line.split(" ", 3);
                if (words[0].equals(Member.ANSWER)) {
                    answer(words[1]).complete(words[2]);
                } else {
                    System.out.println(owner + ": " + line);
                }
            }
        } catch (IOException e) {
            // killed
        }
        answers.values().forEach(open -> open.completeExceptionally(new IllegalStateException(owner + " has ended")));
    }

    private CompletableFuture<String> answer(String number) {
        return answers.computeIfAbsent(number, first -> new CompletableFuture<>());
    }

    /** Sends a command and does not wait for its answer. */
    CompletableFuture<String> send(String command) {
        String number = String.valueOf(numbers.incrementAndGet());
        try {
            commands.write(number + " " + command + "\n");
            commands.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return answer(number);
    }

    /** Sends a command and returns its answer. */
    String ask(String command) throws Exception {
        return within(send(command));
    }

    static String within(CompletableFuture<String> answer) throws Exception {
        return answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    String owner() {
        return owner;
    }

    /** Kills the process by SIGKILL. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    @Override
    public void close() throws InterruptedException {
        kill();
    }
}
