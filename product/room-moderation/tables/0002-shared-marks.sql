-- Whom else a ban covers is asked by what they share with its subject.
create index traces_devices on room_moderation.traces (operator_id, device) where device <> '';
create index traces_networks on room_moderation.traces (operator_id, network) where network <> '';
