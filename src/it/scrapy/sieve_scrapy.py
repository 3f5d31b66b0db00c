"""Scrapy's requests in `sieve serve`: they survive a kill, and spiders can share them. See docs/others.md of Sieve."""
import collections, functools, heapq, itertools, json, logging, math, threading, time, uuid

import grpc
import urlfrontier_pb2 as protos
from scrapy import Request
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.request import RequestFingerprinter, request_from_dict
from twisted.internet.defer import Deferred, ensureDeferred
from twisted.internet.task import deferLater
from twisted.internet.threads import deferToThread
from urlfrontier_pb2_grpc import URLFrontierStub
from w3lib.url import canonicalize_url

log = logging.getLogger(__name__)
BATCH = 1_000  # requests per message; while five times as many are not stored, Scrapy waits
RECENT = 100_000  # requests that are known not to be new without asking
TICK = 0.05  # seconds between messages
MAX_BYTES = 100_000  # of a request in the protocol
PLAIN = Request("http://host/").to_dict()
canonical = functools.lru_cache(10_000)(canonicalize_url)


def recoded(convert, headers):
    """Returns headers as text, or as bytes."""
    return {convert(name, "latin-1"): [convert(each, "latin-1") for each in values] for name, values in headers.items()}


class FromCrawler:
    def __init__(self, crawler):
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler):
        return cls(crawler)


