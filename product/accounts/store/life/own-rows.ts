import { removeStored } from '#platform/data/blobs.ts';
import { ownedRows, unreadRows, type EraseRows, type OwnedRows } from '#platform/data/database/owned-rows.ts';
import { sql } from 'kysely';
import { AVATAR_REMOVAL, replaceAvatar } from '../avatars.ts';

/** The picture is removed after the commit, as when another replaces it. */
const eraseAvatar: EraseRows = async (tx, { id }) => {
  const before = await replaceAvatar(tx, id, null, null);
  if (before) await removeStored(tx, AVATAR_REMOVAL, before);
  return 0;
};

/** Reasons that others typed for something they did to the person. */
const eraseReasons: EraseRows = async (tx, { id }, limit) => {
  const { rows } = await sql<{ count: number }>`
    select platform.forget_reasons(${`person:${id}`}, ${limit}::int) as count`.execute(tx.sql());
  return rows[0]?.count ?? 0;
};

/** What this slice stores about a person, as they may read it. */
export const ownRows: readonly OwnedRows[] = [
  ownedRows({
    table: 'accounts.people',
    owner: 'id',
    order: ['id'],
    columns: [
      'username',
      'display_name',
      'email',
      'email_confirmed_at',
      'type',
      'gender',
      'birth_date',
      'about',
      'languages',
      'roles',
      'settings',
      'social_media',
      'last_login_at',
      'last_login_country',
      'suspended_at',
      'suspension_cause',
      'suspension_message',
      'username_changed_at',
      'recovered_at',
      'created_at',
    ],
    erase: {
      keeps: 'the id and a pseudonym, which rows that stay lead to; the end of an erasure clears the rest',
    },
  }),
  ownedRows({
    table: 'accounts.avatars',
    owner: 'person_id',
    order: ['person_id'],
    columns: ['key'],
    erase: { by: eraseAvatar },
  }),
  ownedRows({
    table: 'accounts.former_usernames',
    owner: 'person_id',
    order: ['username'],
    columns: ['username', 'given_up_at'],
    erase: 'rows',
  }),
  ownedRows({
    table: 'accounts.email_changes',
    owner: 'person_id',
    order: ['person_id'],
    columns: ['email', 'asked_at'],
    erase: 'rows',
  }),
  ownedRows({
    table: 'accounts.former_emails',
    owner: 'person_id',
    order: ['id'],
    columns: ['email', 'replaced_at', 'ended_at'],
    erase: 'rows',
  }),
  ownedRows({
    table: 'accounts.sessions',
    owner: 'person_id',
    order: ['id'],
    columns: ['browser', 'platform', 'region', 'created_at', 'renewed_at', 'expires_at'],
    erase: 'rows',
  }),
  ownedRows({
    table: 'accounts.passkeys',
    owner: 'person_id',
    order: ['id'],
    columns: ['name', 'host', 'created_at', 'used_at'],
    erase: 'rows',
  }),
  ownedRows({
    table: 'accounts.identities',
    owner: 'person_id',
    order: ['id'],
    columns: ['provider', 'email', 'created_at', 'used_at'],
    erase: 'rows',
  }),
  ownedRows({
    table: 'accounts.two_factor',
    owner: 'person_id',
    order: ['person_id'],
    columns: ['confirmed_at', 'created_at'],
    erase: 'rows',
  }),
  ownedRows({
    table: 'accounts.phones',
    owner: 'person_id',
    order: ['person_id'],
    columns: ['number', 'confirmed_at'],
    erase: 'rows',
  }),
  ownedRows({
    table: 'accounts.login_networks',
    owner: 'person_id',
    order: ['digest'],
    columns: ['seen_at'],
    erase: 'rows',
  }),
  ownedRows({
    table: 'accounts.linked',
    owner: 'person_id',
    order: ['other_id'],
    people: ['other_id'],
    columns: ['other_id', 'linked_at'],
    alsoOf: ['other_id'],
    erase: 'rows',
  }),
  unreadRows('they are about what was done by whom', {
    table: 'platform.audit',
    owners: [],
    erase: {
      by: eraseReasons,
      keeps: 'who did what to which account, and when; not why, as somebody typed it',
    },
  }),
  ...['passwords', 'password_resets', 'recovery_codes', 'login_codes', 'phone_codes'].map((table) =>
    unreadRows('they hold digests and keys alone', {
      table: `accounts.${table}`,
      owners: ['person_id'],
      erase: 'rows',
    })
  ),
];
