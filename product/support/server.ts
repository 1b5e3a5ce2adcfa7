import { handleCall, type Slice } from '#platform/contract/bind.ts';
import { implement, type Extensions } from '#platform/contract/extension-point.ts';
import type { Data, Tx } from '#platform/data/data.ts';
import { cleanLines } from '#platform/text/clean-text.ts';
import { personalData, userPart } from '#product/accounts/extension-points.ts';
import type { AccountsService } from '#product/accounts/server.ts';
import type { SiteService } from '#product/site/server.ts';
import {
  closeRequest,
  contactSupport,
  emailMissing,
  listRequests,
  noSuchRequest,
  tooManyRequests,
  type SupportRequestView,
} from './contract.ts';
import { MAX_OPEN_REQUESTS, REQUESTS_PER_PAGE } from './rules.ts';
import { chatHandlers } from './server/chat.ts';
import { phoneHandlers } from './server/phone.ts';
import { close, countOpen, insertRequest, selectRequests, type RequestRow } from './store.ts';
import { isFlagged } from './store/chat.ts';
import { ownRows } from './store/own-rows.ts';

/** Nothing is offered to later slices yet. */
export type SupportService = Readonly<Record<string, never>>;

export interface SupportDependencies {
  readonly data: Data;
  readonly accounts: AccountsService;
  readonly site: SiteService;
  readonly extensions: Extensions;
}

/** Support: the contact form, chat, the telephone number, and the lists that admins answer from. */
export function supportSlice(deps: SupportDependencies): Slice<SupportService> {
  const { data, accounts } = deps;
  const viewsOf = async (tx: Tx, rows: readonly RequestRow[]): Promise<SupportRequestView[]> => {
    const people = await accounts.findMany(tx, rows.flatMap(({ personId }) => personId ?? []));
    return rows.map(({ id, personId, topic, message, email, at, closedAt }) => {
      const person = personId === null ? undefined : people.get(personId);
      return {
        id,
        topic,
        message,
        username: person?.username ?? null,
        email: email ?? person?.email ?? '',
        at: at.toISOString(),
        closed_at: closedAt?.toISOString() ?? null,
      };
    });
  };
  const callHandlers = [
    handleCall(contactSupport)(async ({ topic, message, email }, { scope, caller: { personId }, refuse }) => {
      if (personId === null && email === undefined) return refuse(emailMissing);
      const id = await data.tx(scope, async (tx) => {
        if (personId !== null && await countOpen(tx, personId) >= MAX_OPEN_REQUESTS) return null;
        return insertRequest(tx, {
          personId,
          topic,
          message: cleanLines(message),
          email: personId === null ? email ?? null : null,
        });
      });
      return id === null ? refuse(tooManyRequests) : { status: 1 as const, id };
    }),
    handleCall(listRequests)(({ before, closed = false }, { scope }) =>
      data.tx(scope, async (tx) => {
        const rows = await selectRequests(tx, closed, before ?? null);
        const next = rows.length === REQUESTS_PER_PAGE ? (rows.at(-1)?.id ?? null) : null;
        return { requests: await viewsOf(tx, rows), next };
      })
    ),
    handleCall(closeRequest)(async ({ id }, { scope, caller, refuse }) => {
      const view = await data.tx(scope, async (tx) => {
        const row = await close(tx, id);
        if (!row) return null;
        await tx.audit({ action: 'support.close', actorId: caller.personId, subject: `request:${id}` });
        return (await viewsOf(tx, [row]))[0];
      });
      return view ?? refuse(noSuchRequest);
    }),
    ...chatHandlers(deps),
    ...phoneHandlers(deps),
  ];
  return {
    name: 'support',
    service: {},
    callHandlers,
    extensions: [
      implement(personalData, ownRows),
      implement(userPart, {
        keys: ['showSupportPhone'],
        read: async (tx, { id }) => ({ showSupportPhone: await isFlagged(tx, id) }),
      }),
    ],
  };
}
