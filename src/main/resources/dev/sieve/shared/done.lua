-- Stores which URLs of taken frames are done, for the owner of the slice.
-- KEYS f d m o h; ARGV run, token, worker, call, how many of the URLs are pages, how many hosts of them are counted (0
-- without a limit per host), if any: the run of the crawl, then for each host: its name, how many of its URLs became done;
-- then for each frame: its number, its done bits ('': all), how many URLs became done; at most 1024 frames
-- Returns 1, 0 when this call or a later one was stored before, -1 when the slice has another owner, or none any more.
if redis.replicate_commands then redis.replicate_commands() end
local call, keys, args = redis.call, KEYS, ARGV
local owner = call('HMGET', keys[4], 'run', 'token', 'worker', 'until')
local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
-- After its time, what the worker had begun may have been given to others, even if none of them has claimed the slice yet.
if owner[1] ~= args[1] or owner[2] ~= args[2] or owner[3] ~= args[3] or tonumber(owner[4] or 0) <= now then return -1 end
local last = call('HGET', keys[3], 'dc')
if last and tonumber(args[4]) <= tonumber(last) then return 0 end
-- The first write needs no memory, so that those after it are allowed when the memory of the engine is full.
call('HDEL', keys[4], '')
local first = 7
if args[6] ~= '0' then
    first = 8 + 2 * args[6]
    if call('HGET', keys[5], '/') ~= args[7] then
        call('UNLINK', keys[5])
        call('HSET', keys[5], '/', args[7])
    end
    -- Counted first: where a log ends in between, a host has fewer URLs than permitted, and never more.
    for i = 8, first - 1, 2 do call('HINCRBY', keys[5], args[i], args[i + 1]) end
end
local whole, parts, sum = {}, {}, 0
for i = first, #args, 3 do
    if args[i + 1] == '' then
        whole[#whole + 1] = args[i]
    else
        parts[#parts + 1] = args[i]
        parts[#parts + 1] = args[i + 1]
    end
    sum = sum + args[i + 2]
end
-- Counted first: where a log ends in between, no URL that is done seems to be lost.
call('HINCRBY', keys[3], 'done', sum)
if args[5] ~= '0' then call('HINCRBY', keys[3], 'pages', args[5]) end
if #parts > 0 then call('HSET', keys[2], unpack(parts)) end
if #whole > 0 then
    call('HDEL', keys[2], unpack(whole))
    call('HDEL', keys[1], unpack(whole))
end
call('HSET', keys[3], 'dc', args[4])
return 1
