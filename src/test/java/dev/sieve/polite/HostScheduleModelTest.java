package dev.sieve.polite;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random calls, checked against a plain model that looks at every host each time. */
class HostScheduleModelTest {
    private static final long MILLI = 1_000_000;
    private static final int LANES = 2;
    private static final int STEPS = 60_000;
    private static final int PER_HOST = 3;
    private static final int PER_GROUP = 4;
    private static final long DELAY = 100 * MILLI;
    private static final long GROUP_DELAY = 20 * MILLI;
    private static final int PER_SERVER = 3;
    private static final long SERVER_DELAY = 30 * MILLI;
    private static final BackOff BACK_OFF = new BackOff(Duration.ofMillis(300), Duration.ofSeconds(2));

    @TempDir
    private Path directory;

    private static final class Group {
        private long freeAt = Long.MIN_VALUE / 2;
        private int underWay;

        private boolean isFree(int limit, long now) {
            return underWay < limit && freeAt <= now;
        }
    }

    /** Items of a host, lane by lane. */
    private static final class Items {
        private final List<Deque<String>> lanes = List.of(new ArrayDeque<>(), new ArrayDeque<>(), new ArrayDeque<>());

        private void addLast(String item) {
            lanes.get(lane(item)).addLast(item);
        }

        private void addFirst(String item) {
            lanes.get(lane(item)).addFirst(item);
        }

        private String pollFirst() {
            return lanes.stream()
                    .filter(lane -> !lane.isEmpty())
                    .findFirst()
                    .map(Deque::removeFirst)
                    .orElse(null);
        }

        private int size() {
            return lanes.stream().mapToInt(Deque::size).sum();
        }

        private boolean isEmpty() {
            return size() == 0;
        }

        private void clear() {
            lanes.forEach(Deque::clear);
        }
    }

    private static final class Host {
        private final String name;
        private final Group group;
        private final Items items = new Items();
        private String server;
        private long freeAt = Long.MIN_VALUE / 2;
        private int underWay;
        private int failures;
        private boolean open;

        private Host(String name, Group group) {
            this.name = name;
            this.group = group;
        }

        private boolean hasRoom(boolean probeFirst) {
            int limit = failures > 0 || (probeFirst && !open) ? 1 : PER_HOST;
            return !items.isEmpty() && underWay < limit && (group == null || group.underWay < PER_GROUP);
        }

        private long earliest() {
            return group == null ? freeAt : Math.max(freeAt, group.freeAt);
        }
    }

    private static final class Request {
        private final Host host;
        private final String item;
        private final long startNanos;
        private String server;

        private Request(Host host, String item, long startNanos) {
            this.host = host;
            this.item = item;
            this.startNanos = startNanos;
            server = host.server;
        }
    }

    static final Codec<String> TEXT = new Codec<>() {
        @Override
        public byte[] encode(String item) {
            return item.getBytes(UTF_8);
        }

        @Override
        public String decode(byte[] bytes) {
            return new String(bytes, UTF_8);
        }
    };

    private final Map<String, Group> groups = new HashMap<>();
    private final Map<String, Group> servers = new HashMap<>();
    private final List<Host> hosts = new ArrayList<>();
    private final List<Request> requests = new ArrayList<>();
    private long now;
    private int added;
    private boolean hasServers;

    /** Too few hosts for any to be forgotten; all calls. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 6, 7, 8, 9})
    void noHostIsAskedTooEarlyOrForgottenWithWork(long seed) throws IOException {
        hasServers = seed > 7;
        run(seed, 40, true, seed % 2 == 0, seed > 4);
    }

    /** Many hosts that come and go and may be forgotten in between. */
    @Test
    void forgettingHostsMakesNoRequestTooEarly() throws IOException {
        run(5, 5_000, false, true, false);
    }

    private void run(long seed, int hostCount, boolean hostsFail, boolean grouped, boolean hasLanes)
            throws IOException {
        Random random = new Random(seed);
        ScheduleOptions<String> options = new ScheduleOptions<String>()
                .delay(Duration.ofNanos(DELAY))
                .perHost(PER_HOST)
                .probeFirst(hostsFail)
                .backOff(BACK_OFF)
                .spill(directory, TEXT, 50);
        if (hasLanes) {
            options.lanes(LANES, HostScheduleModelTest::lane);
        }
        if (grouped) {
            options.groups(HostScheduleModelTest::groupOf, Duration.ofNanos(GROUP_DELAY), PER_GROUP, Integer.MAX_VALUE);
        }
        if (hasServers) {
            options.servers(Duration.ofNanos(SERVER_DELAY), PER_SERVER);
        }
        for (int i = 0; i < hostCount; i++) {
            String name = "host" + i;
            String group = grouped ? groupOf(name) : null;
            hosts.add(new Host(name, group == null ? null : groups.computeIfAbsent(group, key -> new Group())));
        }
        try (HostSchedule<String> schedule = options.build(now)) {
            for (int step = 0; step < STEPS; step++) {
                now += random.nextInt(4) == 0 ? random.nextInt((int) (20 * MILLI)) : 0;
                change(schedule, random, hostsFail, hasLanes);
                check(schedule, hostsFail);
            }
        }
    }

