-- Makes a worker the owner of a slice that has none, until the time ends or it renews.
-- KEYS o m f d p; ARGV run, worker, milliseconds
-- Returns {token, 1 when the slice had another owner before, numbers of taken frames, their done bits, pauses of hosts,
-- now}, {0, milliseconds left} when another worker owns it.
if redis.replicate_commands then redis.replicate_commands() end
local call, keys, args = redis.call, KEYS, ARGV
local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local owner = call('HMGET', keys[1], 'run', 'worker', 'until')
local worker, left = owner[2], tonumber(owner[3] or 0) - now
if worker and worker ~= '' and worker ~= args[2] and owner[1] == args[1] and left > 0 then return {0, left} end
-- The first write needs no memory, so that those after it are allowed when the memory of the engine is full.
call('HDEL', keys[1], 'idle')
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
local token = call('HINCRBY', keys[2], 'token', 1)
call('HSET', keys[1], 'worker', args[2], 'run', args[1], 'token', token, 'until',
    now + args[3])
local moved = 0
if worker and worker ~= args[2] then moved = 1 end
return {token, moved, numbers, call('HGETALL', keys[4]), pauses, now}
