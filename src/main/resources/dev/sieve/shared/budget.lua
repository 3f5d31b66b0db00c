-- Shares out the pages that the workers of a crawl may visit in a run.
-- KEYS {N}b {N}w {N}, then {N}#m of all slices, unless these are on other nodes
-- ARGV id of the crawl, worker, most pages of a run, pages that the worker has begun and that are not stored as done, pages that it wants to
-- begin, joins (1: begins a run if no other worker is alive), then, without the slices: their done pages, and the version
-- that the worker has read before it read these. In another version, pages may have become done that are not in the sum and
-- not begun any more.
-- Returns {how many pages the worker may have begun, pages of the run that are done, milliseconds since it began}, -1 when
-- the worker has to read again, -3 when the crawl of this id is not stored any more.
if redis.replicate_commands then redis.replicate_commands() end
local call, keys, args = redis.call, KEYS, ARGV
if call('HGET', keys[3], 'id') ~= table.remove(args, 1) then return -3 end
local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local sum = tonumber(args[6] or 0)
for i = 4, #keys do sum = sum + tonumber(call('HGET', keys[i], 'pages') or 0) end
-- The first write needs no memory, so that those after it are allowed when the memory of the engine is full.
call('HDEL', keys[1], '')
local all, others, base, start, isAlone, mine, version = call('HGETALL', keys[1]), 0, nil, nil, true, 0, '0'
local isGone = false
for i = 1, #all, 2 do
    local name, value = all[i], tonumber(all[i + 1])
    if name == 'base' then
        base = value
    elseif name == 'start' then
        start = value
    elseif name == 'version' then
        version = all[i + 1]
    elseif name == args[1] then
        mine = value
    else
        if call('ZSCORE', keys[2], name) then
            others = others + value
            isAlone = false
        else
            -- It has ended or died: what it had begun is not done, and may be begun again.
            call('HDEL', keys[1], name)
            isGone = true
        end
    end
end
if not base or not start or (isAlone and args[5] == '1') then
    base, start = sum, now
    call('HSET', keys[1], 'base', base, 'start', start)
end
local begun = tonumber(args[3])
if args[6] then
    local isOld = version ~= args[7] or isGone
    if isGone or (not isOld and args[4] == '0' and begun < mine) then call('HINCRBY', keys[1], 'version', 1) end
    if isOld then return -1 end
end
local left = tonumber(args[2]) - (sum - base) - others
local allowed = math.max(begun, math.min(begun + tonumber(args[4]), left))
call('HSET', keys[1], args[1], (args[6] and args[4] ~= '0') and math.max(mine, allowed) or allowed)
return {allowed, sum - base, math.max(0, now - start)}
