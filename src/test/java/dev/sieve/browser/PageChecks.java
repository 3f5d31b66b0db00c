package dev.sieve.browser;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** What is checked of every page with tables and charts. */
public final class PageChecks {
    /** How many colors each chart has. */
    private static final String COLORS = """
            [...document.querySelectorAll('figure.chart canvas')].map(canvas => {
              if (canvas.offsetHeight === 0) { return 0; }
              const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', {willReadFrequently: true});
              copy.drawImage(canvas, 0, 0);
              const data = copy.getImageData(0, 0, canvas.width, canvas.height).data;
              return new Set(new Uint32Array(data.buffer)).size;
            })""";

    private PageChecks() {}

    /** Returns the problems of a page, and its requests except those of its icon, which is part of it. */
    public static List<String> problems(Tab tab) {
        return Stream.concat(
                        tab.problems().stream(),
                        tab.requests().stream()
                                .filter(url -> !url.startsWith("data:"))
                                .map(url -> "request: " + url))
                .toList();
    }

    /** Returns how many colors each chart has; one that is not drawn has a single one. */
    public static List<Integer> drawnCharts(Tab tab) {
        return numbers(tab.eval(COLORS)).stream().map(Double::intValue).toList();
    }

    /** Waits until all charts are drawn, and there are some. */
    public static void awaitCharts(Tab tab) {
        tab.await("(colors => colors.length > 0 && colors.every(each => each > 4))(" + COLORS + ")");
    }

    /** Returns the width that the page needs. */
    public static int width(Tab tab) {
        return tab.eval("document.documentElement.scrollWidth").asInt();
    }

    /** Returns how bright the background of the page is, from 0 to 255. */
    public static int brightness(Tab tab) {
        return tab.eval("getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).slice(0, 3)"
                        + ".reduce((sum, part) => sum + Number(part), 0) / 3")
                .asInt();
    }

    /** Returns the ids of the tables with headers. */
    public static List<String> tables(Tab tab) {
        return texts(tab.eval("[...document.querySelectorAll('table:has(thead)')].map(table => table.id)"));
    }

    /** Returns the ids of the tables that cannot be seen. */
    public static List<String> hiddenTables(Tab tab) {
        return texts(tab.eval("[...document.querySelectorAll('table')].filter(table => !table.checkVisibility()"
                + " || table.offsetHeight === 0).map(table => table.id)"));
    }

    /** Returns the texts of all cells, in the order of the page. */
    public static List<String> cells(Tab tab) {
        return texts(tab.eval("[...document.querySelectorAll('td, dd')].map(cell => cell.textContent)"));
    }

    /** Returns the numbers in a column, counted from 1. */
    public static List<Double> numbers(Tab tab, String table, int column) {
        return numbers(tab.eval("[...document.querySelectorAll('#" + table + " tbody tr')].map(row => Number(row.cells["
                + (column - 1) + "].dataset.v))"));
    }

    public static List<String> visibleRows(Tab tab, String table) {
        return texts(tab.eval("[...document.querySelectorAll('#" + table
                + " tbody tr')].filter(row => row.offsetHeight > 0).map(row => row.textContent)"));
    }

    /** Presses the button of each header twice. Returns whether the rows are then in an order and in its reverse. */
    public static boolean sortsByEachColumn(Tab tab, String table) {
        return tab.eval("""
                (table => [...table.tHead.rows[0].cells].every((header, column) => {
                  const keys = () => {
                    header.querySelector('button').click();
                    return [...table.tBodies[0].rows].map(row => {
                      const cell = row.cells[column];
                      return cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v);
                    });
                  };
                  const order = (a, b) => typeof a === 'number' && typeof b === 'number' ? a - b
                    : String(a).localeCompare(String(b));
                  const isOrdered = (list, sign) => list.every((key, i) => i === 0 || sign * order(list[i - 1], key) <= 0);
                  const [one, other] = [keys(), keys()];
                  return isOrdered(one, 1) && isOrdered(other, -1) || isOrdered(one, -1) && isOrdered(other, 1);
                }))(document.getElementById('""" + table + "'))").asBoolean();
    }

    /** Returns the marks that the texts of the hostile host of a demo web leave when they are more than text. */
    public static List<String> injections(Tab tab) {
        return texts(tab.eval("[window.injected === undefined ? '' : 'script',"
                + " ...[...document.querySelectorAll('.injected, [onerror], [onmouseover]')].map(e => e.outerHTML)]"
                + ".filter(text => text !== '')"));
    }

    private static List<String> texts(JsonNode array) {
        List<String> texts = new ArrayList<>();
        array.forEach(text -> texts.add(text.asText()));
        return texts;
    }

    private static List<Double> numbers(JsonNode array) {
        List<Double> numbers = new ArrayList<>();
        array.forEach(number -> numbers.add(number.asDouble()));
        return numbers;
    }
}
