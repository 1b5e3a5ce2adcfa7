import type { Leg, Operation } from '#product/ledger/server.ts';
import { PERFORMER_SHARE_PERCENT } from '#product/tips/rules.ts';

/** Tokens a viewer set aside for something uncertain: a ticket, a recording, or a share of a group goal. */
export interface Pledge {
  readonly viewerId: number;
  readonly tokens: number;
  readonly performerId: number;
  readonly viewerName: string;
  readonly performerName: string;
  /** Ids of the two operations: each happens once, however often it is requested. */
  readonly holdId: string;
  readonly settleId: string;
  /** Prefix of the operations' kinds. */
  readonly kind: 'ticket' | 'ticket_recording' | 'group_goal';
  readonly show: number;
}

const PAID_KINDS = {
  ticket: 'ticket_show',
  ticket_recording: 'ticket_recording',
  group_goal: 'group_goal',
} as const;

/** Sets the tokens aside until `expiresAt`, which is later than anything that can settle them. */
export function holdPledge(
  { viewerId: personId, tokens, performerName, holdId, kind, show }: Omit<
    Pledge,
    'viewerName' | 'settleId' | 'performerId'
  >,
  { expiresAt, parameterHash }: { readonly expiresAt: Date; readonly parameterHash: string },
): Operation {
  const person = { kind: 'person', personId } as const;
  return {
    id: holdId,
    kind: `${kind}_hold`,
    parameterHash,
    legs: [
      { account: { ...person, book: 'tokens' }, tokens: -tokens },
      { account: { ...person, book: 'held' }, tokens },
    ],
    memo: { to: performerName, tokens, show },
    facts: [],
    hold: { expiresAt },
  };
}

/** Pays the tokens to the performer and the operator, or gives all of them back. */
export function settlePledge(
  { viewerId, performerId, tokens, viewerName, performerName, holdId, settleId, kind, show }: Pledge,
  isPaid: boolean,
  sharePercent: number | undefined,
): Operation {
  const earned = Math.floor((tokens * (sharePercent ?? PERFORMER_SHARE_PERCENT)) / 100);
  const legs: Leg[] = [
    { account: { kind: 'person', personId: viewerId, book: 'held' }, tokens: -tokens },
    { account: { kind: 'person', personId: performerId, book: 'earnings' }, tokens: earned, split: true },
    { account: { kind: 'operator', name: 'fees' }, tokens: tokens - earned },
  ];
  return {
    id: settleId,
    kind: isPaid ? PAID_KINDS[kind] : `${kind}_returned`,
    parameterHash: String(isPaid),
    legs: isPaid ? legs.filter((leg) => leg.tokens !== 0) : [],
    memo: { from: viewerName, to: performerName, tokens: isPaid ? tokens : 0, show },
    facts: [],
    settles: { hold: holdId, close: true },
  };
}
