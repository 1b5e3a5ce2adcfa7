import type { RefusalOf } from '#platform/contract/call.ts';
import type { RefusalDetail } from '#platform/contract/refusal.ts';
import type { QualifiedKey } from '#platform/text/message-keys.ts';
import { ageVerificationRequired } from '#product/compliance/contract.ts';
import { roomBanned, roomKicked } from '#product/rooms/contract.ts';
import type { CommandOutcome } from '#product/rooms/extension-points.ts';
import { receiverUnknown } from '../../contract.ts';
import {
  splitInPrivate,
  splitJoined,
  splitNotOpen,
  splitUnavailable,
  type cancelSplit,
  type joinSplit,
  type startSplit,
  type TipSplitView,
} from '../../contract/splits.ts';
import type { StoredSplit } from '../../store/splits.ts';

/** Why nothing was started, joined or withdrawn. */
export interface Barred<R> {
  readonly refusal: R;
  readonly detail?: RefusalDetail;
}
export type Outcome<R> = Barred<R> | { readonly split: StoredSplit };
export type StartRefusal = RefusalOf<typeof startSplit>;
export type JoinRefusal = RefusalOf<typeof joinSplit>;
export type CancelRefusal = RefusalOf<typeof cancelSplit>;
export const START_REFUSALS = { private: splitInPrivate, unavailable: splitUnavailable } as const;
export const EXCLUDED = { banned: roomBanned, kicked: roomKicked } as const;
export const JOIN_REFUSALS = {
  private: splitInPrivate,
  not_open: splitNotOpen,
  joined: splitJoined,
} as const;
export const ENTRY = {
  gate: ageVerificationRequired,
  missing: receiverUnknown,
  unknown: receiverUnknown,
} as const;

export const outcomeOf = (
  done: Outcome<StartRefusal | JoinRefusal | CancelRefusal>,
): CommandOutcome => {
  if (!('refusal' in done)) return 'done';
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- tidy checks the texts of refusals
  const key = done.refusal.message as QualifiedKey;
  return { key, ...(done.detail?.values ? { values: done.detail.values } : {}) };
};

export const NO_SPLIT: TipSplitView = {
  id: null,
  mode: 'available',
  splitters: [],
  target_splitters: 0,
  split_amount: 0,
  remaining: 0,
  total: 0,
  proposer: null,
  ends_at: null,
  reason: null,
};
