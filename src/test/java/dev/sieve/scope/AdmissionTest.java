package dev.sieve.scope;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AdmissionTest {
    private static Admission admission(Scope.Builder scope, TrapGuard traps) {
        Admission admission = new Admission(scope.build(), traps);
        admission.scope().addSeed("http://h.test/");
        return admission;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "http://h.test/a | | in scope",
                "http://other.test/a | out of scope | not the host and port of a seed",
                "http://h.test/a.pdf | excluded | exclude \\.pdf$",
                "http://h.test/x/x/x/x/x | trap repeated-segments | more than 2 times the same segments in a row, or 4 times a single one",
                "http://h.test/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/19/20/21"
                        + " | trap path-depth | more than 20 slashes in the path",
            })
    void theOneRuleThatKeepsAUrlOutIsNamed(String url, String reason, String rule) {
        Admission admission = admission(Scope.builder(Scope.Kind.HOST).exclude("\\.pdf$"), new TrapGuard(Map.of()));

        if (reason == null) {
            assertThat(admission.skipReason(url, 1)).isNull();
            assertThat(admission.scope().admittedBy(url)).isEqualTo(rule);
        } else {
            assertThat(admission.skipReason(url, 1)).isEqualTo(new SkipReason(reason, rule));
        }
    }

    @Test
    void aUrlThatIsTooDeepIsNamedSo() {
        Admission admission = admission(Scope.builder(Scope.Kind.HOST).maxDepth(3), new TrapGuard(Map.of()));

        assertThat(admission.skipReason("http://h.test/a", 3)).isNull();
        assertThat(admission.skipReason("http://h.test/a", 4)).isEqualTo(new SkipReason("too deep", "depth at most 3"));
    }

    @Test
    void aTrapThatIsAllowedKeepsNothingOut() {
        Admission admission = admission(
                Scope.builder(Scope.Kind.HOST), new TrapGuard(Map.of(Trap.REPEATED_SEGMENTS, Integer.MAX_VALUE)));

        assertThat(admission.skipReason("http://h.test/x/x/x/x/x", 1)).isNull();
        assertThat(admission.skipReason("http://h.test/" + "a".repeat(3000), 1).rule())
                .isEqualTo("trap length");
    }

    @Test
    void endlessNumbersAreATrapOnceEnoughOfThemWereNew() {
        Admission admission = admission(Scope.builder(Scope.Kind.HOST), new TrapGuard(Map.of()));
        for (int i = 0; i < Trap.SHAPE.defaultLimit(); i++) {
            admission.traps().accepted("http://h.test/day?d=" + i);
        }

        assertThat(admission.skipReason("http://h.test/day?d=x", 1).rule()).isEqualTo("trap shape");
        assertThat(admission.skipReason("http://h.test/night?d=1", 1)).isNull();
    }
}