    private static int lane(String item) {
        return item.charAt(item.indexOf(' ') + 1) - '0';
    }

    private static String groupOf(String host) {
        int last = host.charAt(host.length() - 1) - '0';
        return last < 3 ? null : "group" + last % 4;
    }

    private void change(HostSchedule<String> schedule, Random random, boolean hostsFail, boolean hasLanes) {
        Host host = hosts.get(random.nextInt(hosts.size()));
        if (random.nextInt(10) == 0 && !requests.isEmpty()) {
            send(schedule, requests.get(random.nextInt(requests.size())).host);
        }
        if (hasServers && random.nextInt(5) == 0 && !requests.isEmpty()) {
            use(schedule, requests.get(random.nextInt(requests.size())), random);
        }
        if (random.nextInt(6) == 0) {
            useOneHost(schedule, random, host, hostsFail);
            return;
        }
        switch (random.nextInt(hostsFail ? 9 : 7)) {
            case 0, 1, 2 -> {
                int lane = hasLanes ? random.nextInt(LANES + 1) : 0;
                String item = host.name + " " + lane + " " + added++;
                assertThat(schedule.add(host.name, item)).isTrue();
                host.items.addLast(item);
            }
            case 3, 4 -> poll(schedule, random, hostsFail);
            case 5, 6 -> end(schedule, random, hostsFail);
            case 7 -> {
                schedule.open(host.name);
                host.open = true;
            }
            default -> {
                long until = now + random.nextInt((int) (500 * MILLI));
                if (random.nextInt(10) == 0) {
                    schedule.backOff(host.name, until);
                    host.freeAt = Math.max(host.freeAt, until);
                }
            }
        }
    }

    /** Finds out which server a request uses. */
    private void use(HostSchedule<String> schedule, Request request, Random random) {
        int number = random.nextInt(6);
        String server = number == 0 ? null : "server" + number;
        boolean isSame = Objects.equals(request.server, server);
        leave(request);
        request.host.server = server;
        boolean mayUse = server == null || isSame || server(server).isFree(PER_SERVER, now);
        assertThat(schedule.usesServer(request.host.name, request.server, server, now))
                .isEqualTo(mayUse);
        assertThat(schedule.server(request.host.name)).isEqualTo(server);
        request.server = mayUse ? server : null;
        if (request.server != null) {
            server(server).underWay++;
            server(server).freeAt = isSame ? server(server).freeAt : now + SERVER_DELAY;
        }
    }

    private Group server(String name) {
        return servers.computeIfAbsent(name, key -> new Group());
    }

    private void leave(Request request) {
        if (request.server != null) {
            server(request.server).underWay--;
        }
    }

    private boolean isServerFree(Host host) {
        return host.server == null || server(host.server).isFree(PER_SERVER, now);
    }

    /** Polls out of turn, takes more for a request, or drops what is queued. */
    private void useOneHost(HostSchedule<String> schedule, Random random, Host host, boolean probeFirst) {
        assertThat(schedule.size(host.name)).isEqualTo(host.items.size());
        int choice = random.nextInt(20);
        if (choice == 0) {
            assertThat(schedule.clear(host.name)).isEqualTo(host.items.size());
            host.items.clear();
        } else if (choice < 8 && !requests.isEmpty()) {
            Host requested = requests.get(random.nextInt(requests.size())).host;
            assertThat(schedule.pollMore(requested.name)).isEqualTo(requested.items.pollFirst());
        } else {
            boolean mayStart = host.hasRoom(probeFirst) && host.earliest() <= now && isServerFree(host);
            String item = schedule.poll(host.name, now);
            assertThat(item).isEqualTo(mayStart ? host.items.pollFirst() : null);
            if (mayStart) {
                start(host, item);
            }
        }
    }

