-- Wireshark's dissector of Postroad captures (`postroad listen --pcap`): records of link type USER0. `make` puts the constants and
-- messages that `build/generate_protocol --print lua` writes, before this file; build/postroad.lua and the installed one are both.
--
--   wireshark -X lua_script:build/postroad.lua FILE      or in ~/.local/lib/wireshark/plugins/
--
-- SPDX-License-Identifier: ISC

local postroad = Proto("postroad", "Postroad")
local word_bytes = 4
local frames = {
  [console.CONSOLE_DELIVERED] = { name = "delivery", message = messages.delivered },
  [console.CONSOLE_EVENT] = { name = "event", message = messages.event },
  [console.CONSOLE_LOG] = { name = "log", message = messages.log },
}

-- A field of the same name and length in several messages is one field of the display filter: postroad.source.
local fields = {}

local function make_field(field)
  local name = "postroad." .. field.name
  local makers = { [0] = ProtoField.bytes, [1] = ProtoField.uint8, [2] = ProtoField.uint16, [4] = ProtoField.uint32 }
  if field.bytes == 0 then return makers[0](name, field.name, base.SPACE, field.text) end
  local names = { type = console.types, kind = console.CONSOLE_KIND, reason = console.CONSOLE_REASON }
  return makers[field.bytes](name, field.name, base.DEC, names[field.name], nil, field.text)
end

console.types = {}
for type, frame in pairs(frames) do console.types[type] = frame.name end
for _, message in ipairs({ messages.capture, messages.delivered, messages.event, messages.log }) do
  for _, field in ipairs(message) do
    if not fields[field.name] then fields[field.name] = make_field(field) end
  end
end
local word = ProtoField.uint32("postroad.word", "word", base.DEC_HEX)
local target = ProtoField.uint16("postroad.target", "target", base.DEC, nil, nil, "site to which the packet was delivered")
local text = ProtoField.string("postroad.data_text", "data as text")

local all = { word, target, text }
for _, field in pairs(fields) do table.insert(all, field) end
postroad.fields = all

local short = ProtoExpert.new("postroad.short", "record is shorter than its fields", expert.group.MALFORMED, expert.severity.ERROR)
local version = ProtoExpert.new("postroad.bad_version", "unknown version", expert.group.UNDECODED, expert.severity.WARN)
local long = ProtoExpert.new("postroad.long", "bytes behind the last field", expert.group.MALFORMED, expert.severity.WARN)
postroad.experts = { short, version, long }

-- The fields of a message from `offset` on. Returns their values by name, and the offset behind them; nil: some are missing.
local function read_fields(message, buffer, offset, tree)
  local values = {}
  for _, field in ipairs(message) do
    if field.bytes == 0 then break end
    if offset + field.bytes > buffer:len() then return values, nil end
    local range = buffer(offset, field.bytes)
    values[field.name] = range:le_uint()
    tree:add_le(fields[field.name], range)
    offset = offset + field.bytes
  end
  return values, offset
end

-- Two bytes to a word, the low one first, a last zero byte left out: what `postroad send` makes of a text. nil: not printable.
local function text_of(range, count)
  local characters = {}
  for k = 0, count - 1 do
    local value = range(word_bytes * k, word_bytes):le_uint()
    if value > 0xffff then return nil end
    for _, byte in ipairs({ value % 256, math.floor(value / 256) }) do
      local last = k == count - 1 and #characters == 2 * count - 1 and byte == 0
      if not last then
        if byte < 32 or byte > 126 then return nil end
        table.insert(characters, string.char(byte))
      end
    end
  end
  return table.concat(characters)
end

-- So many words. Returns the offset behind them; nil: some are missing.
local function read_words(name, count, buffer, offset, tree)
  if offset + word_bytes * count > buffer:len() then return nil end
  if count == 0 then return offset end
  local range = buffer(offset, word_bytes * count)
  local list = tree:add(fields[name], range)
  list:set_text(string.format("%s: %d word%s", name, count, count == 1 and "" or "s"))
  for k = 0, count - 1 do list:add_le(word, range(word_bytes * k, word_bytes)) end
  return offset + word_bytes * count
end

-- Returns the offset behind what it has read, and a line about it.
local function read_delivery(values, buffer, offset, tree)
  local behind = read_words("info", values.info_words, buffer, offset, tree)
  if not behind then return nil end
  local data = behind
  behind = read_words("data", values.data_words, buffer, data, tree)
  if not behind then return nil end
  local line = string.format("sequence %d handler %d: ", values.sequence, values.handler)
  local said = values.data_words > 0 and text_of(buffer(data), values.data_words)
  if said then
    tree:add(text, buffer(data), said)
    return behind, line .. '"' .. said .. '"'
  end
  return behind, string.format("%s%d data words", line, values.data_words)
end

local function read_event(values, buffer, offset, _)
  return offset, string.format("sequence %d: %s, %d targets", values.sequence, console.CONSOLE_KIND[values.kind] or "event",
                               values.remaining)
end

local function read_log(_, buffer, offset, tree)
  if offset == buffer:len() then return offset, "" end
  tree:add(fields.text, buffer(offset))
  return buffer:len(), buffer(offset):string()
end

local readers = {
  [console.CONSOLE_DELIVERED] = read_delivery,
  [console.CONSOLE_EVENT] = read_event,
  [console.CONSOLE_LOG] = read_log,
}

local function set_columns(pinfo, record, values, line)
  local delivered = record.type == console.CONSOLE_DELIVERED
  pinfo.cols.protocol = "Postroad"
  pinfo.cols.src = string.format("site %d", values.source or record.reporter)
  pinfo.cols.dst = delivered and string.format("site %d", record.reporter) or ""
  pinfo.cols.info = string.format("%s at site %d: %s", frames[record.type].name, record.reporter, line)
end

-- Nodes that are older than the reliable service leave out the last two fields of an event: a message may be short there.
local function may_be_short(record, values)
  return record.type == console.CONSOLE_EVENT and values.clock
end

function postroad.dissector(buffer, pinfo, root)
  local tree = root:add(postroad, buffer())
  local record, offset = read_fields(messages.capture, buffer, 0, tree)
  local frame = record.type and frames[record.type]
  pinfo.cols.protocol = "Postroad"
  if not offset then
    tree:add_proto_expert_info(short)
    return
  end
  if record.version ~= console.CONSOLE_CAPTURE_VERSION or not frame then
    tree:add_proto_expert_info(version)
    return
  end
  if record.type == console.CONSOLE_DELIVERED then tree:add(target, buffer(2, 2), record.reporter):set_generated() end
  local values, behind = read_fields(frame.message, buffer, offset, tree)
  if not behind and may_be_short(record, values) then behind = buffer:len() end
  local line
  if behind then behind, line = readers[record.type](values, buffer, behind, tree) end
  if not behind then
    tree:add_proto_expert_info(short)
    return
  end
  if behind < buffer:len() then tree:add_proto_expert_info(long) end
  set_columns(pinfo, record, values, line)
end

DissectorTable.get("wtap_encap"):add(wtap.USER0, postroad)
