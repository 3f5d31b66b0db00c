package dev.sieve.parse;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * A table that is open in a {@link Markdown} text, with marks of its rows and cells, which are white space in a
 * document. It is one in Markdown if it has two rows and columns or more.
 */
final class MarkdownTable {
    /** A vertical bar in a cell, which is only escaped in a table. */
    static final char BAR = '\u0003';

    private static final int MAX_CELLS = 20_000;
    private static final int MAX_COLUMNS_OF_CELL = 20;

    private static final String ROW = "\u0001";
    private static final String CELL = "\u0002";

    /** Where it begins in the text, -1 as long as it is empty, and the length of the text before it. */
    int start = -1;

    int before;

    private int cells;
    /** How many columns the last cell has, and those before the next one that cells of earlier rows take. */
    private int columns = 1;
    /** The column after the last cell, and how many further rows the cell above takes in each column. */
    private int column;

    private final List<Integer> spans = new ArrayList<>();

    boolean isFull() {
        return cells >= MAX_CELLS;
    }

    /** Returns the mark of a row that begins. */
    String row() {
        skipColumns(Integer.MAX_VALUE);
        column = 0;
        columns = 1;
        cells++;
        return ROW;
    }

    /** Returns the marks of a cell that begins; with 0 rows, it takes all of its group. */
    String cell(int colspan, int rows) {
        columns += skipColumns(0);
        cells += columns;
        String marks = CELL.repeat(columns);
        columns = Math.min(Math.max(1, colspan), MAX_COLUMNS_OF_CELL);
        for (int i = 0; i < columns && column < MAX_CELLS; i++) {
            if (column == spans.size()) {
                spans.add(0);
            }
            spans.set(column++, rows == 0 ? MAX_CELLS : rows - 1);
        }
        return marks;
    }

    /**
     * Goes on to the next column that is free in this row, or to the last one, and returns how many were passed that
     * cells of earlier rows take.
     */
    private int skipColumns(int free) {
        int skipped = 0;
        for (int left = free; column < spans.size() && (spans.get(column) > 0 || left > 0); column++) {
            int rows = spans.get(column);
            skipped += rows > 0 ? 1 : 0;
            left -= rows > 0 ? 0 : 1;
            spans.set(column, Math.max(0, rows - 1));
        }
        return skipped;
    }

    /** Returns the cells of the rows in a text with marks, without rows of empty cells. */
    static List<List<String>> rows(String text) {
        return Arrays.stream(text.split(ROW, -1))
                .map(row -> Arrays.stream(row.split(CELL, -1))
                        .skip(row.startsWith(CELL) ? 1 : 0)
                        .map(String::strip)
                        .toList())
                .filter(row -> !row.stream().allMatch(String::isEmpty))
                .toList();
    }

    /** Returns rows as a table in Markdown, with a prefix for each line but the first one; empty if they are none. */
    static String markdown(List<List<String>> rows, String prefix) {
        int columns = rows.stream().mapToInt(List::size).max().orElse(0);
        StringBuilder out = new StringBuilder();
        for (List<String> row : rows.size() > 1 && columns > 1 ? rows : List.<List<String>>of()) {
            boolean isFirst = out.isEmpty();
            out.append(isFirst ? "|" : "\n" + prefix + "|");
            row.forEach(cell -> out.append(' ')
                    .append(cell.replace(String.valueOf(BAR), "\\|"))
                    .append(" |"));
            if (isFirst) {
                out.append("  |".repeat(columns - row.size()));
                out.append('\n').append(prefix).append('|').append(" --- |".repeat(columns));
            }
        }
        return out.toString();
    }

    /** Returns the cells with content. */
    static List<String> blocks(List<List<String>> rows) {
        Stream<String> all = rows.stream().flatMap(List::stream);
        return all.filter(cell -> !cell.isEmpty())
                .map(cell -> cell.replace(BAR, '|'))
                .toList();
    }
}
