import { handleCall, type Slice } from '../../platform/contract/bind.ts';
import type { Data, Tx } from '../../platform/data/data.ts';
import { cleanLines } from '../../platform/text/clean-text.ts';
import type { AccountsService } from '../accounts/server.ts';
import {
  closeRequest, contactSupport, emailMissing, listRequests, noSuchRequest, tooManyRequests,
  type SupportRequestView,
} from './contract.ts';
import { MAX_OPEN_REQUESTS, REQUESTS_PER_PAGE } from './rules.ts';
import { close, countOpen, insertRequest, selectRequests, type RequestRow } from './store.ts';

/** What later slices may ask: nothing yet. */
export type SupportService = Readonly<Record<string, never>>;

/** Requests to support: the contact form, and the list that admins answer from. */
export function supportSlice(
  { data, accounts }: { data: Data; accounts: AccountsService },
): Slice<SupportService> {
  const viewsOf = async (tx: Tx, rows: readonly RequestRow[]): Promise<SupportRequestView[]> => {
    const people = await accounts.findMany(tx, rows.flatMap(({ personId }) => personId ?? []));
    return rows.map(({ id, personId, topic, message, email, at, closedAt }) => {
      const person = personId === null ? undefined : people.get(personId);
      return {
        id, topic, message, username: person?.username ?? null, email: email ?? person?.email ?? '',
        at: at.toISOString(), closed_at: closedAt?.toISOString() ?? null,
      };
    });
  };
  const callHandlers = [
    handleCall(contactSupport)(async ({ topic, message, email }, { scope, caller: { personId }, refuse }) => {
      if (personId === null && email === undefined) return refuse(emailMissing);
      const id = await data.tx(scope, async (tx) => {
        if (personId !== null && await countOpen(tx, personId) >= MAX_OPEN_REQUESTS) return null;
        return insertRequest(tx, {
          personId, topic, message: cleanLines(message), email: personId === null ? email ?? null : null,
        });
      });
      return id === null ? refuse(tooManyRequests) : { status: 1 as const, id };
    }),
    handleCall(listRequests)(({ before, closed = false }, { scope }) => data.tx(scope, async (tx) => {
      const rows = await selectRequests(tx, closed, before ?? null);
      const next = rows.length === REQUESTS_PER_PAGE ? (rows.at(-1)?.id ?? null) : null;
      return { requests: await viewsOf(tx, rows), next };
    })),
    handleCall(closeRequest)(async ({ id }, { scope, caller, refuse }) => {
      const view = await data.tx(scope, async (tx) => {
        const row = await close(tx, id);
        if (!row) return null;
        await tx.audit({ action: 'support.close', actorId: caller.personId, subject: `request:${id}` });
        return (await viewsOf(tx, [row]))[0];
      });
      return view ?? refuse(noSuchRequest);
    }),
  ];
  return { name: 'support', service: {}, callHandlers };
}
