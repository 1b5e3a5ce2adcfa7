import type { Tx } from '#platform/data/data.ts';
import { sql } from 'kysely';
import type { StoredSettings } from './contract/settings.ts';
import {
  MAX_ADMINS_NOTIFIED,
  MAX_UNCONFIRMED_RESETS,
  type AccountType,
  type GenderCode,
  type RoleName,
} from './rules.ts';
import { permissions } from './rules/permissions.ts';
import { STAFF_ROLES } from './rules/staff/roles.ts';
import type { SuspensionCause, SuspensionNotice } from './rules/staff/suspensions.ts';
import type { StoredSocialMedia } from './store/columns.ts';
import type { AccountsTables } from './store/tables.ts';

/** An account as later slices see it. */
export interface Person {
  readonly id: number;
  readonly username: string;
  readonly displayName: string;
  readonly type: AccountType;
  readonly gender: GenderCode | null;
  readonly email: string;
  /** ISO date. */
  readonly birthDate: string;
  readonly about: string;
  readonly languages: readonly string[];
  readonly avatarUrl: string | null;
  /** As chosen; absent or empty means none. */
  readonly socialMedia: StoredSocialMedia;
  readonly roles: readonly RoleName[];
  /** When they were suspended or asked for deletion; null for people who may act and be shown. */
  readonly inactiveSince: Date | null;
  /** When they asked for deletion, also after it is final: nothing shows them from then on. */
  readonly deletionRequestedAt: Date | null;
  /** ISO 3166-1 alpha-2 of the last log-in; null if unknown. */
  readonly lastLoginCountry: string | null;
  /** Whether the home page may show them, by their setting `show_home`. */
  readonly isOnHome: boolean;
  readonly createdAt: Date;
}

/** A person, with the fields that only they may see. */
export interface Account extends Person {
  readonly suspendedAt: Date | null;
  /** What they read about it. */
  readonly suspensionCause: SuspensionCause | null;
  readonly suspensionMessage: string;
  /** When the deletion can become final. */
  readonly deletionAt: Date | null;
  readonly erasingSince: Date | null;
  readonly erasedAt: Date | null;
  readonly emailConfirmedAt: Date | null;
  readonly settings: StoredSettings;
  readonly lastLoginAt: Date | null;
  /** Number of recoveries, in everything sealed for the person alone: the next recovery invalidates it. */
  readonly recoveries: number;
  readonly recoveredAt: Date | null;
  readonly waysInCheckedAt: Date | null;
  /** Ways to log in added after this need a check after the last recovery. */
  readonly waysInSince: Date | null;
  /** Since when the account's holder is known to read the mail of its address. */
  readonly addressProvenAt: Date | null;
}

export interface NewAccount {
  readonly siteId: number;
  readonly username: string;
  readonly displayName: string;
  readonly email: string;
  readonly isEmailConfirmed: boolean;
  readonly type: AccountType;
  readonly gender: GenderCode | null;
  readonly birthDate: string;
  readonly about: string;
  readonly languages: readonly string[];
  readonly avatarUrl: string | null;
  readonly roles: readonly RoleName[];
  readonly settings: StoredSettings;
  /** Null for somebody who logs in without a password. */
  readonly passwordHash: string | null;
  /** Now, when left out. */
  readonly createdAt?: Date;
}

const PERSON_COLUMNS = [
  'p.id',
  'p.username',
  'p.display_name as displayName',
  'p.type',
  'p.gender',
  'p.email',
  'p.birth_date as birthDate',
  'p.about',
  'p.languages',
  'p.avatar_url as avatarUrl',
  'p.roles',
  'p.suspended_at as suspendedAt',
  'p.suspension_cause as suspensionCause',
  'p.suspension_message as suspensionMessage',
  'p.created_at as createdAt',
  'p.email_confirmed_at as emailConfirmedAt',
  'p.settings',
  'p.social_media as socialMedia',
  'p.last_login_country as lastLoginCountry',
  'p.last_login_at as lastLoginAt',
  'p.deletion_requested_at as deletionRequestedAt',
  'p.deletion_at as deletionAt',
  'p.erasing_since as erasingSince',
  'p.erased_at as erasedAt',
  'p.recoveries',
  'p.recovered_at as recoveredAt',
  'p.ways_in_checked_at as waysInCheckedAt',
  'p.ways_in_since as waysInSince',
  'p.address_proven_at as addressProvenAt',
] as const;
const INACTIVE_SINCE = sql<Date | null>`coalesce(p.suspended_at, p.deletion_requested_at)`;
/** People who chose nothing are shown. */
const IS_ON_HOME = sql<boolean>`coalesce(p.settings ->> 'show_home', 'YES') = 'YES'`;

