import type { DeadlineHandler } from '#platform/contract/bind.ts';
import type { RateLimits } from '#platform/data/limits/rate-limits.ts';
import { addressGroups } from '#platform/http/address.ts';
import { dayOf, startOfDay } from '#platform/time/days.ts';
import { DAY_MS } from '#platform/time/units.ts';
import {
  MAX_UNAUTHENTICATED_BYTES,
  UNAUTHENTICATED_LIMIT,
  UNAUTHENTICATED_RETAINED_MS,
} from '../../rules/payments/unauthenticated.ts';
import {
  countRefused,
  pruneBefore,
  retain,
  type RefusedReason,
  type UnauthenticatedCallback,
} from '../../store/unauthenticated.ts';
import type { BillingDependencies } from '../dependencies.ts';

/** Kind of the deadline that deletes old callbacks. */
const PRUNE = 'billing.pruneUnauthenticated';
/** Senders whose rate is tracked; beyond that the oldest window is dropped. */
const MAX_SENDERS = 10_000;

/**
 * Callbacks that could not be authenticated. Their biller got no 2xx and sends them again. A few are
 * retained: when the site restarts with a new key, those signed with it are read again.
 */
export class Unauthenticated {
  readonly #deps: BillingDependencies;
  readonly #pace: RateLimits;

  constructor(deps: BillingDependencies) {
    this.#deps = deps;
    this.#pace = deps.limits.family('billing.unauthenticated', { maxKeys: MAX_SENDERS, whenAway: 'local' });
  }

  /** Counts a callback and retains it, within the limits of its biller and its address. */
  async receive(
    scope: { operatorId: number },
    reason: RefusedReason,
    callback: Omit<UnauthenticatedCallback, 'id'>,
  ): Promise<void> {
    const groups = addressGroups(callback.address);
    const { points, seconds } = UNAUTHENTICATED_LIMIT;
    const waitMs = await this.#pace.takeAll(groups.map(({ key, share }) => ({
      key: `${scope.operatorId} ${callback.biller} ${key}`,
      limit: { points: points * share, seconds },
    })));
    if (waitMs > 0) return;
    const { query, body, headers } = callback;
    const bytes = Buffer.byteLength(query + body + JSON.stringify(headers));
    await this.#deps.data.tx(scope, async (tx) => {
      await countRefused(tx, callback.biller, reason);
      if (bytes <= MAX_UNAUTHENTICATED_BYTES) await retain(tx, groups[0]?.key ?? '', callback);
      // One deadline per day for all callbacks.
      const endOfDay = startOfDay(tx.now).getTime() + DAY_MS;
      await tx.schedule({
        kind: PRUNE,
        key: dayOf(tx.now),
        at: new Date(endOfDay + UNAUTHENTICATED_RETAINED_MS),
      });
    });
  }

  get deadlineHandlers(): DeadlineHandler[] {
    return [{
      kind: PRUNE,
      handle: ({ operatorId }) =>
        this.#deps.data.tx(
          { operatorId },
          (tx) => pruneBefore(tx, new Date(tx.now.getTime() - UNAUTHENTICATED_RETAINED_MS)),
        ),
    }];
  }
}
