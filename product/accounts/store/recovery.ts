import { sql, type RawBuilder } from 'kysely';
import type { Tx } from '#platform/data/data.ts';

/**
 * What becomes of rows: they go, those of a condition go, those whose column is later than the day from which
 * somebody else may have held the account go, or they stay and this is why.
 */
type Ending = 'end' | { readonly where: RawBuilder<unknown> } | { readonly after: string }
  | { readonly stay: string };

/** A table of this slice with rows of people. */
interface Grants {
  /** Columns with the person; `person_id` where left out. */
  readonly of?: readonly string[];
  /** When the person takes the account back. */
  readonly recovery: Ending;
  /** When its address is first proven: whoever had the account until then may be somebody else. */
  readonly firstProof: Ending;
}

const ENDS: Grants = { recovery: 'end', firstProof: 'end' };
const staying = (why: string): Grants => ({ recovery: { stay: why }, firstProof: { stay: why } });
const NO_GRANT = staying('it lets nobody in');
/** Their person sees them when they next log in, and removes those of somebody else. */
const SHOWN: Grants = {
  recovery: { stay: 'the person is asked about those of the last days' }, firstProof: 'end',
};

/**
 * Every table of this slice with rows of people, and what a recovery ends of them. A test refuses a table
 * that is not named here: what lets somebody in is ended with the rest.
 */
export const GRANTS: Readonly<Record<string, Grants>> = {
  people: NO_GRANT,
  avatars: NO_GRANT,
  former_usernames: NO_GRANT,
  passwords: staying('a recovery brings a new one, or proves that it is known'),
  sessions: staying('they end one by one, for each closes its sockets and streams'),
  email_changes: ENDS,
  // The next address is confirmed by who holds the account, so nobody finds in it what a stranger left.
  former_emails: staying('they lead back to who had the account, and a recovery may be an intruder’s'),
  password_resets: ENDS,
  login_codes: ENDS,
  login_networks: ENDS,
  phone_codes: ENDS,
  linked: { of: ['person_id', 'other_id'], ...ENDS },
  // One that is begun and not confirmed: its secret was shown to somebody.
  two_factor: { recovery: { where: sql`confirmed_at is null` }, firstProof: 'end' },
  recovery_codes: {
    recovery: { stay: 'they belong to a second step, which they alone replace' }, firstProof: 'end',
  },
  passkeys: SHOWN,
  identities: SHOWN,
  // Text messages let nobody in, but say whom somebody follows and when they log in.
  phones: { recovery: { after: 'confirmed_at' }, firstProof: 'end' },
};

function conditionOf(ending: Exclude<Ending, { readonly stay: string }>, since: Date): RawBuilder<unknown> {
  if (ending === 'end') return sql`true`;
  return 'after' in ending ? sql`${sql.ref(ending.after)} > ${since}` : ending.where;
}

/**
 * Ends what is stored for a person to get in by, or to be notified by.
 * @param since since when somebody else may have held the account
 */
export async function endStoredGrants(
  tx: Tx, personId: number, how: 'recovery' | 'firstProof', since: Date,
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
 * From now on nothing works any more that was sealed for a person before.
 * @param since ways in that were added after it are to be looked at
 */
export async function saveRecovery(tx: Tx, personId: number, since: Date): Promise<void> {
  await sql`update accounts.people set recoveries = recoveries + 1, recovered_at = ${tx.now},
      ways_in_since = ${since}
    where id = ${personId}`.execute(tx.sql());
}

/** Ends a second step that was set up after a moment, and its recovery codes with it. */
export async function endStepSince(tx: Tx, personId: number, since: Date): Promise<void> {
  await sql`delete from accounts.two_factor where person_id = ${personId} and confirmed_at > ${since}`
    .execute(tx.sql());
}

/** The person said that the ways in that were new at the last recovery are theirs. */
export async function saveWaysInChecked(tx: Tx, personId: number): Promise<void> {
  await sql`update accounts.people set ways_in_checked_at = ${tx.now} where id = ${personId}`
    .execute(tx.sql());
}

/** Whether the account's holder is known to read the mail of its address, from now on. */
export async function saveAddressProven(tx: Tx, personId: number, isProven: boolean): Promise<void> {
  const at = isProven ? sql`coalesce(address_proven_at, ${tx.now})` : sql`null`;
  await sql`update accounts.people set address_proven_at = ${at} where id = ${personId}`.execute(tx.sql());
}

/** A way in that was added, or an address that another took the place of. */
export interface AddedWayIn {
  readonly kind: 'passkey' | 'provider' | 'email';
  /** Of a passkey or an address; 0 for a provider. */
  readonly id: number;
  /** What the person named it, the provider's name, or the address. */
  readonly name: string;
  readonly email: string | null;
  readonly addedAt: Date;
}

/**
 * Ways in that were added after one moment and not after another, the newest first. The one that opened the
 * account is none of them. Addresses that were replaced then stand among them: the one that took their place
 * is a way in too.
 */
export async function findAddedWaysIn(
  tx: Tx, personId: number, { after, until }: { readonly after: Date; readonly until: Date },
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