export const people = (tx: Tx) =>
  tx.sql<AccountsTables>().selectFrom('accounts.people as p')
    .select([...PERSON_COLUMNS, INACTIVE_SINCE.as('inactiveSince'), IS_ON_HOME.as('isOnHome')]);

/** The type is safe, because a check constraint allows only role names. */
export const accountOf = <Row extends { roles: string[] }>(row: Row): Row & { roles: RoleName[] } =>
  row as Row & { roles: RoleName[] };

/** @param username lower case. */
export async function findByUsername(tx: Tx, username: string): Promise<Account | null> {
  // PostgreSQL's text cannot hold NUL and raises an error; no username has one.
  if (username.includes('\0')) return null;
  const row = await people(tx).where('p.username', '=', username).executeTakeFirst();
  return row ? accountOf(row) : null;
}

export async function findById(tx: Tx, id: number): Promise<Account | null> {
  const row = await people(tx).where('p.id', '=', id).executeTakeFirst();
  return row ? accountOf(row) : null;
}

export async function findMany(tx: Tx, ids: readonly number[]): Promise<ReadonlyMap<number, Account>> {
  if (ids.length === 0) return new Map();
  const rows = await people(tx).where('p.id', '=', sql<number>`any(${[...ids]}::bigint[])`).execute();
  return new Map(rows.map((row) => [row.id, accountOf(row)]));
}

/** Performers with an id above `after`, oldest first. */
export async function listPerformers(tx: Tx, after: number, limit: number): Promise<Account[]> {
  const rows = await people(tx).where('p.type', '=', 'model').where('p.id', '>', after)
    .orderBy('p.id').limit(limit).execute();
  return rows.map(accountOf);
}

/** Performers with a role of staff and an id above `after`, oldest first. */
export async function listStaffPerformers(tx: Tx, after: number, limit: number): Promise<Account[]> {
  const rows = await people(tx).where('p.type', '=', 'model').where('p.id', '>', after)
    .where(sql<boolean>`p.roles && ${[...STAFF_ROLES]}::text[]`).orderBy('p.id').limit(limit).execute();
  return rows.map(accountOf);
}

/** At most 50 admins who are not suspended, lowest id first. */
export async function selectAdminIds(tx: Tx): Promise<number[]> {
  const rows = await tx.sql<AccountsTables>().selectFrom('accounts.people').select('id')
    .where(sql<boolean>`roles && ${[...permissions.admin]}::text[]`).where('suspended_at', 'is', null)
    .where('deletion_requested_at', 'is', null).orderBy('id').limit(MAX_ADMINS_NOTIFIED).execute();
  return rows.map(({ id }) => id);
}

/**
 * Inserts a person, with a password if there is one. Null, with nothing inserted, if the username is taken,
 * or the address for an account that counts as confirmed.
 */
