/** Crawlee's request queues in `sieve serve`: they survive a kill, and many crawlers can share one. See docs/others.md of Sieve. */
const { createHash } = require('node:crypto');
const { setTimeout: sleep } = require('node:timers/promises');
const path = require('node:path');
const grpc = require('@grpc/grpc-js');
const loader = require('@grpc/proto-loader');
const { MemoryStorage } = require('@crawlee/memory-storage');

const PROTO = loader.loadSync(path.join(__dirname, 'urlfrontier.proto'), { keepCase: true, longs: Number, enums: String });
const { URLFrontier } = grpc.loadPackageDefinition(PROTO).urlfrontier;
const FINAL = [grpc.status.INVALID_ARGUMENT, grpc.status.UNIMPLEMENTED];
const seconds = () => Math.floor(Date.now() / 1000);

/** The ID that Crawlee gives to a request. */
const idOf = (key) => createHash('sha256').update(key).digest('base64').replace(/[+/=]/g, '').slice(0, 15);

/** A storage client for Crawlee: request queues are crawls of a server, all else is stored as usual. */
class SieveStorage extends MemoryStorage {
    /**
     * url: address of the server; delay: seconds between two requests to a host, for all crawlers together; lease: seconds
     * after which a request of a crawler that was killed is handed out again; ca: certificate in PEM, for TLS; patience:
     * seconds after which a server that cannot be reached is an error.
     */
    constructor({ url = 'localhost:7071', delay = 0, lease = 60, ca, patience = 60, ...options } = {}) {
        super(options);
        const credentials = ca ? grpc.credentials.createSsl(ca) : grpc.credentials.createInsecure();
        this.server = new URLFrontier(url, credentials, { 'grpc.max_reconnect_backoff_ms': 1000 });
        this.sieve = { delay, lease, patience };
        this.queues = new Map();
    }

    requestQueue(id) {
        if (!this.queues.has(id)) {
            this.queues.set(id, new SieveQueue(this.server, id, this.sieve));
        }
        return this.queues.get(id);
    }

    requestQueues() {
        return { getOrCreate: (name) => this.requestQueue(name).get(), list: async () => ({ items: [] }) };
    }

    async teardown() {
        await Promise.all([...this.queues.values()].map((queue) => queue.giveBack()));
        this.server.close();
        await super.teardown?.();
    }
}

/** A crawl as a request queue. A request's unique key is its URL in the protocol; its other data are metadata. */
class SieveQueue {
    constructor(server, id, options) {
        Object.assign(this, { server, id, ...options });
        setInterval(() => this.renew().catch(() => {}), this.lease * 250).unref();
        this.held = new Map(); // ID to the request, and the time when its lease ends
    }

    /** Makes a call until the server answers. */
    async call(start) {
        for (const end = Date.now() + this.patience * 1000; ; await sleep(200)) {
            try {
                return await start();
            } catch (e) {
                if (FINAL.includes(e.code) || e.code === undefined || Date.now() > end) throw e;
            }
        }
    }

    unary(name, request) {
        return this.call(() => new Promise((resolve, reject) => {
            this.server[name](request, (error, response) => (error ? reject(error) : resolve(response)));
        }));
    }

    /** Sends messages, if there are any to send, and returns all that come back. */
    stream(name, first, ...messages) {
        return this.call(() => new Promise((resolve, reject) => {
            const call = messages.length ? this.server[name]() : this.server[name](first);
            const received = [];
            call.on('data', (each) => received.push(each)).on('error', reject).on('end', () => resolve(received));
            if (messages.length) {
                [first, ...messages].forEach((each) => each && call.write(each));
                call.end();
            }
        }));
    }

    info(request, forefront) {
        const metadata = { request: { values: [JSON.stringify(request)] } };
        if (forefront) metadata['sieve.priority'] = { values: ['1'] };
        return { url: request.uniqueKey, key: new URL(request.url).hostname || '-', crawlID: this.id, metadata };
    }

    /** Says that a request is done or, with a date, when it is due again, or how long its lease lasts. */
    async known(request, date, isLease, forefront) {
        const info = this.info(request, forefront);
        if (!date) info.metadata = {};
        if (isLease) info.metadata = { 'sieve.lease': { values: [] } };
        await this.stream('PutURLs', null, { known: { info, refetchable_from_date: date } });
    }

