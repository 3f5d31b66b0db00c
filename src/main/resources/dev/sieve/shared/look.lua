-- Reads the state of a slice.
-- KEYS m o q f {N}; ARGV run
-- Returns {accepted, taken, done, seen, frames queued, frames taken, idle (1: its owner, in this run, has nothing
-- to do), worker, id of the crawl, free (1: any worker can claim it)}.
local call, keys = redis.call, KEYS
local sums = call('HMGET', keys[1], 'a', 'taken', 'done', 'seen')
local owner = call('HMGET', keys[2], 'run', 'until', 'idle', 'worker', 'ttl')
local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local idle = 0
local left = tonumber(owner[2] or 0) - now
local isOwned = left > 0 and left <= tonumber(owner[5] or 0)
if owner[3] and owner[1] == ARGV[1] and isOwned then idle = 1 end
return {
    tonumber(sums[1] or 0), tonumber(sums[2] or 0), tonumber(sums[3] or 0), tonumber(sums[4] or 0),
    call('LLEN', keys[3]), call('HLEN', keys[4]), idle, owner[4] or '',
    call('HGET', keys[5], 'id') or '', (isOwned and (owner[4] or '') ~= '') and 0 or 1
}
