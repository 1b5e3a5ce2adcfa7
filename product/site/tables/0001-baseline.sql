-- Two levels of tenancy: an operator owns people, performers and money; a site is one of its brands.
create schema site;
create sequence site.operator_ids as bigint;

create table site.operators (
  operator_id bigint not null default nextval('site.operator_ids'),
  name text not null,
  -- Set when demo people were added: such an operator must never go into production.
  demo_since timestamptz,
  -- Settings for all sites of the operator; only those that differ from the defaults in rules.ts.
  settings jsonb not null default '{}'
  check (jsonb_typeof(settings) = 'object'),
  -- Random id of this database, in the row of the first operator. The folder of blobs has the same id, so
  -- that no other database removes blobs it does not know.
  database_id text,
  primary key (operator_id)
);
-- Lets the owner list every operator (`every_operator`). The application role still reads only its own.
create policy owner_lists on site.operators for select to current_user using (true);

create table site.sites (
  operator_id bigint not null references site.operators,
  site_id bigint not null generated always as identity,
  display_name text not null,
  -- Null until the site has an address of its own; the published one is used until then.
  main_domain_url text,
  sitecode text not null,
  owner_webmaster_username text,
  is_whitelabel boolean not null default false,
  is_non_nude boolean not null default false,
  -- Destination after logging out of people who came by co-registration.
  co_registration_url text,
  -- Look of the site where it differs from the defaults in rules.ts; fields of `site.custom`.
  custom jsonb not null default '{}',
  -- Banner below the header of the site's pages; null for none. rules/banner.ts has its fields.
  banner jsonb check (jsonb_typeof(banner) = 'object'),
  primary key (operator_id, site_id),
  unique (operator_id, sitecode)
);

-- Read before the operator is known, so hosts are unique across operators.
create table site.hosts (
  operator_id bigint not null,
  site_id bigint not null,
  host text not null check (host = lower(host)),
  primary key (operator_id, host),
  unique (host),
  foreign key (operator_id, site_id) references site.sites on delete cascade
);
select platform.open_table('site.hosts', 'select', 'insert', 'delete');
alter table site.hosts enable row level security;
alter table site.hosts force row level security;
create policy anyone_reads on site.hosts for select using (true);
create policy operator_writes on site.hosts for all
  using (operator_id = platform.operator_id()) with check (operator_id = platform.operator_id());

grant usage on sequence site.operator_ids to candela_app;

-- Every installation starts with one operator and one site.
insert into site.operators (name) values ('Candela');
insert into site.sites (operator_id, display_name, sitecode)
  select operator_id, 'Candela', 'candela' from site.operators;
select platform.own_table('site.operators');
select platform.own_table('site.sites');
