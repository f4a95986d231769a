package io.leasekit.spring.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.StackWalker.StackFrame;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.support.ScheduledMethodRunnable;
import org.springframework.util.ReflectionUtils;

/** Stacks of threads, from the innermost frame on. */
class FiringStackTest {

    private final FiringStack stack = FiringStack.of(ReflectionUtils.findMethod(Job.class, "run"), Job.class);

    /** A frame as in a native image, where it has neither descriptor nor type of its method. */
    private record Frame(Class<?> getDeclaringClass, String getMethodName) implements StackFrame {

        @Override
        public String getClassName() {
            return getDeclaringClass.getName();
        }

        @Override
        public Class<?> getDeclaringClass() {
            return getDeclaringClass;
        }

        @Override
        public int getByteCodeIndex() {
            return -1;
        }

        @Override
        public String getFileName() {
            return null;
        }

        @Override
        public int getLineNumber() {
            return -1;
        }

        @Override
        public boolean isNativeMethod() {
            return false;
        }

        @Override
        public StackTraceElement toStackTraceElement() {
            throw new UnsupportedOperationException();
        }
    }

    @Test
    void framesOfANativeImageTellEnough() {
        Frame scheduler = new Frame(ScheduledMethodRunnable.class, "run");

        assertThat(stack.isFiring(Stream.of(new Frame(Job.class, "run"), scheduler)))
                .isTrue();
        assertThat(stack.isFiring(Stream.of(new Frame(Job.class, "run"), new Frame(OtherJob.class, "run"), scheduler)))
                .isFalse();
        assertThat(stack.isFiring(
                        Stream.of(new Frame(Job.class, "run"), new Frame(OtherJob.class, "notScheduled"), scheduler)))
                .isTrue();
    }

    static class Job {

        @Scheduled(cron = "@daily")
        public void run() {}
    }

    static class OtherJob {

        @Scheduled(fixedDelay = 1)
        public void run() {}

        public void notScheduled() {}
    }
}
