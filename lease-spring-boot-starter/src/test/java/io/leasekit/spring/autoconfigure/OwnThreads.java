package io.leasekit.spring.autoconfigure;

import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Tests which threads an application starts. Threads of other tests may start and end meanwhile. */
final class OwnThreads {

    private OwnThreads() {}

    /**
     * Runs the test in a thread group of its own. The argument of {@code test} returns the names of the threads that
     * were started in this group and are alive.
     */
    static void test(Consumer<Supplier<Set<String>>> test) throws Exception {
        ThreadGroup own = new ThreadGroup("own");
        FutureTask<Void> task = new FutureTask<>(() -> test.accept(() -> started(own)), null);
        new Thread(own, task).start();
        task.get();
    }

    private static Set<String> started(ThreadGroup own) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread != Thread.currentThread() && own.equals(thread.getThreadGroup()))
                .map(Thread::getName)
                .collect(Collectors.toSet());
    }
}
