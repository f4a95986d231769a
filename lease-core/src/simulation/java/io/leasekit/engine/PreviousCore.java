package io.leasekit.engine;

import io.leasekit.LeaseManagerBuilder;
import io.leasekit.previous.PreviousVersion;
import io.leasekit.store.LeaseStore;
import io.leasekit.time.EngineTime;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/** The engine of the previous version, whose classes have a loader of their own. */
final class PreviousCore {

    private static final Path ROOT = Path.of("..");

    private final VersionBridge bridge;
    private final VersionBridge.Side previous;

    private PreviousCore(ClassLoader classes) {
        this.previous = new VersionBridge.Side(classes, Map.of());
        this.bridge =
                new VersionBridge(new VersionBridge.Side(PreviousCore.class.getClassLoader(), Map.of()), previous);
    }

    /** Returns empty if the git history does not have the previous version. */
    static Optional<PreviousCore> find() throws IOException, InterruptedException {
        Optional<PreviousVersion> version = PreviousVersion.find(ROOT);
        return version.isEmpty()
                ? Optional.empty()
                : Optional.of(new PreviousCore(new Loader(version.get().classes())));
    }

    /** Has the classes of the project from one folder only, and all others from this version's loader. */
    private static final class Loader extends URLClassLoader {

        Loader(Path folder) throws IOException {
            super(new URL[] {folder.toUri().toURL()}, PreviousCore.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("io.leasekit.")) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded == null ? findClass(name) : loaded;
            }
        }
    }

    /** The methods of its builder that the API does not have. */
    private interface Inner {
        void losses(Executor value);

        void sender(Executor value);

        void time(EngineTime value);

        void random(RandomGenerator value);
    }

    /** Returns a builder of a manager of the previous version; the executors take losses and requests. */
    LeaseManagerBuilder builder(
            LeaseStore store, Executor losses, Executor sender, EngineTime time, RandomGenerator random) {
        Object builder;
        try {
            builder = previous.find(EngineBuilder.class)
                    .orElseThrow()
                    .getConstructors()[0]
                    .newInstance(bridge.there(new PreviousPort(store)));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
        LeaseManagerBuilder carried = bridge.here(LeaseManagerBuilder.class, builder);
        Inner inner = VersionBridge.as(Inner.class, carried);
        inner.losses(losses);
        inner.sender(sender);
        inner.time(time);
        inner.random(random);
        return carried;
    }
}
