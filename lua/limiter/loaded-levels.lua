-- The states of the levels between the calls of a batch. Consecutive calls on one key, such as those of a flood on the
-- global window, share the loaded state; it is saved after the last of them.

-- True while the state of a level is written. It is that of earlier calls, so an error then fails the whole script call.
local is_saving = false

-- Writes the state of a level that a call has changed.
local function save_level(level)
  is_saving = true
  level.save()
  is_saving, level.is_charged = false, false
end

-- Loads the state of a level if its key is another one than before, whose state is saved first. After a failed load, the
-- caller must reset level.key.
local function load_level(level, key)
  if level.key ~= key then
    if level.is_charged then
      save_level(level)
    end
    level.key = key
    level.load()
  end
end

-- The levels of the current group of calls; still set if an error ended the last script call.
local open_levels

-- Saves the levels after a group of calls. The next group reads them again, because other script calls write to the keys.
local function close_levels()
  for index = 1, #open_levels do
    local level = open_levels[index]
    if level.is_charged then
      save_level(level)
    end
    level.key = false
  end
  open_levels = nil
end

-- Discards the unsaved changes of a script call that failed.
local function drop_levels()
  for index = 1, #open_levels do
    open_levels[index].key, open_levels[index].is_charged = false, false
  end
  is_saving = false
end
