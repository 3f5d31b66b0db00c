package dev.sieve.crawl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.scope.Trap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AdmissionTest {
    private static Admission admission(CrawlOptions options) {
        Admission admission = new Admission(options);
        admission.addSeed("http://h.test/");
        return admission;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "http://h.test/a | | in scope",
                "http://other.test/a | out of scope | scope HOST",
                "http://h.test/a.pdf | excluded | exclude \\.pdf$",
                "http://h.test/x/x/x | trap repeated-segments | more than 2 times the same segments in a row",
                "http://h.test/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/19/20/21"
                        + " | trap path-depth | more than 20 slashes in the path",
            })
    void theOneRuleThatKeepsAUrlOutIsNamed(String url, String reason, String rule) {
        Admission.Decision decision =
                admission(new CrawlOptions().exclude("\\.pdf$")).decide(url, 1);

        assertThat(decision.isAdmitted()).isEqualTo(reason == null);
        assertThat(decision.reason()).isEqualTo(reason == null ? "" : reason);
        assertThat(decision.rule()).isEqualTo(rule);
    }

    @Test
    void aUrlThatIsTooDeepIsNamedSo() {
        Admission admission = admission(new CrawlOptions().maxDepth(3));

        assertThat(admission.decide("http://h.test/a", 3).isAdmitted()).isTrue();
        assertThat(admission.decide("http://h.test/a", 4))
                .isEqualTo(new Admission.Decision("too deep", "depth at most 3"));
    }

    @Test
    void aTrapThatIsAllowedKeepsNothingOut() {
        Admission admission = admission(new CrawlOptions().allowTrap(Trap.REPEATED_SEGMENTS));

        assertThat(admission.decide("http://h.test/x/x/x", 1).isAdmitted()).isTrue();
        assertThat(admission.decide("http://h.test/" + "a".repeat(3000), 1).reason())
                .isEqualTo("trap length");
    }

    @Test
    void endlessNumbersAreATrapOnceEnoughOfThemWereNew() {
        Admission admission = admission(new CrawlOptions());
        for (int i = 0; i < Trap.SHAPE.defaultLimit(); i++) {
            admission.accepted("http://h.test/day?d=" + i);
        }

        assertThat(admission.decide("http://h.test/day?d=x", 1).reason()).isEqualTo("trap shape");
        assertThat(admission.decide("http://h.test/night?d=1", 1).isAdmitted()).isTrue();
    }
}
