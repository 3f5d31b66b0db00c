-- Stores the settings of a crawl, unless it has some.
-- KEYS {N}; ARGV field, value, field, value, ... (none: only reads)
-- Returns {field, value, ...} as stored, -1 when the key is of another type.
if redis.replicate_commands then redis.replicate_commands() end
local type = redis.call('TYPE', KEYS[1]).ok
if type == 'none' and #ARGV > 0 then
    redis.call('HSET', KEYS[1], unpack(ARGV))
elseif type ~= 'hash' and type ~= 'none' then
    return -1
end
return redis.call('HGETALL', KEYS[1])
