package dev.sieve.durable;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/** What the processes that were killed have told, and whether what is found on the disk agrees with it. */
final class KillRecord {
    private static final int THREADS = 2;

    /** By the number of the URL: a push of it was begun; it is known to be accepted; its done was begun. */
    private final BitSet tried = new BitSet();

    private final BitSet accepted = new BitSet();
    private final BitSet doneTried = new BitSet();
    /** It is done for certain: written before something that is known to be written. */
    private final BitSet doneForCertain = new BitSet();

    private final BitSet doneInWindow = new BitSet();
    /** What was waiting when the present process began, and what it has handed out. */
    private BitSet waiting = new BitSet();

    private final BitSet handedOut = new BitSet();
    private final BitSet triedNow = new BitSet();
    private final Map<Integer, BitSet> doneBeforePush = new HashMap<>();
    private final Map<Integer, BitSet> pushOf = new HashMap<>();
    private int next;
    private int redone;

    int next() {
        return next;
    }

    int redone() {
        return redone;
    }

    boolean isAccepted(int number) {
        return accepted.get(number);
    }

    int accepted() {
        return accepted.cardinality();
    }

    /** A line of the process; see {@link KillChild}. */
    void line(String line) {
        String[] words = line.split(" ", -1);
        int thread = Integer.parseInt(words[0]);
        switch (words[1]) {
            case "p" -> push(thread, words);
            case "a" -> answer(thread, words);
            case "t" -> take(Integer.parseInt(words[2]));
            case "d" -> doneTried.set(Integer.parseInt(words[2]));
            case "D" -> doneInWindow.set(Integer.parseInt(words[2]));
            default -> assertThat(words[1]).isEqualTo("ready");
        }
    }

    private void push(int thread, String[] words) {
        int first = Integer.parseInt(words[2]);
        int count = Integer.parseInt(words[3]);
        BitSet urls = new BitSet();
        urls.set(first, first + count);
        next = Math.max(next, first + count);
        for (int i = 4; i < words.length; i++) {
            urls.set(Integer.parseInt(words[i]));
        }
        pushOf.put(thread, urls);
        triedNow.or(urls);
        tried.or(urls);
        doneBeforePush.put(thread, (BitSet) doneInWindow.clone());
    }

    private void answer(int thread, String[] words) {
        BitSet seen = pushOf.remove(thread);
        for (int i = 2; i < words.length; i++) {
            int number = Integer.parseInt(words[i]);
            assertThat(accepted.get(number))
                    .as("%d is new a second time", number)
                    .isFalse();
            accepted.set(number);
            seen.clear(number);
        }
        seen.stream()
                .filter(number -> !accepted.get(number))
                .forEach(number -> assertThat(isBeingPushed(number))
                        .as("%d was seen and is not in the log", number)
                        .isTrue());
        if (words.length > 2) {
            doneForCertain.or(doneBeforePush.get(thread));
            doneInWindow.andNot(doneForCertain);
        }
    }

    private boolean isBeingPushed(int number) {
        return pushOf.values().stream().anyMatch(urls -> urls.get(number));
    }

    private void take(int number) {
        assertThat(doneForCertain.get(number))
                .as("%d is handed out after it was done", number)
                .isFalse();
        assertThat(waiting.get(number) || triedNow.get(number)).isTrue();
        handedOut.set(number);
    }

    /** The process was killed, and these URLs are found not to be done. */
    void killed(BitSet found) {
        BitSet lost = (BitSet) accepted.clone();
        lost.andNot(doneTried);
        lost.andNot(found);
        assertThat(lost).as("lost").isEqualTo(new BitSet());
        BitSet invented = (BitSet) found.clone();
        invented.andNot(tried);
        assertThat(invented).as("never pushed").isEqualTo(new BitSet());
        BitSet undone = (BitSet) found.clone();
        undone.and(doneForCertain);
        assertThat(undone).as("done and back again").isEqualTo(new BitSet());
        BitSet again = (BitSet) found.clone();
        again.and(doneInWindow);
        assertThat(again.cardinality()).isLessThanOrEqualTo(PendingResults.LIMIT + THREADS);
        redone += again.cardinality();
        accepted.or(found);
        doneForCertain.or(doneTried);
        doneForCertain.andNot(found);
        doneTried.andNot(found);
        accepted.or(doneTried);
        doneInWindow.clear();
        pushOf.clear();
        doneBeforePush.clear();
        handedOut.clear();
        triedNow.clear();
        waiting = found;
    }
}
