package dev.sieve.fuzz;

import java.util.ArrayList;
import java.util.List;

/** IPv6 addresses by RFC 4291, section 2.2, and RFC 5952, written as directly as possible: groups as lists of numbers. */
final class Ipv6 {
    private Ipv6() {}

    /** Returns the canonical spelling of the address in a URL, in brackets; null when it is not valid. */
    static String spell(String url) {
        String address =
                url.replaceAll("[\t\n\r]", "").replaceFirst("(?s)^.*?\\[", "").replaceFirst("(?s)].*", "");
        String[] halves = address.split("::", -1);
        if (halves.length > 2) {
            return null;
        }
        List<Integer> groups = groups(halves[0], halves.length == 1);
        if (groups == null) {
            return null;
        }
        if (halves.length == 2) {
            List<Integer> end = groups(halves[1], true);
            if (end == null || groups.size() + end.size() > 7) {
                return null;
            }
            while (groups.size() + end.size() < 8) {
                groups.add(0);
            }
            groups.addAll(end);
        }
        return groups.size() == 8 ? "[" + spell(groups) + "]" : null;
    }

    private static List<Integer> groups(String text, boolean mayEndInIpv4) {
        List<Integer> groups = new ArrayList<>();
        String[] words = text.isEmpty() ? new String[0] : text.split(":", -1);
        for (int i = 0; i < words.length; i++) {
            if (words[i].matches("[0-9A-Fa-f]{1,4}")) {
                groups.add(Integer.parseInt(words[i], 16));
            } else if (mayEndInIpv4
                    && i == words.length - 1
                    && words[i].matches("((25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])(\\.(?!$)|$)){4}")) {
                String[] bytes = words[i].split("\\.", 4);
                groups.add(Integer.parseInt(bytes[0]) << 8 | Integer.parseInt(bytes[1]));
                groups.add(Integer.parseInt(bytes[2]) << 8 | Integer.parseInt(bytes[3]));
            } else {
                return null;
            }
        }
        return groups;
    }

    private static String spell(List<Integer> groups) {
        int bestAt = -1;
        int best = 1;
        for (int i = 0; i < 8; i++) {
            int length = 0;
            while (i + length < 8 && groups.get(i + length) == 0) {
                length++;
            }
            if (length > best) {
                best = length;
                bestAt = i;
            }
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 8; i++) {
            if (i == bestAt) {
                text.append("::");
                i += best - 1;
            } else {
                text.append(text.isEmpty() || text.toString().endsWith("::") ? "" : ":");
                text.append(Integer.toHexString(groups.get(i)));
            }
        }
        return text.toString();
    }
}
