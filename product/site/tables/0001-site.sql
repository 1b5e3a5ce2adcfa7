-- Two levels of tenancy: the operator owns people, performers and money; a site is one of its brands.
create schema site;
create sequence site.operator_ids as bigint;

create table site.operators (
  operator_id bigint not null default nextval('site.operator_ids'),
  name text not null,
  primary key (operator_id)
);

create table site.sites (
  operator_id bigint not null references site.operators,
  site_id bigint not null generated always as identity,
  display_name text not null,
  -- Null until the site has an address of its own: then the published one stands for it.
  main_domain_url text,
  sitecode text not null,
  owner_webmaster_username text,
  is_whitelabel boolean not null default false,
  is_non_nude boolean not null default false,
  -- Where people who came by co-registration go after logging out.
  co_registration_url text,
  -- Look that differs from the defaults in rules.ts: the fields of `site.custom`.
  custom jsonb not null default '{}',
  primary key (operator_id, site_id),
  unique (operator_id, sitecode)
);

-- Read before an operator is known, so the host is unique across all of them.
create table site.hosts (
  operator_id bigint not null,
  site_id bigint not null,
  host text not null check (host = lower(host)),
  primary key (operator_id, host),
  unique (host),
  foreign key (operator_id, site_id) references site.sites on delete cascade
);

-- Every installation has one operator with one site from the start.
insert into site.operators (name) values ('Candela');
insert into site.sites (operator_id, display_name, sitecode)
  select operator_id, 'Candela', 'candela' from site.operators;

select platform.own_table('site.operators');
select platform.own_table('site.sites');
grant usage on sequence site.operator_ids to candela_app;

alter table site.hosts enable row level security;
alter table site.hosts force row level security;
create policy anyone_reads on site.hosts for select using (true);
create policy operator_writes on site.hosts for all
  using (operator_id = platform.operator_id()) with check (operator_id = platform.operator_id());
select platform.open_table('site.hosts', 'select', 'insert', 'delete');
