/** A crawler that shares its queue. Arguments: address of the site, of the server, and the file for its results. */
const { appendFileSync } = require('node:fs');
const { CheerioCrawler, Configuration } = require('@crawlee/cheerio');
const { SieveStorage } = require('./sieve_crawlee.js');

const [site, url, output] = process.argv.slice(2);
const storageClient = new SieveStorage({ url, lease: 5, persistStorage: false });
const config = new Configuration({ storageClient, defaultRequestQueueId: 'crawlee', availableMemoryRatio: 1 });
const crawler = new CheerioCrawler({
    maxRequestRetries: 1,
    minConcurrency: 2,
    maxConcurrency: 4,
    async requestHandler({ request, enqueueLinks }) {
        await enqueueLinks();
        appendFileSync(output, `${request.url} ${request.userData.from ?? ''}\n`);
    },
    failedRequestHandler({ request }) {
        appendFileSync(output, `failed ${request.url} ${request.retryCount} ${request.userData.from}\n`);
    },
}, config);
crawler
    .run([`${site}/p/0`, { url: `${site}/broken`, userData: { from: 'the start' } }])
    .then(() => storageClient.teardown());
