package dev.sieve.parse;

/**
 * Keeps the visible text of a document: a line per block, words separated by a space, and the cells of a row by a tab.
 * With a space in place of each line feed and tab, it is the text of the {@link TextDigest}.
 */
final class PlainText implements TextWriter {
    private final StringBuilder text = new StringBuilder();
    private Gap gap = Gap.NONE;

    @Override
    public void begin(DocumentElement element) {
        gap = gap.or(element.gap());
    }

    @Override
    public void end(DocumentElement element) {
        gap = gap.or(element.gap());
    }

    @Override
    public void text(String part) {
        int from = 0;
        for (int i = 0; i <= part.length(); i++) {
            if (i == part.length() || Gap.isWhiteSpace(part.charAt(i))) {
                append(part, from, i);
                gap = i == part.length() ? gap : gap.or(Gap.SPACE);
                from = i + 1;
            }
        }
    }

    private void append(String part, int from, int to) {
        // One character beyond the limit shows that the text is longer.
        int end = Math.min(to, from + MAX_CHARS + 1 - text.length());
        if (from >= end) {
            return;
        }
        if (gap != Gap.NONE && !text.isEmpty()) {
            text.append(gap == Gap.SPACE ? ' ' : gap == Gap.CELL ? '\t' : '\n');
        }
        gap = Gap.NONE;
        text.append(part, from, end);
    }

    @Override
    public int length() {
        return text.length();
    }

    @Override
    public Kept finish() {
        return Kept.of(text);
    }
}
