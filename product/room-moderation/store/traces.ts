import type { Tx } from '#platform/data/data.ts';
import { sql } from 'kysely';
import { MAX_SHARING, MAX_TRACES, SWEPT, TRACE_MS, type Mark } from '../rules.ts';
import { tables, traceOf, type Subject } from './schema.ts';

/** Stores today's marks of a visitor, and deletes expired ones. */
export async function noteTrace(
  tx: Tx,
  subject: Subject,
  marks: Readonly<Partial<Record<Mark, string>>>,
): Promise<void> {
  await tables(tx).deleteFrom('room_moderation.traces')
    .where(sql<boolean>`ctid in (select ctid from room_moderation.traces
      where seen_at < ${new Date(tx.now.getTime() - TRACE_MS)} limit ${SWEPT})`).execute();
  const { session = '', device = '', network = '' } = marks;
  await tables(tx).insertInto('room_moderation.traces')
    .values({
      who: traceOf(subject),
      guest_name: subject.guestName ?? null,
      session,
      device,
      network,
      seen_at: tx.now,
    })
    .onConflict((conflict) =>
      conflict.columns(['operator_id', 'who', 'session', 'device', 'network'])
        .doUpdateSet({ seen_at: tx.now })
    ).execute();
  // A visitor who invents devices only loses their earlier ones.
  await tables(tx).deleteFrom('room_moderation.traces').where('who', '=', traceOf(subject))
    .where('seen_at', '<', (row) =>
      row.selectFrom('room_moderation.traces').select('seen_at')
        .where('who', '=', traceOf(subject)).orderBy('seen_at', 'desc').offset(MAX_TRACES - 1).limit(1))
    .execute();
}

/** Somebody's marks of the last day, for a ban. */
export async function findTraces(
  tx: Tx,
  subject: Subject,
): Promise<{ readonly kind: Mark; readonly digest: string }[]> {
  const rows = await tables(tx).selectFrom('room_moderation.traces').select(['session', 'device', 'network'])
    .where('who', '=', traceOf(subject)).where('seen_at', '>', new Date(tx.now.getTime() - TRACE_MS))
    .orderBy('seen_at', 'desc').limit(MAX_TRACES).execute();
  const marks = rows.flatMap(({ session, device, network }) => [
    { kind: 'session' as const, digest: session },
    { kind: 'device' as const, digest: device },
    { kind: 'network' as const, digest: network },
  ]);
  const once = new Map(marks.map((mark) => [`${mark.kind} ${mark.digest}`, mark]));
  return [...once.values()].filter(({ digest }) => digest !== '');
}

/** Others seen with the same device or network in the last day, and what they share. */
export async function findSharing(
  tx: Tx,
  subject: Subject,
  marks: readonly { readonly kind: Mark; readonly digest: string }[],
): Promise<{ readonly who: string; readonly matched: ReadonlySet<Mark> }[]> {
  const digests = marks.filter(({ kind }) => kind !== 'session').map(({ digest }) => digest);
  if (digests.length === 0) return [];
  const rows = await tables(tx).selectFrom('room_moderation.traces').select(['who', 'device', 'network'])
    .where('who', '<>', traceOf(subject)).where('seen_at', '>', new Date(tx.now.getTime() - TRACE_MS))
    .where((row) => row.or([row('device', 'in', digests), row('network', 'in', digests)]))
    .orderBy('seen_at', 'desc').limit(MAX_SHARING).execute();
  return rows.map((row) => ({
    who: row.who,
    matched: new Set((['device', 'network'] as const).filter((kind) => digests.includes(row[kind]))),
  }));
}

/** The session of a guest who was in a room in the last day, found by their displayed name. */
export async function findGuest(tx: Tx, guestName: string): Promise<string | null> {
  const row = await tables(tx).selectFrom('room_moderation.traces').select('who')
    .where('guest_name', '=', guestName).orderBy('seen_at', 'desc').executeTakeFirst();
  return row?.who.slice('guest:'.length) ?? null;
}
