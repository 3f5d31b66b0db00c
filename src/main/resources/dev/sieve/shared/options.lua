-- Stores the options of a crawl, all of them together, unless it has some that this worker may not replace.
-- KEYS {N}; ARGV replaces (1: options that are stored may be replaced), field, value, field, value, ...
-- Returns {field, value, ...}, the settings and options that are stored afterwards.
if redis.replicate_commands then redis.replicate_commands() end
local call, key, args = redis.call, KEYS[1], ARGV
local all, stored, mayStore = call('HGETALL', key), {}, true
for i = 1, #all, 2 do
    if string.sub(all[i], 1, 4) == 'opt.' then
        stored[all[i]] = all[i + 1]
        mayStore = args[1] == '1'
    end
end
if not mayStore then return all end
local changed = {}
for i = 2, #args, 2 do
    -- An engine without memory refuses even what changes nothing.
    if stored[args[i]] ~= args[i + 1] then
        changed[#changed + 1] = args[i]
        changed[#changed + 1] = args[i + 1]
    end
    stored[args[i]] = nil
end
if #changed > 0 then call('HSET', key, unpack(changed)) end
for field in pairs(stored) do call('HDEL', key, field) end
return call('HGETALL', key)
