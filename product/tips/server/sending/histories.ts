import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { InputOf } from '#platform/contract/call.ts';
import type { PersonContext } from '#platform/contract/context.ts';
import { pageOf } from '#platform/data/paging.ts';
import { normalizeUsername } from '#platform/text/usernames.ts';
import type { Person } from '#product/accounts/server.ts';
import { listReceivedTips, listSentTips, listTipDays } from '../../contract.ts';
import { TIP_DAYS_PAGE, TIPS_PAGE } from '../../rules.ts';
import { findTipDays, findTips, type Side, type TipLine } from '../../store.ts';
import type { TipsDependencies } from '../dependencies.ts';

const lineOf = (tip: TipLine) => ({
  id: tip.id,
  tip_id: tip.tip_id,
  tokens: tip.tokens,
  comment: tip.comment,
  type: tip.type,
  title: tip.title,
  anonymous: tip.is_anonymous,
  at: tip.at.toISOString(),
});

interface Page {
  readonly lines: readonly TipLine[];
  readonly next: number | null;
  readonly people: ReadonlyMap<number, Person>;
}

/** What somebody tipped, and the tips that a performer received. */
export function historyHandlers({ data, accounts }: TipsDependencies): CallHandler[] {
  const page = (
    side: Side,
    { with: name, limit = TIPS_PAGE, ...filters }: InputOf<typeof listSentTips>,
    context: PersonContext,
  ): Promise<Page> =>
    data.tx(context.scope, async (tx) => {
      const { personId } = context;
      const other = name === undefined ? null : await accounts.findByUsername(tx, normalizeUsername(name));
      if (name !== undefined && other === null) return { lines: [], next: null, people: new Map() };
      const found = await findTips(tx, side, personId, { ...filters, otherId: other?.id }, limit + 1);
      const { page: lines, next } = pageOf(found, limit);
      const ids = lines.map((tip) => (side === 'sent' ? tip.receiver_id : tip.sender_id));
      return {
        lines,
        next,
        people: await accounts.findMany(tx, [...new Set(ids)]),
      };
    });
  return [
    handleCall(listSentTips)(async (input, context) => {
      const { lines, next, people } = await page('sent', input, context);
      const tips = lines.map((tip) => ({
        ...lineOf(tip),
        receiver_name: people.get(tip.receiver_id)?.username ?? '',
      }));
      return { tips, next };
    }),
    handleCall(listReceivedTips)(async (input, context) => {
      const { lines, next, people } = await page('received', input, context);
      const tips = lines.map((tip) => ({
        ...lineOf(tip),
        sender_name: tip.is_anonymous ? null : people.get(tip.sender_id)?.username ?? '',
      }));
      return { tips, next };
    }),
    handleCall(listTipDays)(async ({ side, before }, context) =>
      data.tx(context.scope, async (tx) => {
        const days = await findTipDays(tx, side, context.personId, before ?? null);
        return { days, next: days.length === TIP_DAYS_PAGE ? days.at(-1)?.day ?? null : null };
      })
    ),
  ];
}