export async function insertPerson(tx: Tx, account: NewAccount): Promise<Account | null> {
  const inserted = await tx.sql<AccountsTables>().insertInto('accounts.people')
    .values({
      site_id: account.siteId,
      username: account.username,
      display_name: account.displayName,
      email: account.email,
      email_confirmed_at: account.isEmailConfirmed ? tx.now : null,
      address_proven_at: account.isEmailConfirmed ? tx.now : null,
      type: account.type,
      gender: account.gender,
      birth_date: account.birthDate,
      about: account.about,
      languages: [...account.languages],
      avatar_url: account.avatarUrl,
      roles: [...account.roles],
      settings: JSON.stringify(account.settings),
      suspended_at: null,
      created_at: account.createdAt ?? tx.now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id').executeTakeFirst();
  if (!inserted) return null;
  if (account.passwordHash !== null) await savePassword(tx, inserted.id, account.passwordHash);
  const person = await findById(tx, inserted.id);
  if (!person) throw new Error('a person just written cannot be read');
  return person;
}

export async function savePassword(tx: Tx, personId: number, hash: string): Promise<void> {
  await tx.sql<AccountsTables>().insertInto('accounts.passwords')
    .values({ person_id: personId, hash, changed_at: tx.now })
    .onConflict((conflict) =>
      conflict.columns(['operator_id', 'person_id'])
        .doUpdateSet({ hash, changed_at: tx.now })
    )
    .execute();
}

export async function deletePassword(tx: Tx, personId: number): Promise<void> {
  await tx.sql<AccountsTables>().deleteFrom('accounts.passwords').where('person_id', '=', personId).execute();
}

export async function passwordHashOf(tx: Tx, personId: number): Promise<string | null> {
  const row = await tx.sql<AccountsTables>().selectFrom('accounts.passwords').select('hash')
    .where('person_id', '=', personId).executeTakeFirst();
  return row?.hash ?? null;
}

/** An account that a log-in may mean. */
export interface Login {
  readonly person: Account;
  readonly hash: string | null;
}

/**
 * The account of a username, or up to two of an email address: its owner, and the newest account that has not
 * confirmed it. `login` is lower case.
 */
export async function findLogins(tx: Tx, login: string): Promise<readonly Login[]> {
  const isUnconfirmed = sql<boolean>`p.email_confirmed_at is null`;
  const rows = await people(tx).leftJoin('accounts.passwords as w', (join) =>
    join
      .onRef('w.operator_id', '=', 'p.operator_id').onRef('w.person_id', '=', 'p.id'))
    .select('w.hash').distinctOn(isUnconfirmed).orderBy(isUnconfirmed).orderBy('p.id', 'desc')
    .where(login.includes('@') ? 'p.email' : 'p.username', '=', login).execute();
  return rows.map(({ hash, ...person }) => ({ person: accountOf(person), hash }));
}

/** The owner of an address: the account that confirmed it. */
export async function findOwner(tx: Tx, email: string): Promise<Account | null> {
  const row = await people(tx).where('p.email', '=', email).where('p.email_confirmed_at', 'is not', null)
    .executeTakeFirst();
  return row ? accountOf(row) : null;
}

/**
 * Accounts whose password can be reset by an address: its owner, or without one the first that entered it.
 */
export async function findForReset(tx: Tx, email: string): Promise<readonly Account[]> {
  const owner = await findOwner(tx, email);
  if (owner) return [owner];
  const rows = await people(tx).where('p.email', '=', email).orderBy('p.id').limit(MAX_UNCONFIRMED_RESETS)
    .execute();
  return rows.map(accountOf);
}

/** Saves a password reset; the person's earlier one ends. */
export async function saveReset(tx: Tx, personId: number, digest: string, expiresAt: Date): Promise<void> {
  await tx.sql<AccountsTables>().insertInto('accounts.password_resets')
    .values({ person_id: personId, digest, expires_at: expiresAt })
    .onConflict((conflict) =>
      conflict.columns(['operator_id', 'person_id'])
        .doUpdateSet({ digest, expires_at: expiresAt })
    )
    .execute();
}

/** The person of a password reset that has not expired. */
export async function findReset(tx: Tx, digest: string): Promise<Account | null> {
  const row = await people(tx).innerJoin('accounts.password_resets as r', (join) =>
    join
      .onRef('r.operator_id', '=', 'p.operator_id').onRef('r.person_id', '=', 'p.id'))
    .where('r.digest', '=', digest).where('r.expires_at', '>', tx.now).executeTakeFirst();
  return row ? accountOf(row) : null;
}

/** Deletes a password reset, once in all processes; false if it was used, replaced or has expired. */
export async function spendReset(tx: Tx, digest: string): Promise<boolean> {
  const row = await tx.sql<AccountsTables>().deleteFrom('accounts.password_resets')
    .where('digest', '=', digest).where('expires_at', '>', tx.now).returning('person_id').executeTakeFirst();
  return row !== undefined;
}

export interface PersonChanges {
  readonly displayName?: string;
  readonly gender?: GenderCode | null;
  readonly about?: string;
  readonly languages?: readonly string[];
  readonly socialMedia?: StoredSocialMedia;
}

/** Changes only the given fields. */
export async function updatePerson(tx: Tx, id: number, changes: PersonChanges): Promise<void> {
  const set = {
    ...(changes.displayName === undefined ? {} : { display_name: changes.displayName }),
    ...(changes.gender === undefined ? {} : { gender: changes.gender }),
    ...(changes.about === undefined ? {} : { about: changes.about }),
    ...(changes.languages === undefined ? {} : { languages: [...changes.languages] }),
    ...(changes.socialMedia === undefined
      ? {}
      : { social_media: sql<string>`social_media || ${JSON.stringify(changes.socialMedia)}::jsonb` }),
  };
  if (Object.keys(set).length === 0) return;
  await tx.sql<AccountsTables>().updateTable('accounts.people').set(set).where('id', '=', id).execute();
}

/** A person, locked until the unit of work ends, so that two changes of settings do not undo each other. */
export async function lockPerson(tx: Tx, id: number): Promise<Account> {
  return accountOf(await people(tx).where('p.id', '=', id).forUpdate().executeTakeFirstOrThrow());
}

/**
 * Locks people in a fixed order, so that concurrent calls cannot deadlock; returns them in the order asked.
 */
export async function lockPeople(tx: Tx, ids: readonly number[]): Promise<Account[]> {
  const found = new Map<number, Account>();
  for (const id of ids.toSorted((number, other) => number - other)) found.set(id, await lockPerson(tx, id));
  return ids.flatMap((id) => found.get(id) ?? []);
}

/** Merges into the stored settings; returns all of them. */
export async function mergeSettings(tx: Tx, id: number, changes: StoredSettings): Promise<StoredSettings> {
  const { settings } = await tx.sql<AccountsTables>().updateTable('accounts.people')
    .set({ settings: sql`settings || ${JSON.stringify(changes)}::jsonb` })
    .where('id', '=', id).returning('settings').executeTakeFirstOrThrow();
  return settings;
}

/** Of concurrent confirmations of one address, one goes first, and the others find its owner. */
export async function lockAddress(tx: Tx, email: string): Promise<void> {
  await tx.lock('accounts.address', email);
}

/** Marks the address as confirmed if it is unchanged and nobody else's. `known`: it was confirmed before. */
export async function confirmAddress(
  tx: Tx,
  id: number,
  email: string,
): Promise<'confirmed' | 'known' | 'refused'> {
  await lockAddress(tx, email);
  const owner = await findOwner(tx, email);
  if (owner) return owner.id === id ? 'known' : 'refused';
  const row = await tx.sql<AccountsTables>().updateTable('accounts.people')
    .set({ email_confirmed_at: tx.now }).where('id', '=', id).where('email', '=', email)
    .returning('id').executeTakeFirst();
  return row === undefined ? 'refused' : 'confirmed';
}

/** Suspends somebody, with what they read about it; null lifts the suspension. */
export async function saveSuspension(tx: Tx, id: number, notice: SuspensionNotice | null): Promise<void> {
  await tx.sql<AccountsTables>().updateTable('accounts.people').set({
    suspended_at: notice && tx.now,
    suspension_cause: notice?.cause ?? null,
    suspension_message: notice?.message ?? '',
  }).where('id', '=', id).execute();
}

/** Gives somebody a role, or takes it away. */
export async function saveRole(tx: Tx, id: number, role: RoleName, isOn: boolean): Promise<void> {
  const without = sql<string[]>`array_remove(roles, ${role}::text)`;
  await tx.sql<AccountsTables>().updateTable('accounts.people').where('id', '=', id)
    .set({ roles: isOn ? sql<string[]>`array_append(${without}, ${role}::text)` : without }).execute();
}

/** Turns a viewer's account into a performer's. */
export async function savePerformer(tx: Tx, id: number, gender: GenderCode): Promise<void> {
  await tx.sql<AccountsTables>().updateTable('accounts.people').set({ type: 'model', gender })
    .where('id', '=', id).execute();
}

export async function saveLastLogin(tx: Tx, id: number, country: string | null): Promise<void> {
  await tx.sql<AccountsTables>().updateTable('accounts.people')
    .set({ last_login_country: country, last_login_at: tx.now })
    .where('id', '=', id).execute();
}
