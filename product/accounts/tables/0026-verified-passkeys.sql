-- Whether the authenticator has verified its owner by this passkey: of staff no other one is a second step.
-- Of those from before it is not known. Staff could add no other; whoever becomes staff shows it by a log-in.
alter table accounts.passkeys add column is_verified boolean not null default false;
update accounts.passkeys k set is_verified = true from accounts.people p
  where p.operator_id = k.operator_id and p.id = k.person_id
  and p.roles && array['site_mod', 'model_admin', 'admin', 'super_admin'];
