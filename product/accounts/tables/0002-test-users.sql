-- Accounts that only try whether the site works; what they say is shown to nobody.
alter table accounts.people drop constraint people_roles_check;
alter table accounts.people add constraint people_roles_check
  check (roles <@ array['site_mod', 'model_admin', 'admin', 'super_admin', 'test_user']);
