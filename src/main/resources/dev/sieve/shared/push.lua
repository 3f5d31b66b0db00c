-- Queues the URLs of a batch that are new. Queued first, seen last: a log that ends in between loses no URL.
-- KEYS q m {N}, then the bucket of each URL; at most 1024 URLs, none twice
-- ARGV id of the crawl, lane, call, refuse (1: nothing new is accepted), head of the frame, texts of the URLs one after the other,
--      their lengths (4 bytes each), then the fingerprint of each URL
-- Returns {accepted, mask} with a 1 for each new URL and a 0 for each other, '' when none is new, -2 when refused, -3 when
-- the crawl of this id is not stored any more.
if redis.replicate_commands then redis.replicate_commands() end
local call, keys, args = redis.call, KEYS, ARGV
local urls = #keys - 3
-- The place of a URL has one byte when that is enough.
local place = urls < 256 and 'B' or 'I2'
local function mask(new, count)
    local marks = {}
    for i = 1, urls do marks[i] = '0' end
    for i = 1, count do marks[new[i]] = '1' end
    return table.concat(marks)
end
if call('HGET', keys[3], 'id') ~= args[1] then return -3 end
local stored = call('HMGET', keys[2], args[2], 'a')
local last, accepted, number = stored[1] or '', tonumber(stored[2] or 0), args[3] .. ':'
if last == args[3] then return {accepted, string.rep('1', urls)} end
if string.sub(last, 1, #number) == number then
    local count = (#last - #number) / #place
    return {accepted, mask({struct.unpack('>' .. string.rep(place, count), last, #number + 1)}, count)}
end
local new, count = {}, 0
for i = 1, urls do
    if call('SISMEMBER', keys[i + 3], args[i + 7]) == 0 then
        count = count + 1
        new[count] = i
    end
end
if count == 0 then return '' end
if args[4] == '1' then return -2 end
local texts, lengths = args[6], {struct.unpack('>' .. string.rep('I4', urls), args[7])}
local frame, from, i = {struct.pack('>I2', count), args[5]}, 1, 1
for n = 1, count do
    while i < new[n] do
        from = from + lengths[i]
        i = i + 1
    end
    frame[n + 2] = string.sub(texts, from, from + lengths[i] - 1)
end
accepted = accepted + count
local answer = count == urls and args[3] or number .. struct.pack('>' .. string.rep(place, count), unpack(new))
call('RPUSH', keys[1], table.concat(frame))
-- One command, since the log has the names of the key and the command with each.
call('HSET', keys[2], 'a', accepted, args[2], answer)
for n = 1, count do call('SADD', keys[new[n] + 3], args[new[n] + 7]) end
return {accepted, mask(new, count)}
