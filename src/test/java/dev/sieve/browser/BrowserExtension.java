package dev.sieve.browser;

import java.lang.reflect.Field;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Passes a {@link Browser} or a {@link Rendered} to tests, one for all of them, which is closed after the last. On a machine without Chromium
 * these tests are skipped, or fail if the property {@code sieve.chromium} is {@code required}.
 */
public final class BrowserExtension implements ExecutionCondition, ParameterResolver {
    private static final Map<Class<?>, Supplier<Object>> SHARED = Map.of(
            Browser.class,
            Browser::new,
            Rendered.class,
            () -> new Rendered(Browser.program().orElseThrow(), Rendered.SHORT));
    private static final String MISSING = "no chromium, chromium-browser or google-chrome on the PATH";

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext test) {
        boolean isSkipped = Browser.program().isEmpty() && !"required".equals(System.getProperty("sieve.chromium"));
        if (isSkipped && test.getTestMethod().isEmpty()) {
            System.err.println("Skipped the tests with a browser in " + test.getDisplayName() + ": " + MISSING);
        }
        boolean needsBrowser = test.getTestMethod()
                .map(method -> Stream.concat(
                                Stream.of(method.getParameterTypes()),
                                Stream.of(test.getRequiredTestClass().getDeclaredFields())
                                        .map(Field::getType))
                        .anyMatch(SHARED::containsKey))
                .orElse(false);
        return isSkipped && needsBrowser
                ? ConditionEvaluationResult.disabled(MISSING)
                : ConditionEvaluationResult.enabled(null);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
        return SHARED.containsKey(parameter.getParameter().getType());
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext test) {
        Class<?> type = parameter.getParameter().getType();
        return test.getRoot()
                .getStore(Namespace.create(type))
                .computeIfAbsent(type, key -> SHARED.get(type).get());
    }
}
