import type { Tx } from '#platform/data/data.ts';
import { sql, type RawBuilder } from 'kysely';

/**
 * What happens to rows: all are deleted; those that match a condition are; those whose column is later than
 * the time when somebody else may have taken over the account are; or they stay, for the reason given.
 */
type Ending = 'end' | { readonly where: RawBuilder<unknown> } | { readonly after: string } | {
  readonly stay: string;
};

/** A table of this slice with rows about people. */
interface Grants {
  /** Columns with the person's id; `person_id` where left out. */
  readonly of?: readonly string[];
  /** When the person takes the account back. */
  readonly recovery: Ending;
  /** When the account's address is first proven: somebody else may have held the account until then. */
  readonly firstProof: Ending;
}

const ENDS: Grants = { recovery: 'end', firstProof: 'end' };
const staying = (why: string): Grants => ({ recovery: { stay: why }, firstProof: { stay: why } });
const NO_GRANT = staying('it lets nobody in');
/** The person sees them at the next log-in, and removes those that an intruder added. */
const SHOWN: Grants = {
  recovery: { stay: 'the person is asked about those of the last days' },
  firstProof: 'end',
};

/**
 * Every table of this slice with rows about people, and what a recovery ends in it. A test refuses a table
 * that is missing here, so that nothing that logs somebody in is forgotten.
 */
export const GRANTS: Readonly<Record<string, Grants>> = {
  people: NO_GRANT,
  avatars: NO_GRANT,
  former_usernames: NO_GRANT,
  passwords: staying('a recovery brings a new one, or proves that it is known'),
  sessions: staying('they end one by one, for each closes its sockets and streams'),
  email_changes: ENDS,
  // The holder of the account confirms the next address, so nobody finds anything there that a stranger left.
  former_emails: staying('they lead back to who had the account, and a recovery may be an intruder’s'),
  password_resets: ENDS,
  login_codes: ENDS,
  login_networks: ENDS,
  phone_codes: ENDS,
  linked: { of: ['person_id', 'other_id'], ...ENDS },
  // Begun but not confirmed: an intruder may have seen the secret.
  two_factor: { recovery: { where: sql`confirmed_at is null` }, firstProof: 'end' },
  recovery_codes: {
    recovery: { stay: 'they belong to a second step, which they alone replace' },
    firstProof: 'end',
  },
  passkeys: SHOWN,
  identities: SHOWN,
  // Text messages log nobody in, but reveal whom somebody follows and when they log in.
  phones: { recovery: { after: 'confirmed_at' }, firstProof: 'end' },
};

function conditionOf(ending: Exclude<Ending, { readonly stay: string }>, since: Date): RawBuilder<unknown> {
  if (ending === 'end') return sql`true`;
  return 'after' in ending ? sql`${sql.ref(ending.after)} > ${since}` : ending.where;
}

/**
 * Ends what is stored for a person to log in with, or to be notified by.
 * @param since when somebody else may have taken over the account
 */
export async function endStoredGrants(
  tx: Tx,
  personId: number,
  how: 'recovery' | 'firstProof',
  since: Date,
): Promise<void> {
  for (const [table, grants] of Object.entries(GRANTS)) {
    const ending = grants[how];
    if (typeof ending === 'object' && 'stay' in ending) continue;
    const owners = (grants.of ?? ['person_id']).map((owner) => sql`${sql.ref(owner)} = ${personId}`);
    const where = conditionOf(ending, since);
    await sql`delete from ${sql.table(`accounts.${table}`)}
      where (${sql.join(owners, sql` or `)}) and ${where}`.execute(tx.sql());
  }
}

/**
 * Invalidates everything that was sealed for a person before.
 * @param since ways to log in added after it need a check
 */
export async function saveRecovery(tx: Tx, personId: number, since: Date): Promise<void> {
  await sql`update accounts.people set recoveries = recoveries + 1, recovered_at = ${tx.now},
      ways_in_since = ${since}
    where id = ${personId}`.execute(tx.sql());
}

/** Ends a second step that was set up after a time, with its recovery codes. */
export async function endStepSince(tx: Tx, personId: number, since: Date): Promise<void> {
  await sql`delete from accounts.two_factor where person_id = ${personId} and confirmed_at > ${since}`
    .execute(tx.sql());
}

/** The person confirmed the ways to log in that were new at the last recovery. */
export async function saveWaysInChecked(tx: Tx, personId: number): Promise<void> {
  await sql`update accounts.people set ways_in_checked_at = ${tx.now} where id = ${personId}`
    .execute(tx.sql());
}

/** Saves whether the account's holder is known to read the mail of its address. */
export async function saveAddressProven(tx: Tx, personId: number, isProven: boolean): Promise<void> {
  const at = isProven ? sql`coalesce(address_proven_at, ${tx.now})` : sql`null`;
  await sql`update accounts.people set address_proven_at = ${at} where id = ${personId}`.execute(tx.sql());
}

/** A way to log in that was added, or an address that was replaced. */
export interface AddedWayIn {
  readonly kind: 'passkey' | 'provider' | 'email';
  /** Id of a passkey or an address; 0 for a provider. */
  readonly id: number;
  /** The person's name for it, the provider's name, or the address. */
  readonly name: string;
  readonly email: string | null;
  readonly addedAt: Date;
}

/**
 * Ways to log in that were added in a period, newest first, except the one that opened the account. Addresses
 * replaced in that period are among them, because the address that replaced one is a way to log in too.
 */
export async function findAddedWaysIn(
  tx: Tx,
  personId: number,
  { after, until }: { readonly after: Date; readonly until: Date },
): Promise<AddedWayIn[]> {
  const { rows } = await sql<AddedWayIn>`
    select 'passkey' as kind, id, name, null as email, created_at as "addedAt" from accounts.passkeys
      where person_id = ${personId} and created_at > ${after} and created_at <= ${until}
    union all
    select 'provider', 0, provider, email, created_at from accounts.identities
      where person_id = ${personId} and created_at > ${after} and created_at <= ${until}
        and created_at > (select created_at from accounts.people where id = ${personId})
    union all
    select 'email', id, email, null, replaced_at from accounts.former_emails
      where person_id = ${personId} and replaced_at > ${after} and replaced_at <= ${until}
        and ended_at is null
    order by "addedAt" desc, kind, id`.execute(tx.sql());
  return rows;
}