    async get() {
        if (this.delay !== undefined) {
            await this.unary('SetDelay', { crawlID: this.id, delay_requestable: Math.ceil(this.delay) });
            this.each = this.delay > 0 ? 1 : Infinity;
            this.delay = undefined;
        }
        const { size = 0, counts = {} } = await this.unary('GetStats', { crawlID: this.id });
        const now = new Date();
        const numbers = { pendingRequestCount: size, handledRequestCount: counts.completed || 0 };
        numbers.totalRequestCount = size + numbers.handledRequestCount;
        return { id: this.id, name: this.id, createdAt: now, modifiedAt: now, accessedAt: now, ...numbers };
    }

    async delete() {
        throw new Error(`the crawl ${this.id} is kept by its server: delete its folder there`);
    }

    async batchAddRequests(requests, { forefront } = {}) {
        const batch = { items: requests.map((request) => this.info(request, forefront)) };
        const [{ statuses }] = await this.stream('PutDiscovered', null, batch);
        const result = { processedRequests: [], unprocessedRequests: [] };
        requests.forEach(({ uniqueKey, url, method }, i) => {
            const isPresent = statuses[i] === 'SKIPPED';
            if (statuses[i] === 'FAIL') result.unprocessedRequests.push({ uniqueKey, url, method });
            else result.processedRequests.push({
                uniqueKey, requestId: idOf(uniqueKey), wasAlreadyPresent: isPresent, wasAlreadyHandled: false });
        });
        return result;
    }

    async addRequest(request, options) {
        const { processedRequests } = await this.batchAddRequests([request], options);
        if (!processedRequests.length) throw new Error(`the server has no room for ${request.url}`);
        return processedRequests[0];
    }

    async getRequest(id) {
        return this.held.get(id)?.request;
    }

    async updateRequest(request, { forefront } = {}) {
        await this.known(request, request.handledAt ? 0 : seconds(), false, forefront);
        this.held.delete(request.id);
        return { requestId: request.id, wasAlreadyPresent: true, wasAlreadyHandled: false };
    }

    async listHead({ limit = 100 } = {}) {
        return { limit, queueModifiedAt: new Date(), items: [] };
    }

    async listAndLockHead({ limit = 25, lockSecs }) {
        const params = this.each === 1
            ? { max_queues: limit, max_urls_per_queue: 1 }
            : { max_queues: 1, max_urls_per_queue: limit + this.held.size };
        const infos = await this.stream('GetURLs', { ...params, crawlID: this.id, delay_requestable: this.lease });
        const items = [];
        for (const info of infos) {
            const id = idOf(info.url);
            const values = info.metadata?.request?.values ?? [];
            const request = { url: info.url, uniqueKey: info.url, method: 'GET', retryCount: 0, ...JSON.parse(values[0] ?? '{}'), id };
            // One that is held was handed out before the server was killed.
            if (!this.held.has(id)) items.push(request);
            this.held.set(id, { request: this.held.get(id)?.request ?? request, end: Date.now() + this.lease * 1000 });
        }
        const isOpen = items.length > 0 || (await this.unary('GetStats', { crawlID: this.id })).size > 0;
        return { limit, lockSecs, queueModifiedAt: new Date(), queueHasLockedRequests: isOpen, items };
    }

    async prolongRequestLock(id, { lockSecs }) {
        if (!this.held.has(id)) throw new Error(`not leased: ${id}`);
        return { lockExpiresAt: new Date(Date.now() + lockSecs * 1000) };
    }

    async renew() {
        const end = Date.now() + this.lease * 1000;
        for (const held of [...this.held.values()].filter((each) => each.end - Date.now() < this.lease * 600)) {
            await this.known(held.request, seconds() + this.lease, true);
            held.end = end;
        }
    }

    async deleteRequestLock(id) {
        const held = this.held.get(id);
        if (held) {
            await this.known(held.request, seconds(), true);
            this.held.delete(id);
        }
    }

    async giveBack() {
        await Promise.all([...this.held.keys()].map((id) => this.deleteRequestLock(id)));
    }
}

module.exports = { SieveStorage };
