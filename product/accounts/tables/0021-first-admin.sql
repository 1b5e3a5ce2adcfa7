-- The link that makes somebody the first admin, until it is used or there is one. It is nobody's yet.
create table accounts.first_admin_links (
  operator_id bigint not null,
  -- Keyed digest of the token: whoever reads this table has no link.
  digest text not null,
  expires_at timestamptz not null,
  primary key (operator_id)
);

select platform.own_table('accounts.first_admin_links');
