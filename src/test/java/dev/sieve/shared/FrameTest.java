package dev.sieve.shared;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.Lease;
import dev.sieve.UrlBatch;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FrameTest {
    private static final String REFERRER = "http://host.example/ü/page";

    @Test
    void aFrameReturnsItsUrlsAndTheirContext() {
        UrlBatch batch = new UrlBatch(300, 2, REFERRER, 255);
        String[] urls = {
            "http://host.example/ü/page",
            "http://host.example/ü/other",
            "http://host.example/û",
            "",
            "x".repeat(100_000),
            "http://host.example/ü/page?a=b"
        };

        Frame frame = new Frame(bytes(batch, urls));

        assertThat(frame.count()).isEqualTo(urls.length);
        for (int i = 0; i < urls.length; i++) {
            assertThat(frame.lease(7 + i, i, 4)).isEqualTo(new Lease(7 + i, urls[i], 300, 2, REFERRER, 255, 4));
        }
    }

    @Test
    void aSeedHasNoReferrerButALinkMayHaveAnEmptyOne() {
        assertThat(new Frame(bytes(new UrlBatch(), "http://a/")).lease(0, 0, 0))
                .isEqualTo(new Lease(0, "http://a/", 0, 0, null, 0, 0));
        assertThat(new Frame(bytes(new UrlBatch(1, 0, ""), "http://a/")).lease(0, 0, 0))
                .isEqualTo(new Lease(0, "http://a/", 1, 0, "", 0, 0));
    }

    @Test
    void aUrlIsWrittenAsTheDifferenceFromItsReferrer() {
        byte[] one = bytes(new UrlBatch(1, 0, REFERRER), REFERRER + "1");
        byte[] two = bytes(new UrlBatch(1, 0, REFERRER), REFERRER + "1", REFERRER + "2");

        assertThat(two.length - one.length).isEqualTo(3);
    }

    @Test
    void framesOfAPageTakeLessThanItsUrls() {
        String referrer = "https://www.gardenmeadow.org/harbour/lantern-bridge-copper-1a2b3c";
        String[] own = {
            "https://www.gardenmeadow.org/valley/summer-orchard-river-4d5e6f",
            "https://www.gardenmeadow.org/stone/window-paper-7g8h9i",
            "https://www.gardenmeadow.org/silver/castle-forest-island-morning-j0k1l2",
            "https://www.gardenmeadow.org/thunder/winter-kitchen-m3n4o5"
        };
        String other = "https://blog.villagepainter.com/compass/feather-blanket-mountain-p6q7r8";
        UrlBatch batch = new UrlBatch(1, 0, referrer);

        int queued = bytes(batch, own).length + bytes(batch, other).length;

        int length = other.length() + String.join("", own).length();
        assertThat(length).isEqualTo(317);
        assertThat(queued).isEqualTo(227);
    }

    @Test
    void aFrameThatWasCutOrExtendedIsRefused() {
        byte[] bytes = bytes(new UrlBatch(1, 0, REFERRER), "http://host.example/a", "http://other/");

        for (int length = 0; length < bytes.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            assertThatThrownBy(() -> new Frame(cut))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("damaged at byte");
        }
        assertThatThrownBy(() -> new Frame(Arrays.copyOf(bytes, bytes.length + 1)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void noBytesMakeItFailInAnotherWay() {
        Random random = new Random(12);
        byte[] bytes = bytes(new UrlBatch(1, 0, REFERRER), "http://host.example/a", "http://other/");
        int refused = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] changed = bytes.clone();
            changed[random.nextInt(bytes.length)] = (byte) random.nextInt();
            changed[random.nextInt(bytes.length)] = (byte) random.nextInt();
            try {
                Frame frame = new Frame(changed);
                for (int j = 0; j < frame.count(); j++) {
                    frame.lease(j, j, 0);
                }
            } catch (IllegalArgumentException e) {
                refused++;
            }
        }
        assertThat(refused).isPositive();
    }

    private static byte[] bytes(UrlBatch batch, String... urls) {
        byte[] referrer = Frame.referrer(batch);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(urls.length >> 8);
        out.write(urls.length);
        out.writeBytes(Frame.head(batch, referrer));
        for (String url : urls) {
            byte[] utf8 = url.getBytes(UTF_8);
            Frame.url(out, referrer, utf8, 0, utf8.length);
        }
        return out.toByteArray();
    }
}
