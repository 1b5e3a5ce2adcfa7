-- People whose pages send what their consoles print, while support looks into a problem of theirs.
alter table accounts.people drop constraint people_roles_check;
alter table accounts.people add constraint people_roles_check
  check (roles <@ array['site_mod', 'model_admin', 'admin', 'super_admin', 'test_user', 'remote_logging']);
