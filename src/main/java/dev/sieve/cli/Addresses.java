package dev.sieve.cli;

import dev.sieve.fetch.Resolver;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** Addresses that the user names, before the system is asked. */
final class Addresses {
    /** What can only be an address, so that no name is looked up while options are read. */
    private static final Pattern LITERAL = Pattern.compile("[0-9.]+|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*");

    private Addresses() {}

    /**
     * A resolver that knows some hosts, each given as {@code host=address}, or {@code .domain=address} for all hosts
     * below a domain, and asks the system for the others.
     *
     * @throws IllegalArgumentException when one is not of this form
     */
    static Resolver of(List<String> entries) {
        Map<String, InetAddress> known = new HashMap<>();
        entries.forEach(entry -> add(known, entry));
        return host -> {
            String name = host.toLowerCase(Locale.ROOT);
            InetAddress address = known.get(name);
            for (int dot = name.indexOf('.'); address == null && dot >= 0; dot = name.indexOf('.', dot + 1)) {
                address = known.get(name.substring(dot));
            }
            return address == null ? List.of(InetAddress.getAllByName(host)) : List.of(address);
        };
    }

    private static void add(Map<String, InetAddress> known, String entry) {
        InetAddress address = address(entry);
        known.put(entry.substring(0, entry.indexOf('=')).toLowerCase(Locale.ROOT), address);
    }

    /**
     * The address in {@code host=address}.
     *
     * @throws IllegalArgumentException when the entry is not of this form
     */
    static InetAddress address(String entry) {
        int equals = entry.indexOf('=');
        String address = entry.substring(equals + 1);
        if (equals < 1 || !LITERAL.matcher(address).matches()) {
            throw new IllegalArgumentException("not of the form host=address: " + entry);
        }
        try {
            return InetAddress.getByName(address);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("not an IP address: " + address, e);
        }
    }
}
