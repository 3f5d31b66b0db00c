package dev.sieve.output;

import java.io.IOException;
import java.io.Writer;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Writes each visit as one line of comma-separated values: the fields of {@link JsonlSink}, always all of them, below a
 * line with their names. What does not apply is empty.
 *
 * <p>Fields are quoted as in RFC 4180 where necessary; lines end with a line feed. Spreadsheets treat some texts as
 * formulas, which may run programs. Therefore an apostrophe precedes each {@code =}, {@code +}, {@code -} or {@code @}
 * at the beginning of a field, and after a semicolon, which spreadsheets of some languages take for the delimiter. Line
 * feeds and tabs are written as spaces, other control characters, marks of direction and unpaired surrogates as U+FFFD,
 * so that a record is always one line. The exact texts are only in JSON Lines.
 */
public final class CsvSink extends LineSink {
    private static final String HEADER =
            Stream.of(VisitField.values()).map(VisitField::text).collect(Collectors.joining(","));

    private static final Pattern UNSAFE = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]");

    /** Matches before a character that begins a formula, also of full width, and where spreadsheets may begin a field. */
    private static final Pattern FORMULA = Pattern.compile(
            "(?:^|(?<=;))(?=\\s*+[=+\\-@\\uFF1D\\uFF0B\\uFF0D\\uFF20])", Pattern.UNICODE_CHARACTER_CLASS);

    private boolean needsHeader;

    /** Creates a sink that flushes and closes {@code out} with itself. A file that is continued {@code hasHeader}. */
    public CsvSink(Writer out, boolean hasHeader) {
        super(out);
        needsHeader = !hasHeader;
    }

    @Override
    public boolean comparesPages() {
        return true;
    }

    @Override
    public void accept(Visit visit) throws IOException {
        if (needsHeader) {
            raw(HEADER).end();
            needsHeader = false;
        }
        String delimiter = "";
        for (VisitField field : VisitField.values()) {
            Object value = field.of(visit);
            raw(delimiter);
            if (value instanceof String text) {
                text(text);
            } else if (value instanceof Map<?, ?> map) {
                text(JsonlSink.json(map));
            } else if (value != null) {
                raw(value.toString());
            }
            delimiter = ",";
        }
        end();
    }

    private void text(String text) {
        String line = text.replace('\n', ' ').replace('\t', ' ');
        String safe = UNSAFE.matcher(line).replaceAll("\uFFFD");
        Matcher formula = FORMULA.matcher(safe);
        safe = formula.find() ? formula.replaceAll("'") : safe;
        boolean isQuoted = safe.indexOf(',') >= 0 || safe.indexOf('"') >= 0;
        raw(isQuoted ? "\"" + safe.replace("\"", "\"\"") + "\"" : safe);
    }
}
