package io.leasekit.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.leasekit.fuzz.Draws;
import io.leasekit.store.AcquireCommand;
import io.leasekit.store.Edits;
import io.leasekit.store.LeaseCommand;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.MarkCommand;
import io.leasekit.store.ReleaseCommand;
import io.leasekit.store.RenewCommand;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreRequest;
import io.leasekit.store.VersionRange;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Replies to requests, with any content: no write counts as applied that was not, and none as refused that may have been. */
class RepliesFuzzTest {

    @Test
    @Tag("each-build")
    void theSameRepliesInEachBuild() {
        Draws.deterministic(2_000, Target::check);
    }

    @FuzzTest
    void aReplyTellsNoMoreThanWasAnswered(byte[] data) {
        Target.check(data);
    }

    /** Apart from the test: see {@link Draws}. */
    private static final class Target {

        static void check(byte[] data) {
            Draws draws = new Draws(data);
            StoreRequest request = request(draws);
            ForeignReplies server = new ForeignReplies(request, draws);
            StoreReply reply = DynamoDbLeaseStore.create(server, "leases")
                    .send(request, Duration.ofSeconds(2))
                    .toCompletableFuture()
                    .join();

            assertThat(reply.toString()).isNotEmpty();
            assertThat(isWrite(request) && reply.isSurelyNotWritten() && !reply.resent() && server.mayHaveWritten())
                    .as("surely not written by %s", reply)
                    .isFalse();
            if (reply instanceof StoreReply.Applied) {
                assertThat(server.hasWritten()).as("applied by %s", reply).isTrue();
            } else if (reply instanceof StoreReply.Each each) {
                assertThat(each.replies()).hasSameSizeAs(request.keys());
                IntStream.range(0, request.keys().size())
                        .forEach(i -> assertPart(each.replies().get(i), i, server));
            } else if (reply instanceof StoreReply.GroupRefused refused) {
                assertThat(refused.refusals()).isNotEmpty().allSatisfy(refusal -> {
                    assertThat(request.keys()).contains(refusal.key());
                    assertItem(refusal.item(), refusal.key());
                });
            } else if (reply instanceof StoreReply.Refused refused) {
                assertItem(refused.item(), request.keys().get(0));
            } else if (reply instanceof StoreReply.Found found) {
                assertThat(server.hasAnswered()).isTrue();
                assertItem(found.item(), request.keys().get(0));
            } else if (reply instanceof StoreReply.FoundEach found) {
                assertThat(server.hasAnswered()).isTrue();
                assertThat(request.keys()).containsAll(found.unread()).containsAll(found.malformed());
            }
        }

        private static void assertPart(StoreReply reply, int part, ForeignReplies server) {
            assertThat(reply instanceof StoreReply.Applied).isEqualTo(server.hasWritten(part));
            assertThat(reply.isSurelyNotWritten() && !reply.resent() && server.mayHaveWritten(part))
                    .as("part %d surely not written by %s", part, reply)
                    .isFalse();
        }

        private static void assertItem(LeaseItem item, String key) {
            if (item != null) {
                assertThat(item.key()).isEqualTo(key);
            }
        }

        private static boolean isWrite(StoreRequest request) {
            return request instanceof StoreRequest.Write || request instanceof StoreRequest.Transaction;
        }

        private static StoreRequest request(Draws draws) {
            return switch (draws.below(6)) {
                case 0 ->
                    new StoreRequest.Write(draws.of(acquire("a"), renew("a"), release("a"), new MarkCommand("a", 7)));
                case 1 -> new StoreRequest.Transaction(List.<LeaseCommand>of(acquire("a"), acquire("b")));
                case 2 -> new StoreRequest.Batch(List.<LeaseCommand>of(renew("a"), renew("b"), release("c")));
                case 3 -> new StoreRequest.Read("a");
                case 4 -> new StoreRequest.ReadEach(List.of("a", "b"));
                default -> new StoreRequest.Scan("", 10, null);
            };
        }

        private static AcquireCommand acquire(String key) {
            return new AcquireCommand(key, "v-1", 1, 2, 3, "here", 4, null, null, null, null, Edits.NONE);
        }

        private static RenewCommand renew(String key) {
            return new RenewCommand(key, "v-2", 1, 2, new VersionRange("v-1", "v-1"), Edits.NONE);
        }

        private static ReleaseCommand release(String key) {
            return new ReleaseCommand(
                    key, new VersionRange("v-1", "v-2"), null, new ReleaseCommand.Retain(1, 2), Edits.NONE);
        }
    }
}
