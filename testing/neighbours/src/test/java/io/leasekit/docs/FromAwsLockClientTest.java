package io.leasekit.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.amazonaws.services.dynamodbv2.AcquireLockOptions;
import com.amazonaws.services.dynamodbv2.AmazonDynamoDBLockClient;
import com.amazonaws.services.dynamodbv2.AmazonDynamoDBLockClientOptions;
import com.amazonaws.services.dynamodbv2.CreateDynamoDBTableOptions;
import com.amazonaws.services.dynamodbv2.GetLockOptions;
import com.amazonaws.services.dynamodbv2.LockItem;
import com.amazonaws.services.dynamodbv2.ReleaseLockOptions;
import com.amazonaws.services.dynamodbv2.SendHeartbeatOptions;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** docs/coming-from.md has every option and every method of the lock client. */
class FromAwsLockClientTest {

    private static final Path PAGE = Path.of("../../docs/coming-from.md");

    @ParameterizedTest
    @ValueSource(
            classes = {
                AmazonDynamoDBLockClientOptions.AmazonDynamoDBLockClientOptionsBuilder.class,
                AcquireLockOptions.AcquireLockOptionsBuilder.class,
                SendHeartbeatOptions.SendHeartbeatOptionsBuilder.class,
                ReleaseLockOptions.ReleaseLockOptionsBuilder.class,
                GetLockOptions.GetLockOptionsBuilder.class,
                CreateDynamoDBTableOptions.CreateDynamoDBTableOptionsBuilder.class,
                AmazonDynamoDBLockClient.class,
                LockItem.class
            })
    void everyOptionAndMethodOfATypeIsInATableOfThePage(Class<?> type) throws IOException {
        String rows = String.join(
                "\n",
                Files.readAllLines(PAGE).stream()
                        .filter(line -> line.startsWith("|"))
                        .map(line -> line.split("\\|")[1]) // the lock client's column
                        .toList());

        assertThat(names(type))
                .isNotEmpty()
                .allSatisfy(name -> assertThat(rows).containsPattern("\\b" + Pattern.quote(name) + "\\b"));
    }

    private static Stream<String> names(Class<?> type) {
        return Arrays.stream(type.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()) && !method.isSynthetic())
                .map(Method::getName)
                .filter(name -> !name.matches("build|toString|hashCode|equals"))
                .distinct();
    }
}
