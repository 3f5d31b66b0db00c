package dev.sieve.browser;

import java.util.List;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Passes a {@link Browser} to tests, one for all of them, which is closed after the last. On a machine without Chromium
 * these tests are skipped, or fail if the property {@code sieve.chromium} is {@code required}.
 */
public final class BrowserExtension implements ExecutionCondition, ParameterResolver {
    private static final String MISSING = "no chromium, chromium-browser or google-chrome on the PATH";

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext test) {
        boolean isSkipped = Browser.program().isEmpty() && !"required".equals(System.getProperty("sieve.chromium"));
        if (isSkipped && test.getTestMethod().isEmpty()) {
            System.err.println("Skipped the tests with a browser in " + test.getDisplayName() + ": " + MISSING);
        }
        boolean needsBrowser = test.getTestMethod()
                .map(method -> List.of(method.getParameterTypes()).contains(Browser.class))
                .orElse(false);
        return isSkipped && needsBrowser
                ? ConditionEvaluationResult.disabled(MISSING)
                : ConditionEvaluationResult.enabled(null);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
        return parameter.getParameter().getType() == Browser.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext test) {
        return test.getRoot()
                .getStore(Namespace.create(BrowserExtension.class))
                .computeIfAbsent(Browser.class, key -> new Browser(), Browser.class);
    }
}
