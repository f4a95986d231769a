package io.leasekit.store;

/**
 * The versions that one tenure may have written, from {@code first} to {@code last}, both included; compared as strings,
 * byte by byte. Its size is constant however many there are.
 *
 * @param first the smallest version in the range
 * @param last the largest version in the range
 */
public record VersionRange(String first, String last) {

    /** Returns whether the version lies in the range. */
    public boolean contains(String version) {
        return first.compareTo(version) <= 0 && version.compareTo(last) <= 0;
    }
}
