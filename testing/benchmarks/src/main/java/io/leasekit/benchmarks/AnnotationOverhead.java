package io.leasekit.benchmarks;

import io.leasekit.LeaseManager;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.springframework.context.ConfigurableApplicationContext;

/** Annotated calls without a network: the stores are in memory. Public, because JMH's generated classes extend and call it. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class AnnotationOverhead {

    private @Nullable ConfigurableApplicationContext leasekit;
    private @Nullable ConfigurableApplicationContext shedLock;
    private LeasekitJobs leasekitJobs = new LeasekitJobs();
    private ShedLockJobs shedLockJobs = new ShedLockJobs();
    private @Nullable LeaseManager leases;

    /** Starts the applications. */
    @Setup(Level.Trial)
    public void start() {
        leasekit = Applications.start(Applications.LeasekitInMemory.class, Map.of());
        shedLock = Applications.start(Applications.ShedLockInMemory.class, Map.of("lease.enabled", "false"));
        leasekitJobs = leasekit.getBean(LeasekitJobs.class);
        shedLockJobs = shedLock.getBean(ShedLockJobs.class);
        leases = leasekit.getBean(LeaseManager.class);
    }

    /** Ends them. */
    @TearDown(Level.Trial)
    public void close() {
        if (leasekit != null) {
            leasekit.close();
        }
        if (shedLock != null) {
            shedLock.close();
        }
    }

    /** The engine alone: an acquire and a release. */
    @Benchmark
    public boolean engine() {
        if (leases == null) {
            throw new IllegalStateException("Not started");
        }
        leases.run("engine", () -> {});
        return true;
    }

    /** A literal key. */
    @Benchmark
    public int leasekitLiteral() {
        return leasekitJobs.literal();
    }

    /** A key with an expression. */
    @Benchmark
    public int leasekitExpression() {
        return leasekitJobs.expression("42");
    }

    /** A literal name. */
    @Benchmark
    public boolean shedLockLiteral() {
        shedLockJobs.literal();
        return true;
    }

    /** A name with an expression. */
    @Benchmark
    public boolean shedLockExpression() {
        shedLockJobs.expression("42");
        return true;
    }
}
