import { handleCall, handleStream, type CallHandler } from '#platform/contract/bind.ts';
import type { PersonContext, Scope } from '#platform/contract/context.ts';
import type { Extensions } from '#platform/contract/extension-point.ts';
import type { Data } from '#platform/data/data.ts';
import type { OwnedRow, OwnedRows } from '#platform/data/database/owned-rows.ts';
import { seal, unseal } from '#platform/data/database/seal.ts';
import { askForCopy, copyOver, downloadCopy, getCopyState } from '../../contract/life/own-data.ts';
import { personalData } from '../../extension-points.ts';
import { COPY_BATCH_ROWS, COPY_TICKET_SECONDS, MAX_COPY_ROWS } from '../../rules/life/own-data.ts';
import { findMany } from '../../store.ts';
import { ownRows } from '../../store/life/own-rows.ts';
import { confirmationIn } from '../credentials/confirmation.ts';
import { lockCaller, stillIn } from '../credentials/ways-in.ts';
import type { SignInParts } from '../sign-in.ts';
import { provesIt } from './proof.ts';

export interface OwnDataParts extends SignInParts {
  readonly extensions: Extensions;
  readonly secret: string;
  /** Rows about a person in slices before this one. */
  readonly earlierRows: readonly OwnedRows[];
}

interface Ticket {
  readonly person: number;
  /** Digest of the session that asked. */
  readonly session: string;
  readonly until: number;
}

const purpose = ({ operatorId }: Scope): string => `accounts copy of own data of operator ${operatorId}`;

/** Calls for a copy of what the site stores about the caller: asked for with proof, then downloaded. */
export const ownDataHandlers = (parts: OwnDataParts): CallHandler[] => [
  handleCall(getCopyState)(async (_input, context) => ({
    confirmation: await parts.data.tx(context.scope, (tx) => confirmationIn(tx, context)),
  })),
  askHandler(parts),
  downloadHandler(parts),
];

const askHandler = (parts: OwnDataParts): CallHandler =>
  handleCall(askForCopy)(async (proof, context) => {
    const { data, site, emails, secret } = parts;
    const { scope, caller, refuse } = context;
    const doubt = await provesIt(parts, context, proof);
    if (doubt) return refuse(...doubt);
    const { display_name: siteName } = await site.viewOf(scope);
    await data.tx(scope, async (tx) => {
      const person = await lockCaller(tx, context);
      const subject = `person:${person.id}`;
      await tx.audit({ action: 'accounts.askForCopy', actorId: person.id, subject });
      await emails.copyAsked(tx, person, context, siteName);
    });
    const until = data.clock.now().getTime() + COPY_TICKET_SECONDS * 1000;
    const ticket: Ticket = { person: context.personId, session: caller.sessionId ?? '', until };
    return { status: 1 as const, ticket: seal(secret, purpose(scope), ticket) };
  });

const downloadHandler = (parts: OwnDataParts): CallHandler =>
  handleStream(downloadCopy)(async ({ ticket }, context) => {
    const { scope, caller, refuse } = context;
    const { data, extensions, earlierRows, secret } = parts;
    const opened = unseal(secret, purpose(scope), ticket) as Ticket | null;
    const now = data.clock.now();
    const isOwn = opened !== null && opened.person === caller.personId
      && opened.session === caller.sessionId && opened.until > now.getTime();
    if (!isOwn) return refuse(copyOver);
    const tables = [...ownRows, ...earlierRows, ...extensions.all(personalData).flat()]
      .filter(({ read }) => read !== null).toSorted((row, other) => (row.table < other.table ? -1 : 1));
    return {
      status: 200,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'content-disposition': `attachment; filename="${caller.username}-data.json"`,
        'cache-control': 'no-store',
      },
      parts: wholeCopy(data, context, tables),
    };
  });

/**
 * The file in parts. Each batch is a unit of work of its own, so that a slow client holds no database
 * session. A person who is logged out meanwhile gets no more of it.
 */
async function* wholeCopy(
  data: Data,
  context: PersonContext,
  tables: readonly OwnedRows[],
): AsyncGenerator<string> {
  const more: string[] = [];
  yield `{"made_at":${JSON.stringify(data.clock.now())},"data":{`;
  for (const [at, rows] of tables.entries()) {
    yield `${at === 0 ? '' : ','}\n${JSON.stringify(rows.table)}:[`;
    let offset = 0;
    for (;;) {
      const batch = await batchOf(data, context, rows, offset);
      if (batch.length > 0) {
        yield `${offset === 0 ? '' : ','}\n${batch.map((row) => JSON.stringify(row)).join(',\n')}`;
      }
      offset += batch.length;
      if (batch.length < COPY_BATCH_ROWS) break;
      if (offset >= MAX_COPY_ROWS) {
        more.push(rows.table);
        break;
      }
    }
    yield ']';
  }
  yield `\n},"more":${JSON.stringify(more)}}\n`;
}

/** One batch, with usernames in place of the ids of people. */
const batchOf = (
  data: Data,
  context: PersonContext,
  { people, read }: OwnedRows,
  offset: number,
): Promise<readonly OwnedRow[]> =>
  data.tx(context.scope, async (tx) => {
    if (read === null) return [];
    await stillIn(tx, context);
    const rows = await read(tx, context.personId, { offset, limit: COPY_BATCH_ROWS });
    if (people.length === 0 || rows.length === 0) return rows;
    const ids = rows.flatMap((row) => people.map((column) => Number(row[column])));
    const named = await findMany(tx, [...new Set(ids)]);
    return rows.map((row) => ({
      ...row,
      ...Object.fromEntries(
        people.map((column) => [column, named.get(Number(row[column]))?.username ?? null]),
      ),
    }));
  });
