package io.leasekit.store;

import io.leasekit.internal.Internal;

/**
 * The versions that one acquire and the renewals of its lease may have written, from {@code first} to {@code last},
 * both inclusive. Versions are compared as strings, byte by byte. The range is never empty, because DynamoDB rejects a
 * {@code BETWEEN} whose bounds are reversed.
 */
@Internal
public record VersionRange(String first, String last) {

    public VersionRange {
        if (first.compareTo(last) > 0) {
            throw new IllegalArgumentException(
                    "Version range begins at '" + first + "', expected at most '" + last + "'");
        }
    }

    public boolean contains(String version) {
        return first.compareTo(version) <= 0 && version.compareTo(last) <= 0;
    }
}
