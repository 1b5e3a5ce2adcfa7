import { handleCall, handleStream, type CallHandler } from '#platform/contract/bind.ts';
import type { OutputOf } from '#platform/contract/call.ts';
import type { Data } from '#platform/data/data.ts';
import { historyTooLong } from '../../contract.ts';
import { exportEarnings, getEarnings, getEarningsOfSpan } from '../../contract/earnings.ts';
import { earningsSpan, MAX_SHOWS_OF_DAY, sumOf } from '../../rules/earnings.ts';
import { MAX_EXPORT_LINES } from '../../rules/table.ts';
import {
  bestMinute,
  earnedByDay,
  earnedByKind,
  earnedInAll,
  type Earned,
  type EarnedOfDay,
} from '../../store/lines/earnings.ts';
import { hasMoreLines } from '../../store/lines/history.ts';
import { moneyRulesOf } from '../../store/money-rules.ts';
import { lastYear, wholeFile } from './export.ts';

type Days = OutputOf<typeof getEarnings>['days'];

const grouped = <T>(all: readonly T[], keyOf: (one: T) => string): readonly (readonly T[])[] => {
  const groups = new Map<string, T[]>();
  for (const one of all) groups.set(keyOf(one), [...groups.get(keyOf(one)) ?? [], one]);
  return [...groups.values()];
};

/** @param payout US cents of a token */
function daysOf(earned: readonly EarnedOfDay[], payout: number): Days {
  const paid = <S extends { tokens: number }>(sum: S) => ({ ...sum, cents: sum.tokens * payout });
  return grouped(earned, ({ day }) => day).map((ofDay) => {
    const shows = ofDay.flatMap(({ show, kind, tokens, count, since, payer }) => (show === null ? [] : [
      paid({ show, kind, tokens, count, payer, since: since.toISOString() }),
    ]));
    const kinds = grouped(ofDay, ({ kind }) => kind)
      .map((ofKind) => paid({ kind: ofKind[0]?.kind ?? '', ...sumOf(ofKind) }))
      .sort((a, b) => b.tokens - a.tokens);
    return {
      day: ofDay[0]?.day ?? '',
      ...paid(sumOf(ofDay)),
      kinds,
      shows: shows.slice(0, MAX_SHOWS_OF_DAY),
      more_shows: Math.max(0, shows.length - MAX_SHOWS_OF_DAY),
    };
  });
}

/** What a performer earned: only their own, and only from the postings. */
export function earningsHandlers(data: Data): CallHandler[] {
  return [
    handleCall(getEarnings)(async ({ before }, { scope, personId }) =>
      data.tx(scope, async (tx) => {
        const { from, to } = earningsSpan(before, tx.now);
        const { payoutCents } = await moneyRulesOf(tx);
        const { tokens, hasOlder } = await earnedInAll(tx, personId, from);
        return {
          payout_cents: payoutCents,
          total: { tokens, cents: tokens * payoutCents },
          days: daysOf(await earnedByDay(tx, personId, from, to), payoutCents),
          next: hasOlder ? from.toISOString().slice(0, 10) : null,
        };
      })
    ),
    handleCall(getEarningsOfSpan)(async ({ from, to }, { scope, personId }) =>
      data.tx(scope, async (tx) => {
        const span = [personId, new Date(from), new Date(to)] as const;
        const { payoutCents: payout } = await moneyRulesOf(tx);
        const kinds: readonly Earned[] = await earnedByKind(tx, ...span);
        const { tokens } = sumOf(kinds);
        const best = await bestMinute(tx, ...span);
        return {
          tokens,
          cents: tokens * payout,
          kinds: kinds.map((kind) => ({ ...kind, cents: kind.tokens * payout })),
          best: best && { at: best.at.toISOString(), tokens: best.tokens },
        };
      })
    ),
    handleStream(exportEarnings)(async (_input, { scope, personId, locale, refuse }) => {
      const selection = {
        personId: personId,
        account: 'earnings' as const,
        since: lastYear(data.clock.now()),
      };
      const most = MAX_EXPORT_LINES;
      const [isTooLong, { payoutCents }] = await data.tx(
        scope,
        async (tx) => [await hasMoreLines(tx, selection, most), await moneyRulesOf(tx)] as const,
      );
      if (isTooLong) return refuse(historyTooLong, { values: { lines: most.toLocaleString(locale) } });
      return {
        status: 200,
        parts: wholeFile(data, scope, selection, most, {
          column: 'payout_usd',
          centsOf: (tokens) => tokens * payoutCents,
        }),
        headers: {
          'content-type': 'text/csv; charset=utf-8',
          'content-disposition': 'attachment; filename="earnings-year.csv"',
        },
      };
    }),
  ];
}
