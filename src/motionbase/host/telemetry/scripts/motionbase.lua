-- DCS World: sends the motion of your aircraft to motionbase.
--
-- Copy this file to Saved Games\DCS\Scripts\motionbase.lua, and add this line to Export.lua in the same folder
-- (create the file if there is none):
--   dofile(lfs.writedir() .. "Scripts/motionbase.lua")
-- It gives udp://127.0.0.1:6666?format=dcs. Written from the documents; it has not been tried in DCS itself.

local HOST, PORT, RATE = "127.0.0.1", 6666, 100

local link, due = nil, 0
local before = { start = LuaExportStart, after = LuaExportAfterNextFrame, stop = LuaExportStop }

function LuaExportStart()
  package.path = package.path .. ";" .. lfs.currentdir() .. "/LuaSocket/?.lua"
  package.cpath = package.cpath .. ";" .. lfs.currentdir() .. "/LuaSocket/?.dll"
  link = require("socket").udp()
  link:settimeout(0)
  link:setpeername(HOST, PORT)
  due = 0
  if before.start then before.start() end
end

local function on_ground()
  local mechanics = LoGetMechInfo()
  local main = mechanics and mechanics.gear and mechanics.gear.main
  local function pressed(leg) return leg and leg.rod and leg.rod > 0.02 end
  return main and (pressed(main.left) or pressed(main.right)) and 1 or 0
end

local function send()
  local t = LoGetModelTime()
  if not link or not t or t < due then return end
  due = t + 1 / RATE - 1e-4
  local pitch, bank, yaw = LoGetADIPitchBankYaw()
  local rate, load = LoGetAngularVelocity(), LoGetAccelerationUnits()
  if not (pitch and rate and load) then return end
  link:send(string.format(
    "%.4f;%.7f;%.7f;%.7f;%.6f;%.6f;%.6f;%.6f;%.6f;%.6f;%.6f;%.6f;%.6f;%.3f;%.5f;%d",
    t, pitch, bank, yaw, rate.z, rate.x, rate.y, rate.z, rate.x, rate.y, load.z, load.y, load.x,
    (LoGetTrueAirSpeed() or 0) * 3.6, LoGetAngleOfAttack() or 0, on_ground()))
end

function LuaExportAfterNextFrame()
  pcall(send) -- trouble here must not stop the simulator
  if before.after then before.after() end
end

function LuaExportStop()
  if link then link:close() end
  link = nil
  if before.stop then before.stop() end
end
