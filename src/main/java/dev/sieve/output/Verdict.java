package dev.sieve.output;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** What a visit has found. Every output and counter uses this judgement, which only {@link Row#verdict} makes. */
public enum Verdict {
    /** It is a part that its page does not have. Nothing was requested. */
    FRAGMENT,
    /** The request failed, or its response cannot be used. */
    FAILED,
    /** The URL redirects to another one. */
    REDIRECT,
    /** A link leads to it, and it redirects to another URL for good; the options ask for such links. */
    MOVED,
    /** A {@linkplain dev.sieve.fetch.BotWall bot wall} has responded in place of the site. */
    WALL("bot wall", "behind bot walls"),
    /** The site asks to log in, in place of what the URL has: the session has ended. */
    LOGIN("login", "behind a login, since the session has ended"),
    /** The options accept the status of the page, whatever it is. */
    ACCEPTED,
    /** The status of the page is from 400 on. */
    ERROR,
    PAGE;

    private static final List<Verdict> OF_OTHERS =
            Arrays.stream(values()).filter(Verdict::isOfOther).toList();

    private final String words;
    private final String place;

    Verdict() {
        this("", "");
    }

    /** That something has responded in place of the site. The field of the same name says what it was. */
    Verdict(String words, String place) {
        this.words = words;
        this.place = place;
    }

    /** Returns all by which something has responded in place of the site. */
    public static List<Verdict> ofOthers() {
        return OF_OTHERS;
    }

    /** Returns whether something has responded in place of the site, so that the URL neither works nor is broken. */
    public boolean isOfOther() {
        return !words.isEmpty();
    }

    /** Returns the name of what has responded with what it is: {@code bot wall: cloudflare}. */
    public String named(String responder) {
        return words + ": " + responder;
    }

    /** Returns whether no response can be used. */
    public boolean isFailed() {
        return this == FAILED || this == FRAGMENT;
    }

    /** Returns whether it leads to another URL. */
    public boolean isRedirect() {
        return this == REDIRECT || this == MOVED;
    }

    /** Returns whether there is a page, whatever its status. */
    public boolean isPage() {
        return !isFailed() && !isRedirect();
    }

    /** Returns whether a link to the URL is broken. */
    public boolean isBroken() {
        return isFailed() || this == ERROR;
    }

    /** Returns the name in files. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns what responds in place of a site, for people. */
    public String words() {
        return words;
    }

    /** Returns where URLs are, for people: {@code behind bot walls}. */
    public String place() {
        return place;
    }
}
