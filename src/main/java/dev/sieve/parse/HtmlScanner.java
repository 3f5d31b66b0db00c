package dev.sieve.parse;

import java.util.Arrays;

/**
 * Finds the tags of a document, without making a tree of it: the tokenizer of the HTML standard (html.spec.whatwg.org,
 * section 13.2.5) over bytes of any charset that has ASCII in it, cut down to what tells a tag from text.
 *
 * <p>Comments, scripts and other elements whose content is text are skipped as the standard says. Where that depends on
 * the tree, which is not there, it is told by the tags alone: inside of SVG and MathML an element may close itself, and
 * none has text for content.
 *
 * <p>Takes time in proportion to the bytes and memory that does not depend on them, whatever they are.
 */
final class HtmlScanner {
    private static final int MAX_FOREIGN = 64;

    private final byte[] html;
    private final int end;
    private final boolean isXml;
    private final Visitor visitor;
    private int position;

    /** The kinds of content around the present place that are not plain HTML; the innermost is the last. */
    private final Tag[] around = new Tag[MAX_FOREIGN];

    private int depth;

    /** What is done with the tags. Places are indices into the bytes, the second one behind the end. */
    interface Visitor {
        /** A start tag whose attributes have been read. */
        void startTag(Tag tag, HtmlScanner attributes);

        /** The text in an element whose content is text. */
        void text(Tag tag, int from, int to);
    }

    private static final int SLOTS = 6;
    static final int HREF = 0;
    static final int SRC = 1;
    static final int REL = 2;
    static final int NAME = 3;
    static final int CONTENT = 4;
    static final int CHARSET = 5;
    private static final int[] ATTRIBUTES = {
        Tag.hash("href"), Tag.hash("src"), Tag.hash("rel"), Tag.hash("name"), Tag.hash("content"), Tag.hash("charset")
    };

    private final int[] from = new int[SLOTS];
    private final int[] to = new int[SLOTS];

    /**
     * A scan that begins.
     *
     * @param end where to stop, behind the last byte
     * @param isXml whether elements whose content is text may close themselves
     */
    HtmlScanner(byte[] html, int end, boolean isXml, Visitor visitor) {
        this.html = html;
        this.end = end;
        this.isXml = isXml;
        this.visitor = visitor;
    }

    /** Where the value of an attribute of the present tag begins; -1 when it has none. */
    int from(int attribute) {
        return from[attribute];
    }

    /** Behind the value of an attribute of the present tag. */
    int to(int attribute) {
        return to[attribute];
    }

    void scan() {
        while (position < end) {
            if (html[position] != '<') {
                position++;
                continue;
            }
            int next = at(position + 1);
            if (isLetter(next)) {
                startTag();
            } else if (next == '/') {
                endTag();
            } else if (next == '!') {
                declaration();
            } else if (next == '?') {
                position = behind('>', position + 2);
            } else {
                position++;
            }
        }
    }

    private void startTag() {
        Tag tag = name(position + 1);
        Arrays.fill(from, -1);
        boolean isClosed = attributes();
        if (position > end) {
            return;
        }
        boolean isForeign = enter(tag, isClosed);
        visitor.startTag(tag, this);
        if (tag == Tag.PLAINTEXT && !isForeign) {
            position = end;
        } else if (tag.isText() && !isForeign && !(isXml && isClosed)) {
            int start = position;
            visitor.text(tag, start, tag == Tag.SCRIPT ? script() : text(tag, start));
        }
    }

    private void endTag() {
        if (isLetter(at(position + 2))) {
            Tag tag = name(position + 2);
            attributes();
            leave(tag);
        } else if (at(position + 2) == '>') {
            position += 3;
        } else {
            position = behind('>', position + 2);
        }
    }

    private Tag name(int start) {
        int hash = 0;
        int i = start;
        for (; i < end && !isBlank(html[i]) && html[i] != '>' && html[i] != '/'; i++) {
            hash = Tag.hash(hash, html[i]);
        }
        position = i;
        return Tag.of(hash);
    }

    /**
     * Reads attributes to the end of their tag. Where the document ends first there was no tag, and the position is then
     * behind the end.
     *
     * @return whether the tag closes itself
     */
    private boolean attributes() {
        while (position < end) {
            int c = html[position];
            if (c == '>') {
                position++;
                return html[position - 2] == '/';
            }
            if (isBlank(c) || c == '/') {
                position++;
            } else {
                attribute();
            }
        }
        position = end + 1;
        return false;
    }

    private void attribute() {
        int hash = 0;
        do {
            hash = Tag.hash(hash, html[position++]);
        } while (position < end && !endsName(html[position]));
        int i = position;
        while (i < end && isBlank(html[i])) {
            i++;
        }
        if (i == end || html[i] != '=') {
            keep(hash, i, i);
            position = i;
            return;
        }
        i++;
        while (i < end && isBlank(html[i])) {
            i++;
        }
        value(hash, i);
    }