    private void poll(HostSchedule<String> schedule, Random random, boolean probeFirst) {
        String item = schedule.poll(now);
        if (item == null) {
            assertThat(hosts)
                    .noneMatch(host -> host.hasRoom(probeFirst) && host.earliest() <= now && isServerFree(host));
            return;
        }
        Host host = hosts.get(Integer.parseInt(item.substring(4, item.indexOf(' '))));
        assertThat(host.hasRoom(probeFirst)).isTrue();
        assertThat(host.earliest()).isLessThanOrEqualTo(now);
        assertThat(isServerFree(host)).isTrue();
        assertThat(item).isEqualTo(host.items.pollFirst());
        if (random.nextInt(10) == 0) {
            schedule.dropped(host.name, false, now);
            return;
        }
        start(host, item);
    }

    private void start(Host host, String item) {
        host.underWay++;
        host.freeAt = now + DELAY;
        if (host.group != null) {
            host.group.underWay++;
            host.group.freeAt = now + GROUP_DELAY;
        }
        if (host.server != null) {
            server(host.server).underWay++;
            server(host.server).freeAt = now + SERVER_DELAY;
        }
        requests.add(new Request(host, item, now));
    }

    private void send(HostSchedule<String> schedule, Host host) {
        schedule.sent(host.name, now);
        host.freeAt = Math.max(host.freeAt, now + DELAY);
        if (host.group != null) {
            host.group.freeAt = Math.max(host.group.freeAt, now + GROUP_DELAY);
        }
        if (host.server != null) {
            Group server = server(host.server);
            server.freeAt = Math.max(server.freeAt, now + SERVER_DELAY);
        }
        if (now % 5 == 0) {
            schedule.sent(host.name, true, now);
            host.freeAt = Math.max(host.freeAt, now) + DELAY;
            if (host.group != null) {
                host.group.freeAt = Math.max(host.group.freeAt, now) + GROUP_DELAY;
            }
            if (host.server != null) {
                Group server = server(host.server);
                server.freeAt = Math.max(server.freeAt, now) + SERVER_DELAY;
            }
        }
    }

    private void end(HostSchedule<String> schedule, Random random, boolean hostsFail) {
        if (requests.isEmpty()) {
            return;
        }
        Request request = requests.remove(random.nextInt(requests.size()));
        Host host = request.host;
        host.underWay--;
        switch (random.nextInt(hostsFail ? 3 : 2)) {
            case 0 -> {
                schedule.finished(host.name, now);
                host.failures = 0;
            }
            case 1 -> {
                schedule.skipped(host.name, request.startNanos, now);
                forgive(request);
            }
            default -> {
                host.failures = schedule.failed(host.name, Duration.ZERO, now);
                long pause = BACK_OFF.pause(host.failures).toNanos();
                host.freeAt = Math.max(host.freeAt, now + pause);
            }
        }
        if (host.group != null) {
            host.group.underWay--;
        }
        leave(request);
        schedule.leftServer(request.server, now);
        if (random.nextInt(5) == 0) {
            schedule.putBack(host.name, request.item);
            host.items.addFirst(request.item);
        }
    }

    private void forgive(Request request) {
        Host host = request.host;
        if (host.freeAt == request.startNanos + DELAY) {
            host.freeAt = request.startNanos;
        }
        if (host.group != null && host.group.freeAt == request.startNanos + GROUP_DELAY) {
            host.group.freeAt = request.startNanos;
        }
        if (host.server != null && server(host.server).freeAt == request.startNanos + SERVER_DELAY) {
            server(host.server).freeAt = request.startNanos;
        }
    }

    private void check(HostSchedule<String> schedule, boolean probeFirst) {
        assertThat(schedule.stats().underWay()).isEqualTo(requests.size());
        if (added % (hosts.size() > 1000 ? 128 : 16) != 0) {
            return;
        }
        long earliest = Long.MAX_VALUE;
        long items = 0;
        int withWork = 0;
        for (Host host : hosts) {
            items += host.items.size();
            withWork += host.items.isEmpty() ? 0 : 1;
            Group server = host.server == null ? null : server(host.server);
            if (host.hasRoom(probeFirst) && (server == null || server.underWay < PER_SERVER)) {
                earliest =
                        Math.min(earliest, server == null ? host.earliest() : Math.max(host.earliest(), server.freeAt));
            }
        }
        assertThat(schedule.size()).isEqualTo(items);
        assertThat(schedule.stats().hosts()).isEqualTo(withWork);
        if (earliest <= now) {
            assertThat(schedule.waitNanos(now)).isZero();
        } else {
            assertThat(schedule.waitNanos(now)).isPositive();
            assertThat(now
                            + (schedule.waitNanos(now) == Long.MAX_VALUE
                                    ? Long.MAX_VALUE - now
                                    : schedule.waitNanos(now)))
                    .isLessThanOrEqualTo(earliest);
        }
    }
}
