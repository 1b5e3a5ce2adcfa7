-- Whether the person turned re-ups off, and not failed charges.
alter table billing.re_ups add column disabled_by_user boolean not null default false;
