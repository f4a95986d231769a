package io.leasekit.spring.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.SpringVersion;
import org.springframework.scheduling.config.ScheduledTask;
import org.springframework.util.ClassUtils;

/** The fields of Spring that the slots of firings need, and the memory of log lines that were written. */
@ExtendWith(OutputCaptureExtension.class)
class SpringFieldTest {

    @Test
    void thisVersionOfSpringHasTheFields(CapturedOutput output) {
        Class<?> wrapper =
                ClassUtils.resolveClassName(FiringTasks.WRAPPER, getClass().getClassLoader());

        assertThat(SpringField.find(ScheduledTask.class, FiringTasks.FUTURE, "").isReadable())
                .isTrue();
        assertThat(SpringField.find(wrapper, FiringTasks.WRAPPED, "").isReadable())
                .isTrue();
        assertThat(output).doesNotContain("cannot be read");
    }

    @Test
    void aMissingFieldHasNoValueAndIsWarnedOf(CapturedOutput output) {
        SpringField missing = SpringField.find(ScheduledTask.class, "nope", "slots may be those of another task");

        assertThat(missing.isReadable()).isFalse();
        assertThat(missing.valueIn(new Object())).isNull();
        assertThat(output)
                .contains("Field 'nope' of org.springframework.scheduling.config.ScheduledTask cannot be read, expected"
                        + " as in Spring 6.2 and 7.0, found Spring " + SpringVersion.getVersion()
                        + ": slots may be those of another task");
    }

    @Test
    void keysOfLogLinesAreNotRememberedForEver() throws NoSuchMethodException {
        TaskSlots slots = TaskSlots.of(
                getClass().getDeclaredMethod("keysOfLogLinesAreNotRememberedForEver"),
                getClass(),
                new DefaultListableBeanFactory(),
                name -> Clock.systemUTC());

        assertThat(slots.isFirstDisagreement("key")).isTrue();
        assertThat(slots.isFirstDisagreement("key")).isFalse();
        assertThat(slots.isFirstSkip("key", "run")).isTrue();
        assertThat(slots.isFirstSkip("key", "run")).isFalse();
        for (int i = 0; i < 1000; i++) {
            assertThat(slots.isFirstDisagreement("key-" + i)).isTrue();
            assertThat(slots.isFirstSkip("key-" + i, "run")).isTrue();
        }
        assertThat(slots.isFirstDisagreement("key")).as("forgotten").isTrue();
        assertThat(slots.isFirstSkip("key", "run")).as("forgotten").isTrue();
    }
}
