#!/bin/sh
# Completes the release in this folder, which has a Java runtime: with-java.sh TIME ARCHIVE
#
# It writes lib/sieve.jsa, the classes that help and a small crawl load, in the form in which that Java shares them (class
# data sharing), and packs all into ARCHIVE. The path of the jar is the one that bin/sieve uses; its time is TIME.
set -e
archive=$2
touch -d "$1" lib/sieve.jar
exec 3<lib
jar=/proc/self/fd/3/sieve.jar
list=classes.list
: >"$list"
for arguments in --help 'demo --hosts 2 --pages 20 --report report.html -o pages.jsonl'; do
    # shellcheck disable=SC2086 # Arguments are separated by spaces.
    runtime/bin/java -Xshare:off -XX:DumpLoadedClassList="$list.part" -jar "$jar" $arguments >/dev/null 2>&1
    # Java 17 crashes on lambdas of classes that were compiled for Java 5, as those of picocli are.
    grep -v '^@lambda-proxy' "$list.part" >>"$list"
done
runtime/bin/java -Xshare:dump -Xlog:disable -XX:SharedClassListFile="$list" -XX:SharedArchiveFile=lib/sieve.jsa -cp "$jar"
chmod 644 lib/sieve.jsa
rm -f "$list" "$list.part" report.html pages.jsonl
tar -C .. --sort=name --owner=0 --group=0 --numeric-owner --mtime="$1" -czf "$archive" "${PWD##*/}"
