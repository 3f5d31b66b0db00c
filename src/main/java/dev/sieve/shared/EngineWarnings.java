package dev.sieve.shared;

import dev.sieve.shared.EngineAddress.Server;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The settings of an engine that can lose URLs, each with the line that corrects it. */
final class EngineWarnings {
    private EngineWarnings() {}

    /** Returns what should be changed, given what each node reports of itself. */
    static List<String> of(Session session, Map<Server, Map<String, String>> infos) {
        Set<String> warnings = new LinkedHashSet<>();
        infos.forEach((node, info) -> {
            if ("0".equals(info.get("aof_enabled"))) {
                warnings.add("appendonly is off, so the engine loses the crawl when it ends: set 'appendonly yes'");
            } else if ("no".equals(info.get(Link.APPENDFSYNC))) {
                warnings.add("appendfsync is 'no', so the engine loses up to half a minute when its machine fails:"
                        + " set 'appendfsync everysec' or 'always'");
            } else if (session.setting(node, "no-appendfsync-on-rewrite").equals("yes")) {
                warnings.add(
                        "no-appendfsync-on-rewrite is 'yes', so the engine loses up to half a minute when its machine"
                                + " fails while it rewrites its log: set 'no-appendfsync-on-rewrite no'");
            }
            String policy = info.getOrDefault("maxmemory_policy", "noeviction");
            if (!policy.equals("noeviction")) {
                warnings.add("maxmemory-policy is '" + policy + "', so the engine removes URLs when its memory is full:"
                        + " set 'maxmemory-policy noeviction'");
            }
            if (session.topology().isCluster()) {
                ofCluster(session, node, Replies.count(info.get("connected_slaves")), warnings);
            }
        });
        return List.copyOf(warnings);
    }

    private static void ofCluster(Session session, Server node, long connected, Set<String> warnings) {
        Topology.Replicas replicas = session.topology().replicas(node);
        if (replicas.electable() > 0 && connected > replicas.present()) {
            warnings.add("a replica that is not a node of the cluster is connected to " + node
                    + ", so a page may be stored as finished before the replicas of the cluster have its links:"
                    + " disconnect it");
        }
        if (replicas.electable() == 0) {
            warnings.add("a node has no replica, so the crawl waits while it is away: " + node);
        }
        if (session.setting(node, "cluster-replica-validity-factor").equals("0")) {
            warnings.add(
                    "cluster-replica-validity-factor is 0, so a replica with old data may take the place of a node:"
                            + " set 'cluster-replica-validity-factor 10'");
        }
        long electableMillis = Replies.count(session.setting(node, "cluster-node-timeout"))
                * Replies.count(session.setting(node, "cluster-replica-validity-factor"));
        if (electableMillis > Topology.ELECTABLE_MILLIS) {
            warnings.add(
                    "cluster-node-timeout times cluster-replica-validity-factor is more than 3 minutes, so a replica"
                            + " that was away for longer may take the place of a node: set a lower one");
        }
        if (session.setting(node, "replica-read-only").equals("no")) {
            warnings.add("replica-read-only is 'no', so a replica may store what its primary does not:"
                    + " set 'replica-read-only yes'");
        }
        if (session.setting(node, "cluster-require-full-coverage").equals("no")) {
            warnings.add("cluster-require-full-coverage is 'no', so parts of the cluster go on alone:"
                    + " set 'cluster-require-full-coverage yes'");
        }
    }
}
