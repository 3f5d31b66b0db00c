-- Runs a command that stores something, for a crawl that may have been replaced by another one.
-- KEYS {N} or {N:#}, key; ARGV id of the crawl, command, its arguments after the key (a thousand at most)
-- Returns the response, -3 when the crawl of this id is not stored any more.
if redis.replicate_commands then redis.replicate_commands() end
if redis.call('HGET', KEYS[1], 'id') ~= ARGV[1] then return -3 end
return redis.call(ARGV[2], KEYS[2], unpack(ARGV, 3))