    private void value(int hash, int start) {
        int quote = at(start);
        int i = start;
        if (quote == '"' || quote == '\'') {
            i = start + 1;
            while (i < end && html[i] != quote) {
                i++;
            }
            keep(hash, start + 1, i);
            position = i + 1;
            return;
        }
        while (i < end && !isBlank(html[i]) && html[i] != '>') {
            i++;
        }
        keep(hash, start, i);
        position = i;
    }

    /** Of attributes of one name the first counts. */
    private void keep(int hash, int start, int behind) {
        for (int slot = 0; slot < SLOTS; slot++) {
            if (ATTRIBUTES[slot] == hash && from[slot] < 0) {
                from[slot] = start;
                to[slot] = behind;
            }
        }
    }

    private void declaration() {
        if (at(position + 2) == '-' && at(position + 3) == '-') {
            comment(position + 4);
        } else if ((isXml || isForeign()) && startsWith("[cdata[", position + 2)) {
            int i = position + 9;
            while (i < end && !(html[i] == '>' && html[i - 1] == ']' && html[i - 2] == ']')) {
                i++;
            }
            position = i + 1;
        } else {
            position = behind('>', position + 2);
        }
    }

    private void comment(int start) {
        if (at(start) == '>' || (at(start) == '-' && at(start + 1) == '>')) {
            position = behind('>', start);
            return;
        }
        for (int i = start; i < end; i++) {
            boolean closes = html[i] == '>'
                    && ((i - start >= 2 && html[i - 1] == '-' && html[i - 2] == '-')
                            || (i - start >= 3 && html[i - 1] == '!' && html[i - 2] == '-' && html[i - 3] == '-'));
            if (closes) {
                position = i + 1;
                return;
            }
        }
        position = end;
    }

    /** Skips text to the end tag of its element; answers where the text ends. */
    private int text(Tag tag, int start) {
        for (int i = start; i < end; i++) {
            if (html[i] == '<' && at(i + 1) == '/' && isName(tag, i + 2)) {
                position = i;
                return i;
            }
        }
        position = end;
        return end;
    }

    /** Skips a script, in which a comment may hold a further one, end tag and all; answers where the text ends. */
    private int script() {
        boolean isComment = false;
        boolean isInner = false;
        for (int i = position; i < end; i++) {
            if (html[i] == '>') {
                boolean endsComment = html[i - 1] == '-' && html[i - 2] == '-';
                isComment &= !endsComment;
                isInner &= !endsComment;
            } else if (html[i] == '<') {
                if (at(i + 1) == '/' && isName(Tag.SCRIPT, i + 2)) {
                    if (!isInner) {
                        position = i;
                        return i;
                    }
                    isInner = false;
                } else if (startsWith("!--", i + 1)) {
                    isComment = true;
                } else if (isComment && isName(Tag.SCRIPT, i + 1)) {
                    isInner = true;
                }
            }
        }
        position = end;
        return end;
    }

    private boolean isName(Tag tag, int start) {
        String name = tag.lowerCase();
        if (start + name.length() >= end) {
            return false;
        }
        for (int i = 0; i < name.length(); i++) {
            if ((html[start + i] | 0x20) != name.charAt(i)) {
                return false;
            }
        }
        int behind = html[start + name.length()];
        return isBlank(behind) || behind == '>' || behind == '/';
    }

    private boolean startsWith(String lowerCase, int start) {
        if (start + lowerCase.length() > end) {
            return false;
        }
        for (int i = 0; i < lowerCase.length(); i++) {
            int c = html[start + i];
            if ((c >= 'A' && c <= 'Z' ? c | 0x20 : c) != lowerCase.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    private boolean isForeign() {
        return depth > 0 && !around[depth - 1].isIntegrationPoint();
    }

    /** Keeps track of SVG and MathML at a start tag; answers whether the tag is one of theirs. */
    private boolean enter(Tag tag, boolean isClosed) {
        boolean wasForeign = isForeign();
        if (wasForeign && tag.endsForeign()) {
            endForeign();
            return false;
        }
        boolean begins = tag == Tag.SVG || tag == Tag.MATH || (wasForeign && tag.isIntegrationPoint());
        if (begins && !isClosed && depth < MAX_FOREIGN) {
            around[depth++] = tag;
        }
        return wasForeign;
    }

    private void leave(Tag tag) {
        if (depth > 0 && around[depth - 1] == tag) {
            depth--;
        } else if (isForeign() && tag.endsForeign()) {
            endForeign();
        }
    }

    private void endForeign() {
        while (isForeign()) {
            depth--;
        }
    }

    private int behind(int c, int start) {
        int i = start;
        while (i < end && html[i] != c) {
            i++;
        }
        return i + 1;
    }

    private int at(int index) {
        return index < end ? html[index] : -1;
    }

    private static boolean endsName(int c) {
        return isBlank(c) || c == '>' || c == '/' || c == '=';
    }

    private static boolean isLetter(int c) {
        int lower = c | 0x20;
        return lower >= 'a' && lower <= 'z';
    }

    private static boolean isBlank(int c) {
        return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f';
    }
}
