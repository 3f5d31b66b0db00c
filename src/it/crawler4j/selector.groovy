// Half a minute, since crawler4j waits before it believes that a crawl has ended.
return Boolean.getBoolean('sieve.proof')
