package dev.sieve.serve;

import static org.assertj.core.api.Assertions.assertThat;

import crawlercommons.urlfrontier.Urlfrontier.AckMessage.Status;
import crawlercommons.urlfrontier.Urlfrontier.StringList;
import crawlercommons.urlfrontier.Urlfrontier.URLInfo;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * What clients have sent to a server that is killed again and again, what they were told, and whether the two agree. A
 * URL goes by its number. Safe for use by many threads.
 */
final class ServeRecord {
    /** The number of results that a frontier on disk keeps in memory at most. */
    private static final int UNWRITTEN = 512;

    private static final int HOSTS = 57;

    private final Random random;
    private final List<String> problems = new ArrayList<>();

    private int next;
    /** Sent, and not answered when the server was killed. */
    private final Deque<Integer> unanswered = new ArrayDeque<>();

    /**
     * Sent more than once; answered, so it is in the log; answered with OK; handed out; to be handed out once more; reported
     * as known since it was handed out.
     */
    private final BitSet repeated = new BitSet();

    private final BitSet answered = new BitSet();
    private final BitSet accepted = new BitSet();
    private final BitSet handedOut = new BitSet();
    private final BitSet owed = new BitSet();
    private final BitSet reported = new BitSet();

    /** Of the present run: in flight; known by a report on what an earlier server had handed out. */
    private final BitSet inFlight = new BitSet();

    private final BitSet late = new BitSet();
    /** Those of them that were acknowledged, so that no kill brings them back. */
    private final BitSet endedLate = new BitSet();
    /** The run in which it was acknowledged as known. */
    private final Map<Integer, Integer> knownIn = new HashMap<>();

    private int run;
    private int events;
    private int redone;
    private int redoneOfLastRun;

    ServeRecord(long seed) {
        random = new Random(seed);
    }

    static String crawl(int number) {
        return number % 4 == 0 ? "other" : "";
    }

    static URLInfo info(int number) {
        URLInfo.Builder info = URLInfo.newBuilder()
                .setUrl("http://host" + number % HOSTS + ".test/" + number)
                .setCrawlID(crawl(number));
        if (number % 3 == 0) {
            info.setKey("queue" + number % 7);
        }
        if (number % 5 == 0) {
            info.putMetadata(
                    "found",
                    StringList.newBuilder().addValues("on page " + number / 64).build());
        }
        return info.build();
    }

    static int number(String url) {
        return Integer.parseInt(url.substring(url.lastIndexOf('/') + 1));
    }

    /** The number of the next URL to send: one without an answer, an old one, or a new one. */
    synchronized int toSend() {
        if (!unanswered.isEmpty()) {
            return unanswered.remove();
        }
        if (next > 0 && random.nextInt(4) == 0) {
            int old = random.nextInt(next);
            repeated.set(old);
            return old;
        }
        return next++;
    }

    synchronized void answered(int number, Status status) {
        check(status != Status.FAIL, number, "failed");
        check(status != Status.OK || !accepted.get(number), number, "is new a second time");
        check(status != Status.SKIPPED || repeated.get(number), number, "was seen and is not in the log");
        if (status == Status.OK) {
            accepted.set(number);
        }
        answered.set(number);
        event();
    }

    synchronized void handedOut(URLInfo info) {
        int number = number(info.getUrl());
        URLInfo sent = info(number);
        String key = sent.getKey().isEmpty() ? "host" + number % HOSTS + ".test" : sent.getKey();
        check(number < next && info.getUrl().equals(sent.getUrl()), number, "was never sent");
        check(info.getKey().equals(key), number, "has another key: " + info.getKey());
        check(info.getMetadataMap().equals(sent.getMetadataMap()), number, "has other metadata");
        check(!inFlight.get(number), number, "is handed out twice");
        Integer known = knownIn.remove(number);
        if (known != null) {
            check(known < run, number, "is handed out after it was known");
            check(!endedLate.get(number), number, "is handed out after it was reported to a later server");
            redone++;
            redoneOfLastRun += known == run - 1 ? 1 : 0;
        }
        inFlight.set(number);
        handedOut.set(number);
        owed.clear(number);
        reported.clear(number);
        event();
    }

    /** It is about to be sent as known and due again. */
    synchronized void sendAgain(int number) {
        inFlight.clear(number);
        owed.set(number);
    }

    /** It is about to be sent as known. */
    synchronized void sendKnown(int number) {
        reported.set(number);
    }

    /** It was acknowledged as known. */
    synchronized void known(int number, Status status) {
        check(status == Status.OK, number, "is not known: " + status);
        knownIn.put(number, run);
        endedLate.set(number, late.get(number));
        inFlight.clear(number);
        event();
    }

    /** It was acknowledged as known and due again, and may have been handed out since. */
    synchronized void again(int number, Status status) {
        check(status == Status.OK, number, "is not due again: " + status);
        event();
    }

    /** What was handed out by servers that were killed, and for whose result there is no answer. */
    synchronized List<Integer> toReportLate() {
        BitSet open = (BitSet) handedOut.clone();
        open.andNot(owed);
        knownIn.keySet().forEach(open::clear);
        open.stream().filter(number -> random.nextBoolean()).forEach(late::set);
        return late.stream().boxed().toList();
    }

    /** The server was killed, and all its streams have ended. */
    synchronized void killed() {
        check(redoneOfLastRun <= UNWRITTEN, redoneOfLastRun, "known URLs are back after one kill");
        for (int number = 0; number < next; number++) {
            if (!answered.get(number) && !unanswered.contains(number)) {
                repeated.set(number);
                unanswered.add(number);
            }
        }
        redoneOfLastRun = 0;
        inFlight.clear();
        late.clear();
        run++;
        events = 0;
    }

    /** Waits until the clients of this run have got so many messages. */
    synchronized void await(int least, Process server) throws InterruptedException {
        while (events < least && problems.isEmpty() && server.isAlive()) {
            wait(1000);
        }
        assertThat(problems).isEmpty();
        assertThat(server.isAlive()).isTrue();
    }

    synchronized boolean isAllAnswered() {
        return unanswered.isEmpty();
    }

    /** The crawl has ended: whatever was answered was handed out and reported. */
    synchronized void verifyEnd() {
        assertThat(problems).isEmpty();
        BitSet lost = (BitSet) answered.clone();
        lost.andNot(handedOut);
        assertThat(lost).as("lost").isEqualTo(new BitSet());
        assertThat(owed).as("not handed out again").isEqualTo(new BitSet());
        assertThat(answered.cardinality()).isEqualTo(next);
        assertThat(reported.cardinality()).isEqualTo(next);
    }

    /** How many URLs were sent to a crawl. */
    synchronized long sent(String crawl) {
        long count = 0;
        for (int number = 0; number < next; number++) {
            count += crawl(number).equals(crawl) ? 1 : 0;
        }
        return count;
    }

    synchronized int accepted() {
        return accepted.cardinality();
    }

    synchronized int redone() {
        return redone;
    }

    private void event() {
        events++;
        notifyAll();
    }

    private void check(boolean isRight, int number, String problem) {
        if (!isRight && problems.size() < 10) {
            problems.add("run " + run + ": " + number + " " + problem);
            notifyAll();
        }
    }
}
