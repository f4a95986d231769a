package io.leasekit.docs;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import io.leasekit.store.CommandEffect;
import io.leasekit.store.ItemProgress;
import io.leasekit.store.ItemRun;
import io.leasekit.store.LeaseCommand;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.LeaseStore;
import io.leasekit.store.StoreInfo;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreRequest;
import io.leasekit.test.LeaseStoreContract;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;

/** The examples of {@code docs/own-store.md}. */
class OwnStoreExamples {

    // store
    /** Keeps leases in one file, for the processes of one machine. */
    static final class FileLeaseStore implements LeaseStore {

        private static final ReentrantLock THREADS = new ReentrantLock(); // a file lock excludes processes, not threads
        private static final ItemRun NO_RUN = new ItemRun(null, null, null, null, null);
        private static final ItemProgress NO_PROGRESS = new ItemProgress(null, new byte[0], null);

        private final Path file;

        FileLeaseStore(Path file) {
            this.file = file;
        }

        @Override
        public CompletionStage<StoreReply> send(StoreRequest request, Duration timeout) {
            StoreReply late = unknown(new TimeoutException("No reply within " + timeout));
            return CompletableFuture.supplyAsync(() -> answer(request)) // in a daemon thread, as sending must not block
                    .completeOnTimeout(late, timeout.toNanos(), TimeUnit.NANOSECONDS);
        }

        private StoreReply answer(StoreRequest request) {
            try {
                return exclusively(items -> reply(request, items));
            } catch (IOException | RuntimeException e) {
                return unknown(e); // the file may have been moved before the failure
            }
        }

        private static StoreReply unknown(Exception cause) {
            return new StoreReply.Failed(StoreReply.FailureKind.UNKNOWN, cause, null, false);
        }

        @Override
        public StoreInfo info() {
            return new StoreInfo("'" + file + "'").withoutBatches();
        }

        /** Reads all items, applies the action, and replaces the file if the action has changed them. */
        <T> T exclusively(Function<TreeMap<String, LeaseItem>, T> action) throws IOException {
            Path lockFile = file.resolveSibling(file.getFileName() + ".lock");
            THREADS.lock();
            try (FileChannel channel = FileChannel.open(lockFile, CREATE, WRITE)) {
                channel.lock(); // until the channel is closed
                TreeMap<String, LeaseItem> before = read();
                TreeMap<String, LeaseItem> items = new TreeMap<>(before);
                T result = action.apply(items);
                if (!items.equals(before)) {
                    write(items);
                }
                return result;
            } finally {
                THREADS.unlock();
            }
        }

        private TreeMap<String, LeaseItem> read() throws IOException {
            TreeMap<String, LeaseItem> items = new TreeMap<>();
            for (String line : Files.exists(file) ? Files.readAllLines(file) : List.<String>of()) {
                LeaseItem item = item(line);
                items.put(item.key(), item);
            }
            return items;
        }

        private void write(TreeMap<String, LeaseItem> items) throws IOException {
            Path fresh = file.resolveSibling(file.getFileName() + ".new");
            Files.write(fresh, items.values().stream().map(FileLeaseStore::line).toList());
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
        }

        private static StoreReply reply(StoreRequest request, TreeMap<String, LeaseItem> items) {
            Instant date = Instant.now().truncatedTo(ChronoUnit.SECONDS);
            if (request instanceof StoreRequest.Write write) {
                return applied(write.command(), items, date);
            }
            if (request instanceof StoreRequest.Transaction transaction) {
                return allApplied(transaction.commands(), items, date);
            }
            if (request instanceof StoreRequest.Read read) {
                return new StoreReply.Found(items.get(read.key()), date);
            }
            if (request instanceof StoreRequest.ReadEach reads) {
                List<LeaseItem> found = items.values().stream()
                        .filter(item -> reads.keys().contains(item.key()))
                        .toList();
                return new StoreReply.FoundEach(found, List.of(), date, null);
            }
            return listed((StoreRequest.Scan) request, items, date);
        }

