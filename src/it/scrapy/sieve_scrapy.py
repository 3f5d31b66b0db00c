"""Scrapy's requests in `sieve serve`: they survive a kill, and many spiders can share them. See docs/others.md of Sieve."""
import heapq, itertools, json, logging, math, threading, time, uuid

import grpc
import urlfrontier_pb2 as protos
from scrapy import Request
from scrapy.core.scheduler import BaseScheduler
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.request import RequestFingerprinter, request_from_dict
from twisted.internet.defer import Deferred
from twisted.internet.threads import deferToThread
from urlfrontier_pb2_grpc import URLFrontierStub
from w3lib.url import canonicalize_url

log = logging.getLogger(__name__)
BATCH = 1_000  # requests per message; while five times as many are not stored, Scrapy waits
RECENT = 50_000  # requests that are known not to be new without asking
TICK = 0.05  # seconds between messages
MAX_BYTES = 100_000  # of a request in the protocol
PLAIN = Request("http://host/").to_dict()

def slot(engine):
    return getattr(engine, "_slot", None) or engine.slot  # since Scrapy 2.13, and before

class SieveScheduler(BaseScheduler):
    """Keeps requests in a crawl of `sieve serve`, to which a thread of its own talks: that of the reactor never waits.

    The thread sends what happens in its order: first what a callback yields, then that its request is done. So a kill at
    any moment loses nothing. The threads share only what operations of Python change atomically.
    """
    @classmethod
    def from_crawler(cls, crawler):
        return cls(crawler)

    def __init__(self, crawler):
        get, self.crawler, self.stats = crawler.settings.get, crawler, crawler.stats
        self.crawl, self.address = get("SIEVE_CRAWL") or crawler.spider.name, get("SIEVE_URL", "localhost:7071")
        self.lease, self.patience = int(get("SIEVE_LEASE", 300)), int(get("SIEVE_PATIENCE", 60))
        self.certificate = open(get("SIEVE_TLS_CERT"), "rb").read() if get("SIEVE_TLS_CERT") else None
        self.delay, self.concurrency = float(get("DOWNLOAD_DELAY")), int(get("CONCURRENT_REQUESTS"))
        self.thread, self.wakes = threading.Thread(target=self._run, name="sieve", daemon=True), threading.Event()
        self.outbox, self.unsent = [], 0  # what the server is to be told, and how much of it is on its way
        self.ready, self.local, self.numbers = [], [], itertools.count()  # requests at hand; those that are not stored
        self.leases, self.working = {}, {}  # (host, URL) to the end of its lease; request to (host, URL)
        self.recent, self.older, self.waiting = set(), set(), []
        self.last, self.last_url = (None, None), (None, None)  # texts that may be needed again
        self.is_closing = self.is_broken = self.is_drained = self.is_paused = False
        self.hosts, self.renewal = 4, 0.0  # about how many hosts have requests; when leases were renewed

    def open(self, spider):
        from twisted.internet import reactor  # not before Scrapy has chosen it
        self.spider, self.engine, self.reactor, self.slot = spider, self.crawler.engine, reactor, slot(self.crawler.engine)
        self.fingerprinter = self.crawler.request_fingerprinter
        self.is_standard = type(self.fingerprinter) is RequestFingerprinter
        remove = self.slot.remove_request  # is called when the callback, or errback, and all pipelines have ended
        self.slot.remove_request = lambda request: (self._done(request), remove(request))
        self.thread.start()

    def close(self, reason):
        self.is_closing = True
        self.wakes.set()
        return deferToThread(self.thread.join)

    def has_pending_requests(self):
        return not self.is_broken and bool(self.ready or self.local or self.outbox or self.unsent or not self.is_drained)

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
        self.recent.add(url)
        if len(self.recent) > RECENT:
            self.recent, self.older = set(), self.recent
        if self.is_behind() and not self.engine.paused:
            self.is_paused = True
            self.engine.pause()
        return True

    def next_request(self):
        if self.local or not self.ready:
            return self.local.pop() if self.local else self.wakes.set()
        _, _, url, fields = heapq.heappop(self.ready)
        try:
            headers = {name.encode("latin-1"): [value.encode("latin-1") for value in values]
                       for name, values in fields.get("headers", {}).items()}
            body = fields.get("body", "").encode("latin-1")
            request = request_from_dict({**fields, "headers": headers, "body": body}, spider=self.spider)
        except Exception as e:
            return self._fail(f"this spider cannot read the request {fields}: {e}")
        self.working[request] = url
        self.stats.inc_value("scheduler/dequeued")
        return request

    def url(self, request):
        """Returns a URL that is the same for two requests if Scrapy's fingerprint is."""
        if self.last_url[0] is not request:
            url = canonicalize_url(request.url) if self.is_standard else "fingerprint:"
            if request.dont_filter:
                url = f"{url}#{uuid.uuid4().hex}"
            elif not self.is_standard or request.method != "GET" or request.body:
                url = f"{url}#{self.fingerprinter.fingerprint(request).hex()}"
            self.last_url = request, url
        return self.last_url[1]

    def is_seen(self, url):
        is_seen = url in self.recent or url in self.older
        self.stats.inc_value("dupefilter/filtered", int(is_seen))
        return is_seen

    def is_behind(self):
        return len(self.outbox) + self.unsent > 5 * BATCH and not self.is_broken

    def _info(self, url, request):
        # Without what is as usual, so that the requests of a page are alike, and stored together.
        fields = {name: value for name, value in request.to_dict(spider=self.spider).items()
                  if value and value != (url if name == "url" else PLAIN.get(name))}
        if "headers" in fields:
            fields["headers"] = {name.decode("latin-1"): [value.decode("latin-1") for value in values]
                                 for name, values in request.headers.items()}
        if "body" in fields:
            fields["body"] = request.body.decode("latin-1")
        if fields != self.last[0]:
            text = json.dumps(fields)
            self.last = json.loads(text), text  # a copy, since others may change what is in meta
            if fields != self.last[0]:
                raise ValueError("meta or cb_kwargs are not the same after JSON")
        info = protos.URLInfo(url=url, key=urlparse_cached(request).hostname or "-", crawlID=self.crawl)
        info.metadata["request"].values.append(self.last[1])
        if request.priority > 0:
            info.metadata["sieve.priority"].values.append(str(request.priority))
        if info.ByteSize() > MAX_BYTES:
            raise ValueError(f"{info.ByteSize()} bytes; at most {MAX_BYTES}")
        return info

    def _done(self, request):
        if request in self.working:
            self.outbox.append(self._known(*self.working.pop(request)))

    def _known(self, host, url, until=0):
        """Returns that a request is done or, with a date, how long its lease lasts."""
        info = {"url": url, "key": host, "crawlID": self.crawl, "metadata": {"sieve.lease": protos.StringList()} if until else {}}
        return protos.URLItem(known={"info": protos.URLInfo(**info), "refetchable_from_date": int(until)})

    def _go_on(self):
        """Continues what waited for the server, on the thread of the reactor."""
        if not self.is_behind():
            waiting, self.waiting = self.waiting, []
            for each in waiting:
                each.callback(None)
            if self.is_paused:
                self.is_paused = False
                self.engine.unpause()
        if not self.slot.closing:
            self.slot.nextcall.schedule()

    def _fail(self, reason):
        log.error("%s; closing the spider, what is not done is done in the next run", reason)
        self.is_broken = True
        self.reactor.callFromThread(self._go_on)
        self.reactor.callFromThread(self.engine.close_spider, self.spider, "sieve")

    def _run(self):
        try:
            options = [("grpc.initial_reconnect_backoff_ms", 100), ("grpc.max_reconnect_backoff_ms", 1_000)]
            with (grpc.secure_channel(self.address, grpc.ssl_channel_credentials(self.certificate), options)
                  if self.certificate else grpc.insecure_channel(self.address, options)) as channel:
                self.server = URLFrontierStub(channel)
                self._call("SetDelay", protos.QueueDelayParams(crawlID=self.crawl, delay_requestable=math.ceil(self.delay)))
                while not self.is_broken and not (self.is_closing and not self.outbox):
                    self.wakes.wait(TICK)
                    self.wakes.clear()
                    self._send()
                    self._renew()
                    if not self.is_closing and not self.is_behind():
                        self._fetch()
                if not self.is_broken:
                    self._put([self._known(*url, until=time.time()) for _, _, url, _ in self.ready])
        except Exception as e:
            self._fail(f"{type(e).__name__} {e}")

    def _call(self, name, request):
        """Makes a call again and again while the server cannot be reached; only for a time once the spider is closed."""
        start, is_first = time.monotonic(), True
        while True:
            try:
                response = getattr(self.server, name)(iter(request) if isinstance(request, list) else request, timeout=60)
                return list(response) if hasattr(response, "__iter__") else response
            except grpc.RpcError as e:
                start = start if self.is_closing else time.monotonic()
                if e.code().name in ("INVALID_ARGUMENT", "UNIMPLEMENTED") or time.monotonic() - start > self.patience:
                    raise
                if is_first:
                    log.warning("%s: %s %s; trying again", self.address, e.code().name, e.details())
                is_first = False
                time.sleep(0.1)

    def _send(self):
        while self.outbox and not self.is_broken:
            self.unsent = min(BATCH, len(self.outbox))
            items = self.outbox[:self.unsent]
            del self.outbox[:self.unsent]
            batch = protos.DiscoveredBatch(items=[each for each in items if isinstance(each, protos.URLInfo)])
            if batch.items:
                self.is_drained = False
                statuses = list(self._call("PutDiscovered", [batch])[0].statuses)
                if protos.AckMessage.FAIL in statuses:
                    return self._fail("the server has no room: its filter or its memory is full")
                seen = statuses.count(protos.AckMessage.SKIPPED)
                self.reactor.callFromThread(self.stats.inc_value, "dupefilter/filtered", seen)
            self._put([each for each in items if isinstance(each, protos.URLItem)])
            self.unsent = 0
        if self.is_paused or self.waiting:
            self.reactor.callFromThread(self._go_on)

    def _put(self, items):
        if items:
            self._call("PutURLs", items)
        for known in (item.known for item in items if not item.known.refetchable_from_date):
            self.leases.pop((known.info.key, known.info.url), None)

    def _renew(self):
        now = time.time()
        if now - self.renewal > self.lease / 8:
            self.renewal = now
            old = {url: now + self.lease for url, end in self.leases.items() if end - now < self.lease / 2}
            self._put([self._known(*url, until=end) for url, end in old.items()])
            self.leases.update(old)

    def _fetch(self):
        most = 4 * self.concurrency
        if self.delay:  # what is handed out is requested at once, so that the delays of the server hold
            queues, each = self.concurrency - len(self.leases), max(1, int(1 / self.delay))
        else:
            queues, each = self.hosts if len(self.ready) < self.concurrency else 0, max(1, most // self.hosts)
        if queues <= 0:
            return
        end, hosts, most_urls = time.time() + self.lease, set(), dict(max_urls_per_queue=each, max_queues=queues)
        for info in self._call("GetURLs", protos.GetParams(delay_requestable=self.lease, crawlID=self.crawl, **most_urls)):
            url = info.key, info.url
            if url not in self.leases:  # otherwise the server was killed, and does not know that it is leased
                text = "".join(info.metadata["request"].values) or "{}"  # empty if another program discovered it
                fields = {"url": info.url, **json.loads(text)}
                heapq.heappush(self.ready, (-fields.get("priority", 0), next(self.numbers), url, fields))
            self.leases[url] = end
            hosts.add(info.key)
        self.hosts = min(most, 2 * len(hosts)) if len(hosts) >= self.hosts else max(1, len(hosts), self.hosts // 2)
        if not self.leases and not self.outbox:
            stats = self._call("GetStats", protos.QueueWithinCrawlParams(crawlID=self.crawl))
            self.is_drained = stats.size == 0 and not self.outbox
        if hosts or self.is_drained:
            self.reactor.callFromThread(self._go_on)

class SieveMiddleware:
    """A spider middleware: start requests are filtered like others, and a callback waits while too much is not stored."""
    @classmethod
    def from_crawler(cls, crawler):
        return cls(crawler)

    def __init__(self, crawler):
        self.crawler = crawler

    def process_start_requests(self, start_requests, spider):
        return (request.replace(dont_filter=False) for request in start_requests)

    async def process_start(self, start):
        async for each in start:
            yield each.replace(dont_filter=False) if isinstance(each, Request) else each

    async def process_spider_output(self, response, result, spider):
        scheduler = slot(self.crawler.engine).scheduler
        async for each in result:
            if not isinstance(each, Request) or not scheduler.is_seen(scheduler.url(each)):
                yield each
            if scheduler.is_behind():
                scheduler.waiting.append(Deferred())
                await maybe_deferred_to_future(scheduler.waiting[-1])