class SieveScheduler(FromCrawler):
    """Keeps requests in a crawl of `sieve serve`: what happens is sent in its order, and calls wait in threads.

    First what a callback yields is stored, then that its request is done. So a kill at any moment loses nothing.
    """

    def open(self, spider):
        from twisted.internet import reactor  # not before Scrapy has chosen it
        self.spider, self.reactor, self.engine, self.stats = spider, reactor, self.crawler.engine, self.crawler.stats
        self.fingerprinter, get = self.crawler.request_fingerprinter, self.crawler.settings.get
        self.slot = getattr(self.engine, "_slot", None) or self.engine.slot  # since Scrapy 2.13, and before
        self.crawl, self.address = get("SIEVE_CRAWL") or spider.name, get("SIEVE_URL", "localhost:7071")
        self.lease, self.patience = int(get("SIEVE_LEASE", 300)), int(get("SIEVE_PATIENCE", 60))
        self.concurrency, self.delay = int(get("CONCURRENT_REQUESTS")), float(get("DOWNLOAD_DELAY"))
        self.engine.downloader.randomize_delay = False  # otherwise spiders wait differently after the server has
        self.outbox = []  # what the server is to be told
        self.ready, self.local, self.numbers = [], [], itertools.count()  # requests at hand; those that are not stored
        self.leases, self.working = set(), {}  # (host, URL); request to (host, URL)
        self.recent, self.waiting = collections.OrderedDict(), []
        self.closed = self.is_broken = self.is_drained = self.is_paused = False
        self.hosts = 4  # about how many have requests
        remove = self.slot.remove_request  # is called when the callback, or errback, and all pipelines have ended
        self.slot.remove_request = lambda request: (self._done(request), remove(request))
        options = [("grpc.initial_reconnect_backoff_ms", 100), ("grpc.max_reconnect_backoff_ms", 1_000)]
        ca = open(get("SIEVE_TLS_CERT"), "rb").read() if get("SIEVE_TLS_CERT") else None
        self.channel = (grpc.secure_channel(self.address, grpc.ssl_channel_credentials(ca), options) if ca
                        else grpc.insecure_channel(self.address, options))
        self.server, self.ended = URLFrontierStub(self.channel), threading.Event()
        self.renewer = threading.Thread(target=self._renew, name="sieve", daemon=True)
        self.renewer.start()
        self.crawler.sieve, self.run = self, ensureDeferred(self._run())

    def close(self, reason):
        self.closed = time.monotonic()
        return self.run

    def has_pending_requests(self):
        return not self.is_broken and bool(self.ready or self.local or self.outbox or not self.is_drained)

    def enqueue_request(self, request):
        url = self.url(request)
        if self.is_seen(url):
            return False
        self.is_drained = False
        try:
            self.outbox.append(self._info(url, request))
        except Exception as e:
            log.warning("%s is kept in memory, and would be lost in a crash: %s", request, e)
            self.stats.inc_value("sieve/not_stored")
            self.local.append(request)
        self.stats.inc_value("scheduler/enqueued")
        self.recent[url] = None
        if len(self.recent) > RECENT:
            self.recent.popitem(last=False)
        if self.is_behind() and not self.engine.paused:
            self.is_paused = True
            self.engine.pause()
        return True

    def next_request(self):
        if self.local or not self.ready:
            return self.local.pop() if self.local else None
        _, _, url, fields = heapq.heappop(self.ready)
        try:
            headers, body = recoded(str.encode, fields.get("headers", {})), fields.get("body", "").encode("latin-1")
            request = request_from_dict({**fields, "headers": headers, "body": body}, spider=self.spider)
        except Exception as e:
            return self._fail(f"this spider cannot read the request {fields}: {e}")
        self.working[request] = url
        self.stats.inc_value("scheduler/dequeued")
        return request

    def url(self, request):
        """Returns a URL that is the same for two requests if Scrapy's fingerprint is."""
        is_standard = type(self.fingerprinter) is RequestFingerprinter
        url = canonical(request.url) if is_standard else "fingerprint:"
        if request.dont_filter:
            return f"{url}#{uuid.uuid4().hex}"
        is_plain = is_standard and request.method == "GET" and not request.body
        return url if is_plain else f"{url}#{self.fingerprinter.fingerprint(request).hex()}"

    def is_seen(self, url):
        self.stats.inc_value("dupefilter/filtered", int(url in self.recent))
        return url in self.recent

    def is_behind(self):
        return len(self.outbox) > 5 * BATCH and not self.is_broken

    def _info(self, url, request):
        # Without what is as usual, so that the requests of a page are alike, and stored together.
        fields = {name: value for name, value in request.to_dict(spider=self.spider).items()
                  if value and value != (url if name == "url" else PLAIN.get(name))}
        if "headers" in fields:
            fields["headers"] = recoded(bytes.decode, request.headers)
        if "body" in fields:
            fields["body"] = request.body.decode("latin-1")
        text = json.dumps(fields)
        if json.loads(text) != fields:
            raise ValueError("meta or cb_kwargs are not the same after JSON")
        info = protos.URLInfo(url=url, key=urlparse_cached(request).hostname or "-", crawlID=self.crawl)
        info.metadata["request"].values.append(text)
        if request.priority > 0:
            info.metadata["sieve.priority"].values.append(str(request.priority))
        if info.ByteSize() > MAX_BYTES:
            raise ValueError(f"{info.ByteSize()} bytes; at most {MAX_BYTES}")
        return info

    def _known(self, host, url, until=0):
        """Returns that a request is done or, with a date, how long its lease lasts."""
        metadata = {"sieve.lease": protos.StringList()} if until else {}
        info = protos.URLInfo(url=url, key=host, crawlID=self.crawl, metadata=metadata)
        return protos.URLItem(known={"info": info, "refetchable_from_date": int(until)})

    def _done(self, request):
        if request in self.working:
            self.outbox.append(self._known(*self.working.pop(request)))

    def _fail(self, reason):
        log.error("%s; closing the spider, what is not done is done in the next run", reason)
        self.is_broken = True
        self._go_on()
        if not self.closed:
            self.reactor.callLater(0, self.engine.close_spider, self.spider, "sieve")

    def _go_on(self):
        """Continues what waited for the server."""
        if not self.is_behind():
            waiting, self.waiting = self.waiting, []
            for each in waiting:
                each.callback(None)
            if self.is_paused:
                self.is_paused = False
                self.engine.unpause()
        if not self.slot.closing:
            self.slot.nextcall.schedule()

    def _renew(self):
        """Renews the leases in a thread, also while a callback lets the reactor wait."""
        pause = self.lease / 4
        while not self.ended.wait(pause):
            leases, end, pause = list(self.leases), time.time() + self.lease, self.lease / 4
            try:
                list(self.server.PutURLs((self._known(*url, until=end) for url in leases), timeout=pause))
            except (grpc.RpcError, ValueError):  # the latter when the channel has just been closed
                pause = 1

    async def _run(self):
        try:
            delay = math.ceil(self.delay)
            await self._call("SetDelay", protos.QueueDelayParams(crawlID=self.crawl, delay_requestable=delay))
            while not self.is_broken and not (self.closed and not self.outbox):
                await self._send()
                if not self.closed and not self.is_broken and not self.is_behind():
                    await self._fetch()
                await deferLater(self.reactor, 0 if self.closed else TICK)
            self.ended.set()
            await deferToThread(self.renewer.join)  # so that no lease is renewed after it was given back
            if not self.is_broken:
                await self._call("PutURLs", [self._known(*url, until=time.time()) for _, _, url, _ in self.ready])
        except Exception as e:
            self._fail(f"{type(e).__name__} {e}")
        finally:
            self.ended.set()
            self.channel.close()

    async def _call(self, name, request):
        """Makes a call again while the server cannot be reached; only for a time once the spider is closed."""
        def call():
            response = getattr(self.server, name)(iter(request) if isinstance(request, list) else request, timeout=60)
            return list(response) if hasattr(response, "__iter__") else response

        for attempt in itertools.count():
            try:
                return await deferToThread(call)
            except grpc.RpcError as e:
                problem = f"{self.address}: {e.code().name} {e.details()}"
                is_over = self.closed and time.monotonic() - self.closed > self.patience
                if is_over or e.code().name in ("INVALID_ARGUMENT", "UNIMPLEMENTED"):
                    raise OSError(problem) from e
                if not attempt:
                    log.warning("%s; trying again", problem)
                await deferLater(self.reactor, 0.1)

    async def _send(self):
        while self.outbox and not self.is_broken:
            items = self.outbox[:BATCH]
            infos = [each for each in items if isinstance(each, protos.URLInfo)]
            known = [each for each in items if isinstance(each, protos.URLItem)]
            if infos:
                statuses = list((await self._call("PutDiscovered", [protos.DiscoveredBatch(items=infos)]))[0].statuses)
                if protos.AckMessage.FAIL in statuses:
                    return self._fail("the server has no room: its filter or its memory is full")
                self.stats.inc_value("dupefilter/filtered", statuses.count(protos.AckMessage.SKIPPED))
            if known:
                await self._call("PutURLs", known)
                self.leases.difference_update((each.known.info.key, each.known.info.url) for each in known)
            del self.outbox[:len(items)]
        if self.is_paused or self.waiting:
            self._go_on()

    async def _fetch(self):
        most = 4 * self.concurrency
        if self.delay:  # what is handed out is requested at once, so that the delays of the server hold
            queues, each = self.concurrency - len(self.leases), max(1, int(1 / self.delay))
        else:
            queues, each = self.hosts if len(self.ready) < self.concurrency else 0, max(1, most // self.hosts)
        if queues <= 0:
            return
        hosts, limits = set(), {"max_urls_per_queue": each, "max_queues": queues, "delay_requestable": self.lease}
        for info in await self._call("GetURLs", protos.GetParams(crawlID=self.crawl, **limits)):
            url = info.key, info.url
            if url not in self.leases:  # otherwise the server was killed, and does not know that it is leased
                text = "".join(info.metadata["request"].values) or "{}"  # empty if another program discovered it
                fields = {"url": info.url, **json.loads(text)}
                heapq.heappush(self.ready, (-fields.get("priority", 0), next(self.numbers), url, fields))
            self.leases.add(url)
            hosts.add(info.key)
        self.hosts = min(most, 2 * len(hosts)) if len(hosts) >= self.hosts else max(1, len(hosts), self.hosts // 2)
        if not self.leases and not self.outbox:
            stats = await self._call("GetStats", protos.QueueWithinCrawlParams(crawlID=self.crawl))
            self.is_drained = stats.size == 0 and not self.outbox
        if hosts or self.is_drained:
            self._go_on()


class SieveMiddleware(FromCrawler):
    """Start requests are filtered like others, and a callback waits while too much is not stored."""

    def process_start_requests(self, start_requests, spider):
        return (request.replace(dont_filter=False) for request in start_requests)

    async def process_start(self, start):
        async for each in start:
            yield each.replace(dont_filter=False) if isinstance(each, Request) else each

    async def process_spider_output(self, response, result, spider):
        scheduler = self.crawler.sieve
        async for each in result:
            if not isinstance(each, Request) or not scheduler.is_seen(scheduler.url(each)):
                yield each
            if scheduler.is_behind():
                scheduler.waiting.append(Deferred())
                await maybe_deferred_to_future(scheduler.waiting[-1])
