package io.leasekit.engine;

import io.leasekit.Progress;
import io.leasekit.ProgressCodec;
import io.leasekit.ProgressException;
import io.leasekit.kernel.EngineParts;
import io.leasekit.kernel.LeaseState;
import io.leasekit.records.ItemProgress;
import io.leasekit.requests.Requests;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/** The {@link Progress} object for the holder; {@link SavedProgress} contains its state. Thread-safe. */
final class HeldProgress<T> implements Progress<T> {

    private final LeaseState state;
    private final SavedProgress progress;
    private final ProgressCodec<T> codec;
    private final EngineParts parts;

    HeldProgress(LeaseState state, SavedProgress progress, ProgressCodec<T> codec, EngineParts parts) {
        this.state = state;
        this.progress = progress;
        this.codec = codec;
        this.parts = parts;
    }

    @Override
    public Optional<T> last() {
        byte[] before = progress.before();
        if (before == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(codec.decode(before));
        } catch (Exception | LinkageError e) {
            throw new ProgressException(
                    "Progress of lease " + name() + " (" + before.length + " bytes) cannot be decoded by "
                            + codec.getClass().getName() + "; it stays in the table",
                    e);
        }
    }

    @Override
    public void save(T value) {
        long patience = Math.max(Requests.TIMEOUT, parts.storeTimeout);
        parts.delivery.await(saved(value), patience, "the progress of lease " + name());
    }

    @Override
    public CompletionStage<Void> saveAsync(T value) {
        return parts.delivery.stage(saved(value));
    }

    private CompletableFuture<Void> saved(T value) {
        byte[] data = encoded(value);
        progress.byRenewals("save", name());
        CompletableFuture<Void> saved = new CompletableFuture<>();
        state.change(() -> progress.give(data, saved), saved::completeExceptionally);
        return saved;
    }

    @Override
    public void note(T value) {
        byte[] data = encoded(value);
        if (state.isGivenBack()) {
            throw state.notValid();
        }
        progress.byRenewals("note", name());
        state.change(() -> progress.give(data, null), notValid -> {});
    }

    @Override
    public TransactWriteItem update(T value) {
        byte[] data = encoded(value);
        if (!state.validity().isValid()) {
            throw state.notValid();
        }
        return progress.byTransactions(() -> part(data), name());
    }

    private TransactWriteItem part(byte[] data) {
        return parts.path
                .store()
                .info()
                .conditionChecks()
                .edit(
                        state.spec.item(),
                        state.token(),
                        state.tenure().toString(),
                        new ItemProgress(state.spec.once(), data, nowMillis()).edits());
    }

    private long nowMillis() {
        return state.acquiredAt().toEpochMilli() + state.heldFor().toMillis();
    }

    private byte[] encoded(T value) {
        if (value == null) {
            throw new ProgressException(
                    "Progress of lease " + name() + " is null, expected a value; nothing was written", null);
        }
        byte @Nullable [] data;
        try {
            data = codec.encode(value);
        } catch (Exception | LinkageError e) {
            throw new ProgressException(
                    "Value of type " + value.getClass().getName() + " for the progress of lease " + name()
                            + " cannot be encoded by " + codec.getClass().getName() + "; nothing was written",
                    e);
        }
        if (data == null) {
            throw new ProgressException(
                    codec.getClass().getName() + " has encoded the progress of lease " + name()
                            + " as null, expected bytes; nothing was written",
                    null);
        }
        if (data.length > MAX_BYTES) {
            throw new ProgressException(
                    "Progress of lease " + name() + " has " + data.length + " bytes, expected at most " + MAX_BYTES
                            + ": save a position, and keep data in a table of its own; nothing was written",
                    null);
        }
        return data.clone();
    }

    private String name() {
        return state.spec.name();
    }
}