        private static StoreReply applied(LeaseCommand command, TreeMap<String, LeaseItem> items, Instant date) {
            CommandEffect effect = CommandEffect.of(command, items.get(command.key()), date);
            items.compute(command.key(), (key, before) -> effect.after());
            return effect.reply();
        }

        private static StoreReply allApplied(
                List<LeaseCommand> commands, TreeMap<String, LeaseItem> items, Instant date) {
            List<StoreReply.Refusal> refusals = commands.stream()
                    .filter(command -> !CommandEffect.of(command, items.get(command.key()), date)
                            .isApplied())
                    .map(command -> new StoreReply.Refusal(command.key(), items.get(command.key())))
                    .toList();
            if (!refusals.isEmpty()) {
                return new StoreReply.GroupRefused(refusals, date, false);
            }
            commands.forEach(command -> applied(command, items, date));
            return new StoreReply.Applied(null, date, false);
        }

        private static StoreReply listed(StoreRequest.Scan scan, TreeMap<String, LeaseItem> items, Instant date) {
            List<LeaseItem> page = (scan.after() == null ? items : items.tailMap(scan.after(), false))
                    .values().stream().limit(scan.limit()).toList();
            LeaseItem last = page.size() < scan.limit() ? null : page.get(page.size() - 1);
            List<LeaseItem> found = page.stream()
                    .filter(item -> item.version() != null && item.key().startsWith(scan.prefix()))
                    .toList();
            return new StoreReply.Listed(found, List.of(), last == null ? null : last.key(), date, null);
        }

        private static String line(LeaseItem i) {
            ItemRun run = i.lastRun() == null ? NO_RUN : i.lastRun();
            ItemProgress p = i.progress() == null ? NO_PROGRESS : i.progress();
            return Stream.of(
                            Arrays.asList(i.key(), i.version(), i.expiry(), i.durationMillis(), i.token(), i.owner()),
                            Arrays.asList(i.acquiredAtMillis(), i.releasedAtMillis(), i.waitingSinceMillis()),
                            Arrays.asList(i.permits(), i.pauses(), i.application(), i.keptUntil(), i.history()),
                            Arrays.asList(run.name(), run.owner(), run.begunAt(), run.outcome(), run.duration()),
                            Arrays.asList(p.run(), p.savedAtMillis(), new String(p.data(), ISO_8859_1)))
                    .flatMap(List::stream)
                    .map(value -> value == null ? "" : "=" + URLEncoder.encode("" + value, UTF_8))
                    .collect(Collectors.joining("\t"));
        }

        private static LeaseItem item(String line) {
            String[] v = Stream.of(line.split("\t", -1))
                    .map(text -> text.isEmpty() ? null : URLDecoder.decode(text.substring(1), UTF_8))
                    .toArray(String[]::new);
            Instant begun = v[16] == null ? null : Instant.parse(v[16]);
            ItemRun run = new ItemRun(v[14], v[15], begun, v[17], v[18] == null ? null : Duration.parse(v[18]));
            Long[] n = Stream.of(v[2], v[3], v[4], v[6], v[7], v[8], v[9], v[12], v[20])
                    .map(text -> text == null ? null : Long.valueOf(text))
                    .toArray(Long[]::new);
            ItemRun last = run.equals(NO_RUN) ? null : run;
            ItemProgress p = n[8] == null ? null : new ItemProgress(v[19], v[21].getBytes(ISO_8859_1), n[8]);
            return new LeaseItem(
                    v[0], v[1], n[0], n[1], n[2], v[5], n[3], n[4], n[5], last, n[6], v[10], v[11], n[7], p, v[13]);
        }
    }
    // end

    // contract
    /** The store keeps the contract. */
    static class FileLeaseStoreTest extends LeaseStoreContract {

        @TempDir
        Path folder;

        @Override
        protected FileLeaseStore store() {
            return new FileLeaseStore(folder.resolve("leases"));
        }

        @Override
        protected void put(LeaseItem item) {
            try {
                store().exclusively(items -> items.put(item.key(), item));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        protected Instant now() {
            return Instant.now();
        }
    }
    // end
}
