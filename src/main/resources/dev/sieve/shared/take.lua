-- Takes frames from the front of the queue, up to about a megabyte, for the owner of the slice.
-- KEYS q f m o; ARGV run, token, worker, call, n (at most 1024)
-- Returns {first number, frame, frame, ...}, {0} when the queue is empty or a later call was answered, -1 when the slice has another owner.
if redis.replicate_commands then redis.replicate_commands() end
local call, keys, args = redis.call, KEYS, ARGV
local owner = call('HMGET', keys[4], 'run', 'token', 'worker')
if owner[1] ~= args[1] or owner[2] ~= args[2] or owner[3] ~= args[3] then return -1 end
local last = call('HMGET', keys[3], 'c', 'cf', 'taken')
local taken = tonumber(last[3] or 0)
-- A connection that was given up may deliver a call after its repetition: no worker would get these frames.
if last[1] and tonumber(args[4]) < tonumber(last[1]) then return {0} end
if last[1] == args[4] then
    local first, numbers = tonumber(last[2]), {}
    if first == 0 then return {0} end
    for i = first, taken do numbers[#numbers + 1] = i end
    local frames = call('HMGET', keys[2], unpack(numbers))
    table.insert(frames, 1, first)
    return frames
end
local frames = call('LRANGE', keys[1], 0, args[5] - 1)
if #frames == 0 then return {0} end
-- A megabyte is enough for one call.
local count, bytes = 0, 0
while count < #frames and bytes < 1048576 do
    count = count + 1
    bytes = bytes + #frames[count]
end
for i = #frames, count + 1, -1 do frames[i] = nil end
-- The first write needs no memory, so that those after it are allowed when the memory of the engine is full.
call('HDEL', keys[4], 'idle')
local taking = {}
for i = 1, count do
    taking[2 * i - 1] = taken + i
    taking[2 * i] = frames[i]
end
call('HSET', keys[2], unpack(taking))
call('HSET', keys[3], 'taken', taken + count, 'c', args[4], 'cf', taken + 1)
call('LTRIM', keys[1], count, -1)
table.insert(frames, 1, taken + 1)
return frames
