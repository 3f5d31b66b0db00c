-- Queues the new URLs of several pages. Queued first, seen last: a log that ends in between loses no URL.
-- KEYS q m {N}, then the bucket of each URL; at most 2048 URLs, none twice
-- ARGV id of the crawl, lane, call, refuse (1: nothing new is accepted), texts of the URLs one after the other, their
--      lengths (4 bytes each), how many URLs each page has (2 bytes each), then the head of each page's frame, then the
--      fingerprint of each URL
-- Returns {accepted, mask} with a 1 for each new URL and a 0 for each other, {-2, mask} when the new ones are refused, '' when
-- none is new or a later call of the lane was answered, -3 when the crawl of this id is not stored any more.
if redis.replicate_commands then redis.replicate_commands() end
local call, keys, args = redis.call, KEYS, ARGV
local urls, pages = #keys - 3, #args[7] / 2
local first = 7 + pages
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
    if call('SISMEMBER', keys[i + 3], args[i + first]) == 0 then
        count = count + 1
        new[count] = i
    end
end
if count == 0 then return '' end
-- A connection that was given up may deliver a call after later ones, of which the last may still be repeated.
if tonumber(string.match(last, '^%w+') or 0, 36) > tonumber(args[3], 36) then return '' end
if args[4] == '1' then return {-2, mask(new, count)} end
local texts, lengths = args[5], {struct.unpack('>' .. string.rep('I4', urls), args[6])}
local counts = {struct.unpack('>' .. string.rep('I2', pages), args[7])}
local frames, frame, page, pageEnd, from, i = {}, nil, 0, 0, 1, 1
for n = 1, count do
    while pageEnd < new[n] do
        page = page + 1
        pageEnd = pageEnd + counts[page]
        frame = nil
    end
    if not frame then
        frame = {'', args[7 + page]}
        frames[#frames + 1] = frame
    end
    while i < new[n] do
        from = from + lengths[i]
        i = i + 1
    end
    frame[#frame + 1] = string.sub(texts, from, from + lengths[i] - 1)
end
for f = 1, #frames do
    frames[f][1] = struct.pack('>I2', #frames[f] - 2)
    frames[f] = table.concat(frames[f])
end
accepted = accepted + count
local answer = count == urls and args[3] or number .. struct.pack('>' .. string.rep(place, count), unpack(new))
call('RPUSH', keys[1], unpack(frames))
-- One command, since the log has the names of the key and the command with each.
call('HSET', keys[2], 'a', accepted, args[2], answer)
for n = 1, count do call('SADD', keys[new[n] + 3], args[new[n] + first]) end
return {accepted, mask(new, count)}
