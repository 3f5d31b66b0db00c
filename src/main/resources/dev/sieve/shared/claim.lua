-- Makes a worker the owner of a slice that has none, until the time ends or it renews.
-- KEYS o m f d p t
-- ARGV run, worker, milliseconds, then, optional, the workers that are alive: when m has many answers to pushes, those to
-- others are removed
-- Returns {token, 1 when another worker had the slice before, numbers of taken frames, their done bits, pauses of
-- hosts, now, counts}, {0, milliseconds left} when another worker owns it.
if redis.replicate_commands then redis.replicate_commands() end
local call, keys, args = redis.call, KEYS, ARGV
local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local owner = call('HMGET', keys[1], 'worker', 'until', 'ttl', 'moved')
local worker, left = owner[1], tonumber(owner[2] or 0) - now
-- The time of an earlier run counts too: its owner may be cut off, so that it does not learn of this one.
-- More time left than was granted: the clock of the engine was set back.
if worker and worker ~= '' and worker ~= args[2] and left > 0 and left <= tonumber(owner[3] or left) then
    return {0, left}
end
-- The first write needs no memory, so that those after it are allowed when the memory of the engine is full.
call('HDEL', keys[1], 'idle', 'rc')
call('HDEL', keys[2], 'c', 'cf', 'dc')
local numbers = call('HKEYS', keys[3])
local taken = tonumber(call('HGET', keys[2], 'taken') or 0)
local highest = taken
for i = 1, #numbers do highest = math.max(highest, tonumber(numbers[i])) end
-- A log that was cut can hold frames whose numbers were not counted: no frame may get such a number again.
if highest > taken then call('HSET', keys[2], 'taken', highest) end
local pauses = {}
local all = call('HGETALL', keys[5])
for i = 1, #all, 2 do
    if tonumber(string.match(all[i + 1], '%d+$') or 0) > now then
        pauses[#pauses + 1] = all[i]
        pauses[#pauses + 1] = all[i + 1]
    else
        call('HDEL', keys[5], all[i])
    end
end
if args[4] and call('HLEN', keys[2]) > 256 then
    local alive = {}
    for i = 4, #args do alive[args[i]] = true end
    for _, field in ipairs(call('HKEYS', keys[2])) do
        local worker = string.match(field, '^(.*)%.')
        if worker and not alive[worker] then call('HDEL', keys[2], field) end
    end
end
-- The same worker again, as after a lost answer: what was true at its first claim still is.
local moved = 0
if worker == args[2] then moved = tonumber(owner[4] or 0) elseif worker then moved = 1 end
local token = call('HINCRBY', keys[2], 'token', 1)
call('HSET', keys[1], 'worker', args[2], 'run', args[1], 'token', token, 'until', now + args[3], 'ttl', args[3],
    'moved', moved)
return {token, moved, numbers, call('HGETALL', keys[4]), pauses, now, call('HGETALL', keys[6])}
