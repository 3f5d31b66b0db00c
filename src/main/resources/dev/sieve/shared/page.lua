-- Reads a part of a queue. A script, since an engine without memory refuses transactions.
-- KEYS m q; ARGV first index, last index
-- Returns {taken, frames queued, frames of this part}.
local call, keys, args = redis.call, KEYS, ARGV
return {tonumber(call('HGET', keys[1], 'taken') or 0), call('LLEN', keys[2]), call('LRANGE', keys[2], args[1], args[2])}
