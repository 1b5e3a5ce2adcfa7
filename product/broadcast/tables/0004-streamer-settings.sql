-- How a performer broadcasts. Whoever has no row has the defaults of the columns.
create table broadcast.streamer_settings (
  operator_id bigint not null,
  performer_id bigint not null,
  streaming_tech text not null default 'webrtc' check (streaming_tech in ('obs', 'webrtc')),
  standby_enabled boolean not null default false,
  standby_notifications_enabled boolean not null default true,
  -- Devices and bit rate the go-live page used last, as the browser names them.
  cam jsonb not null default '{}' check (jsonb_typeof(cam) = 'object'),
  primary key (operator_id, performer_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);

-- Who is in standby now, and the digest of the log-in session that began it: it ends with that session.
create table broadcast.standbys (
  operator_id bigint not null,
  performer_id bigint not null,
  login_session text not null,
  since timestamptz not null,
  ends_at timestamptz not null check (ends_at > since),
  primary key (operator_id, performer_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);
create index standbys_session on broadcast.standbys (operator_id, login_session);

select platform.own_table('broadcast.streamer_settings');
select platform.own_table('broadcast.standbys');
