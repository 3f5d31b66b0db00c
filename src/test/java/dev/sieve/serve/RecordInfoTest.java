package dev.sieve.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import crawlercommons.urlfrontier.Urlfrontier.StringList;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is stored about a URL, the key by which it is compared, and the folder of its crawl. */
class RecordInfoTest {
    @Test
    void theTextContainsOnlyWhatIsNotTheDefault() throws Exception {
        assertThat(RecordInfo.NONE.text()).isNull();
        assertThat(RecordInfo.parse(null)).isSameAs(RecordInfo.NONE);
        RecordInfo all = new RecordInfo(
                "a \"queue\"",
                3,
                -1,
                Map.of(
                        "k\n",
                        StringList.newBuilder()
                                .addValues("")
                                .addValues("\ud83d\ude00")
                                .build()));
        assertThat(RecordInfo.parse(all.text())).isEqualTo(all);
        assertThat(new RecordInfo(null, 0, 17, Map.of()).text()).isEqualTo("{\"refetch\":17}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "{",
                "{\"queue\"",
                "{\"generation\":-1}",
                "{\"metadata\":1}",
                "{\"metadata\":{\"a\":1}}"
            })
    void otherTextsAreRefused(String text) {
        assertThatThrownBy(() -> RecordInfo.parse(text)).isInstanceOf(IOException.class);
    }

    @Test
    void aFieldOfALaterVersionIsIgnored() throws Exception {
        assertThat(RecordInfo.parse("{\"new\":{\"a\":[1]},\"refetch\":5}").refetch())
                .isEqualTo(5);
    }

    @ParameterizedTest
    @CsvSource({
        "http://a.com/x, a.com",
        "http://a.com, a.com",
        "HTTP://A.com:8080?x, A.com",
        "a.com/x, a.com",
        "http://u:p@a.com:1/@b, a.com",
        "http://[::1]:80/, [::1]",
        "http://[::1, [",
        "http://a.com#@b, a.com",
        "http:///x, ''",
        "'', ''",
        "http://@/, ''"
    })
    void theHostIsTheQueue(String url, String host) {
        assertThat(UrlKeys.host(url)).isEqualTo(host);
        assertThat(UrlKeys.isHost(host, url)).isTrue();
        assertThat(UrlKeys.isHost(host + "x", url)).isFalse();
    }

    @Test
    void keysDifferByQueueAndGeneration() {
        assertThat(UrlKeys.key("u", null, 0)).isEqualTo("u");
        assertThat(UrlKeys.key("u", "q", 0)).isEqualTo("u\0q");
        assertThat(UrlKeys.key("u", null, 2)).isEqualTo("u\0\0" + "2");
        assertThat(UrlKeys.key("u", "q", 2)).isEqualTo("u\0q\0\0" + "2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"DEFAULT", "a b/..\\%", "\u00e4\ud83d\ude00", "", ".", "x-_9"})
    void folderNamesAreReversible(String id) {
        assertThat(FolderName.of(id)).matches("[A-Za-z0-9_%-]*");
        assertThat(FolderName.unescaped(FolderName.of(id))).isEqualTo(id);
        assertThat(FolderName.isPossible(id)).isTrue();
        assertThat(FolderName.isPossible(id + "\u00e4".repeat(50))).isFalse();
    }
}
