-- Gives a slice back, so that another worker can claim it at once.
-- KEYS o; ARGV run, token, worker
-- Returns 1, -1 when the slice has another owner.
if redis.replicate_commands then redis.replicate_commands() end
local call, keys, args = redis.call, KEYS, ARGV
local owner = call('HMGET', keys[1], 'run', 'token', 'worker')
if owner[1] ~= args[1] or owner[2] ~= args[2] or owner[3] ~= args[3] then return -1 end
-- The first write needs no memory, so that those after it are allowed when the memory of the engine is full.
call('HDEL', keys[1], 'idle')
call('HSET', keys[1], 'worker', '', 'until', 0)
return 1
