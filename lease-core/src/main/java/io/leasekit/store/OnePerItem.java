package io.leasekit.store;

import io.leasekit.internal.Text;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The common check of requests with several commands. */
final class OnePerItem {

    private OnePerItem() {}

    /**
     * Copies the commands.
     *
     * @param request the kind of request, for errors
     * @param plural the kind of commands, for errors
     * @throws IllegalArgumentException if there is no command, if there are more than {@code max}, or if two have the same key
     */
    static <C extends LeaseCommand> List<C> copyOf(List<C> commands, int max, String request, String plural) {
        List<C> copy = List.copyOf(commands);
        if (copy.isEmpty() || copy.size() > max) {
            throw new IllegalArgumentException(
                    request + " has " + copy.size() + " " + plural + ", expected from 1 to " + max);
        }
        Set<String> keys = new HashSet<>();
        for (C command : copy) {
            if (!keys.add(command.key())) {
                throw new IllegalArgumentException(request + " has two " + plural + " for the item of key "
                        + Text.quote(command.key()) + ", expected one for each item");
            }
        }
        return copy;
    }
}
