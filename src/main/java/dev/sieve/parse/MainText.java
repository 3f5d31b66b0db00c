package dev.sieve.parse;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Passes on the main part of a document: the {@linkplain ArticleText article} of a page that has one, else what its
 * landmarks say.
 *
 * <p>By its landmarks, it is what the {@code main} elements contain; without one, what the {@code article} elements
 * contain; without one, all of the document, and so it is where these contain less than a fifth of the text: a page
 * may have an empty {@code main} element, or only teasers in {@code article} elements. Navigation is not part of it:
 * {@code nav}, {@code aside} and {@code search}, and each {@code header} and {@code footer} that belongs to the whole
 * page, because no {@code main}, {@code article} or {@code section} is around it. The first role of an element has
 * precedence over its name: {@code main}, {@code article}, {@code region}, {@code navigation}, {@code complementary},
 * {@code search}, {@code banner}, {@code contentinfo}.
 */
final class MainText implements TextWriter {
    /** More elements than the parser keeps open; those of broken markup may not end. */
    static final int MAX_OPEN = 1000;

    private static final int MAX_ROLE = 100;
    private static final int LEAST_SHARE = 5;

    private enum Part {
        LEFT_OUT,
        SECTION,
        ARTICLE,
        MAIN
    }

    private record Open(DocumentElement element, Part part) {}

    private final Supplier<TextWriter> form;
    private TextWriter text;
    /** All of the document but navigation. */
    private final TextWriter all;
    /** Which part of that is an article. */
    private final ArticleText article = new ArticleText();

    private final Deque<Open> open = new ArrayDeque<>();
    private final Map<Part, Integer> depths = new EnumMap<>(Part.class);
    /** The part that is passed on; null as long as it is all of the document. */
    private @Nullable Part wanted;

    /** Creates an empty text in the form of some writers. */
    MainText(Supplier<TextWriter> form) {
        this.form = form;
        text = form.get();
        all = form.get();
    }

    @Override
    public void begin(DocumentElement element) {
        Part part = open.size() < MAX_OPEN ? part(element) : null;
        if (part != null) {
            boolean isBetter = part.compareTo(wanted == null ? Part.SECTION : wanted) > 0;
            if (isBetter && !isIn(Part.LEFT_OUT)) {
                wanted = part;
                text = form.get();
            }
            open.push(new Open(element, part));
            depths.merge(part, 1, Integer::sum);
        }
        if (part != null || isWanted()) {
            text.begin(element);
        }
        if (part != null || !isIn(Part.LEFT_OUT)) {
            article.begin(element, all.length());
            all.begin(element);
        }
    }

    @Override
    public void text(String part) {
        if (isWanted()) {
            text.text(part);
        }
        if (!isIn(Part.LEFT_OUT)) {
            all.text(part);
            article.text(part);
        }
    }

    @Override
    public void end(DocumentElement element) {
        boolean isPart = isOpen(element);
        if (isPart || isWanted()) {
            text.end(element);
        }
        if (isPart || !isIn(Part.LEFT_OUT)) {
            all.end(element);
            article.end(element, all.length());
        }
        while (isPart) {
            Open last = open.pop();
            depths.merge(last.part, -1, Integer::sum);
            isPart = !last.element.equals(element);
        }
    }

    @Override
    public int length() {
        return all.length();
    }

    @Override
    public Kept finish() {
        Kept main = text.finish();
        Kept whole = all.finish();
        Kept kept = main.text().length() < whole.text().length() / LEAST_SHARE ? whole : main;
        Kept found = article.in(whole, wanted != null);
        double share =
                found == null ? 0 : (double) found.text().length() / kept.text().length();
        // With less it may be something else; with more it is the same.
        return found == null || share < 0.1 || share > 0.95 ? kept : found;
    }

    private boolean isOpen(DocumentElement element) {
        return !open.isEmpty() && open.stream().anyMatch(each -> each.element.equals(element));
    }

    private boolean isIn(Part part) {
        return depths.getOrDefault(part, 0) > 0;
    }

    private boolean isWanted() {
        return !isIn(Part.LEFT_OUT) && (wanted == null || isIn(wanted));
    }

    private @Nullable Part part(DocumentElement element) {
        if (!element.isHtml()) {
            return null;
        }
        String role = element.value("role");
        if (!role.isBlank() && role.length() <= MAX_ROLE) {
            return switch (element.words("role").get(0)) {
                case "main" -> Part.MAIN;
                case "article" -> Part.ARTICLE;
                case "region" -> Part.SECTION;
                case "navigation", "complementary", "search", "banner", "contentinfo" -> Part.LEFT_OUT;
                default -> null;
            };
        }
        return switch (element.name()) {
            case "main" -> Part.MAIN;
            case "article" -> Part.ARTICLE;
            case "section" -> Part.SECTION;
            case "nav", "aside", "search" -> Part.LEFT_OUT;
            case "header", "footer" ->
                isIn(Part.SECTION) || isIn(Part.ARTICLE) || isIn(Part.MAIN) ? null : Part.LEFT_OUT;
            default -> null;
        };
    }
}
