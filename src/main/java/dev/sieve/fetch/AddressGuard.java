package dev.sieve.fetch;

import dev.sieve.fetch.FetchResult.Refused;
import dev.sieve.scope.SkipReason;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;

/**
 * Keeps requests from where they must not go: addresses that are not public, and the ports of other protocols.
 *
 * <p>An address is looked at three times: when it stands in the URL itself, for then no name is looked up; when the name
 * server answers, of whose answers only those count that may be asked; and when the socket is about to dial it. A place
 * that was opened is asked at whatever address it has, by a client of its own, so that neither uses the connections of
 * the other. Safe for use by many threads.
 */
final class AddressGuard {
    private static final String NOT_PUBLIC = "address not public";
    private static final String BAD_PORT = "port not allowed";

    private final AddressPolicy policy;
    private final DnsLookups lookups;
    private final Set<String> open = ConcurrentHashMap.newKeySet();
    private final OkHttpClient guardedClient;
    private final OkHttpClient openClient;

    AddressGuard(AddressPolicy policy, DnsLookups lookups, OkHttpClient client) {
        this.policy = policy;
        this.lookups = lookups;
        openClient = client.newBuilder().dns(lookups::addresses).build();
        guardedClient = client.newBuilder()
                .dns(this::allowedAddresses)
                .socketFactory(new GuardedSockets(policy))
                .build();
    }

    /** Lets all requests through to the host and port of a URL. */
    void open(HttpUrl url) {
        open.add(place(url));
    }

    /** The client to ask with for a URL to which there is no {@link #objection}. */
    OkHttpClient client(HttpUrl url) {
        return open.contains(place(url)) ? openClient : guardedClient;
    }

    /** Why a URL may not be asked for, as far as it shows without a look-up; null when it does not. */
    Refused objection(HttpUrl url) {
        if (open.contains(place(url))) {
            return null;
        }
        if (BadPorts.isBad(url.port())) {
            return new Refused(new SkipReason(BAD_PORT, url.port() + " is for another protocol"));
        }
        byte[] literal = AddressBlock.literal(url.host());
        String objection = literal == null ? null : policy.objection(literal, url.host());
        return objection == null ? null : new Refused(new SkipReason(NOT_PUBLIC, objection));
    }

    /** What came of a request whose address was looked at too late for {@link #objection}. */
    static Refused refused(AddressRefusedException reason) {
        return new Refused(new SkipReason(NOT_PUBLIC, String.valueOf(reason.getMessage())));
    }

    private List<InetAddress> allowedAddresses(String host) throws UnknownHostException {
        List<InetAddress> allowed = new ArrayList<>();
        String objection = null;
        for (InetAddress address : lookups.addresses(host)) {
            String why = policy.objection(address);
            if (why == null) {
                allowed.add(address);
            }
            objection = why;
        }
        if (allowed.isEmpty() && objection != null) {
            throw new AddressRefusedException(host + ": " + objection);
        }
        return allowed;
    }

    private static String place(HttpUrl url) {
        return url.host() + " " + url.port();
    }
}
