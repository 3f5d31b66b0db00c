"""A spider that uses what a request can carry. Arguments: address of the site, of the server, and the file for its results."""
import sys

import scrapy
from scrapy.crawler import CrawlerProcess

site, server, output = sys.argv[1:]


class Example(scrapy.Spider):
    name = "example"
    start_urls = [site + "/p/0"]

    def parse(self, response):
        yield {"page": response.url}
        if response.url.endswith("/p/0"):
            for name in "ab":
                yield scrapy.FormRequest(site + "/form", formdata={"name": name}, callback=self.parse_form,
                                         meta={"from": response.url}, cb_kwargs={"name": name}, headers={"X-Name": name})
            yield scrapy.Request(site + "/missing", errback=self.parse_failure)
            yield scrapy.Request(site + "/again", self.parse_other, dont_filter=True)
            yield scrapy.Request(site + "/again", self.parse_other, dont_filter=True)
        yield from response.follow_all(css="a")
        if response.url.endswith("/p/0"):
            yield scrapy.Request(site + "/first", self.parse_other, priority=5)

    def parse_form(self, response, name):
        yield {"form": response.text, "name": name, "from": response.meta["from"]}

    def parse_other(self, response):
        yield {"other": response.url}

    def parse_failure(self, failure):
        yield {"failure": failure.value.response.url}


class Lines:
    def process_item(self, item, spider):
        with open(output, "a") as file:
            file.write(" ".join(item.values()) + "\n")
        return item


process = CrawlerProcess({
    "SCHEDULER": "sieve_scrapy.SieveScheduler",
    "SPIDER_MIDDLEWARES": {"sieve_scrapy.SieveMiddleware": 50},
    "SIEVE_URL": server,
    "SIEVE_CRAWL": "example",
    "ITEM_PIPELINES": {Lines: 1},
    "SIEVE_LEASE": 5,
    "CONCURRENT_REQUESTS": 2,
    "REQUEST_FINGERPRINTER_IMPLEMENTATION": "2.7",
    "TELNETCONSOLE_ENABLED": False,
    "LOG_LEVEL": "WARNING",
})
process.crawl(Example)
process.start()
