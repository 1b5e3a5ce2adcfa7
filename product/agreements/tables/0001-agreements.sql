-- Documents that people sign: agreements, releases, and the proof of each signature.
create schema agreements;

-- Versions of the documents of each kind, counted by kind. At most one of a kind is a draft.
create table agreements.versions (
  operator_id bigint not null,
  kind text not null check (kind in ('performer_agreement', 'release', 'studio_agreement', 'other')),
  version int not null check (version > 0),
  made_at timestamptz not null,
  -- Null for a draft.
  published_at timestamptz,
  primary key (operator_id, kind, version)
);
create unique index drafts on agreements.versions (operator_id, kind) where published_at is null;
select platform.own_table('agreements.versions', 'select', 'insert', 'delete');
grant update (published_at) on agreements.versions to candela_app;
-- A published version stays.
create policy drafts_end on agreements.versions as restrictive for delete using (published_at is null);
create policy drafts_become on agreements.versions as restrictive for update
  using (published_at is null) with check (true);

create table agreements.texts (
  operator_id bigint not null,
  kind text not null,
  version int not null,
  language text not null check (language in ('en', 'de', 'es', 'fr', 'it', 'nl')),
  title text not null check (length(title) between 1 and 120),
  text text not null check (length(text) between 1 and 60000),
  primary key (operator_id, kind, version, language),
  foreign key (operator_id, kind, version) references agreements.versions on delete cascade
);
select platform.own_table('agreements.texts');
-- Only texts of drafts change.
create policy drafts_change on agreements.texts as restrictive for update using (exists (
  select from agreements.versions v
  where v.kind = texts.kind and v.version = texts.version and v.published_at is null));
create policy drafts_grow on agreements.texts as restrictive for insert with check (exists (
  select from agreements.versions v
  where v.kind = texts.kind and v.version = texts.version and v.published_at is null));
create policy drafts_shrink on agreements.texts as restrictive for delete using (exists (
  select from agreements.versions v
  where v.kind = texts.kind and v.version = texts.version and v.published_at is null));

-- Documents as they were issued. Nobody can change what was shown: the program may only write how it ended,
-- and only while it is open.
create table agreements.documents (
  operator_id bigint not null,
  id bigint not null generated always as identity,
  person_id bigint not null,
  kind text not null,
  version int not null,
  language text not null,
  title text not null,
  text text not null,
  -- SHA-256 of the text as UTF-8.
  text_sha256 text not null check (text_sha256 ~ '^[0-9a-f]{64}$'),
  secret text not null check (length(secret) >= 40),
  status text not null default 'open' check (status in ('open', 'signed', 'expired', 'withdrawn')),
  issued_at timestamptz not null,
  expires_at timestamptz not null,
  opened_at timestamptz,
  signed_at timestamptz,
  -- The name as typed.
  signature text,
  -- Where from it was signed, and the seal of all of it.
  proof jsonb check (jsonb_typeof(proof) = 'object'),
  primary key (operator_id, id),
  foreign key (operator_id, person_id) references accounts.people (operator_id, id),
  foreign key (operator_id, kind, version) references agreements.versions,
  check (expires_at > issued_at),
  check ((status = 'signed') = (signed_at is not null)),
  check ((signed_at is null) = (signature is null) and (signed_at is null) = (proof is null))
);
create index documents_of_person on agreements.documents (operator_id, person_id, id desc);
create unique index open_documents on agreements.documents (operator_id, person_id, kind)
  where status = 'open';
create index documents_of_version on agreements.documents (operator_id, kind, version, status);
create index documents_by_status on agreements.documents (operator_id, status, id desc);
select platform.own_table('agreements.documents', 'select', 'insert', 'delete');
grant update (status, opened_at, signed_at, signature, proof) on agreements.documents to candela_app;
create policy open_ends on agreements.documents as restrictive for update
  using (status = 'open') with check (true);
-- Erasure removes what somebody never signed.
create policy unsigned_goes on agreements.documents as restrictive for delete using (signed_at is null);

-- What happened to each document. Nothing is changed or removed but with its document.
create table agreements.events (
  operator_id bigint not null,
  id bigint not null generated always as identity,
  document_id bigint not null,
  event text not null check (event in ('issued', 'opened', 'signed', 'expired', 'withdrawn')),
  -- Null for the site itself.
  actor_id bigint,
  reason text check (length(reason) between 3 and 500),
  at timestamptz not null,
  primary key (operator_id, id),
  unique (operator_id, document_id, event),
  foreign key (operator_id, document_id) references agreements.documents on delete cascade,
  foreign key (operator_id, actor_id) references accounts.people (operator_id, id)
);
select platform.own_table('agreements.events', 'select', 'insert');
