import { handleCall, type CallHandler, type DeadlineHandler } from '#platform/contract/bind.ts';
import { personChannel } from '#platform/contract/event.ts';
import type { Tx } from '#platform/data/data.ts';
import { HOUR_MS } from '#platform/time/units.ts';
import type { ClosingPart } from '#product/accounts/extension-points.ts';
import { MEMBERSHIPS, type Membership } from '#product/accounts/rules/current-user.ts';
import { tokenUpdate } from '#product/ledger/contract.ts';
import { isPmEnabled } from '#product/ledger/rules.ts';
import { billerUnavailable } from '../../contract.ts';
import { cancelMembership, getMembership, orderState } from '../../contract/orders.ts';
import { paidUntil } from '../../rules/payments/verdict.ts';
import { findOrder, type Order } from '../../store/orders.ts';
import { runningMemberships, saveMembership, type MembershipRow } from '../../store/people.ts';
import type { OrderObserver, OrderProcessor } from '../callbacks/order-processor.ts';
import type { BillerClient } from '../checkout/biller-client.ts';
import type { BillingDependencies } from '../dependencies.ts';

/** Kind of the deadline at which a membership ends unless it was renewed. */
const ENDS = 'billing.membershipEnds';
/** Kind of the deadline for cancelling memberships that a higher one replaced. */
const REPLACED = 'billing.membershipReplaced';
/** Kind of the deadline for cancelling memberships of somebody who deletes their account. */
const LEAVING = 'billing.membershipOfLeaving';
/** Pause before asking a biller again to cancel: renewals are a month apart. */
const RETRY_CANCEL_MS = HOUR_MS;

const rank = ({ membership }: Pick<MembershipRow, 'membership'>): number => MEMBERSHIPS.indexOf(membership);

/** The highest membership; among equals, the one that lasts longest. */
export function highest(rows: readonly MembershipRow[]): MembershipRow | null {
  const order = (a: MembershipRow, b: MembershipRow): number =>
    rank(b) - rank(a) || b.endsAt.getTime() - a.endsAt.getTime();
  return [...rows].sort(order)[0] ?? null;
}

const membershipOf = async (tx: Tx, personId: number): Promise<MembershipRow | null> =>
  highest(await runningMemberships(tx, [personId]));

/** The current membership of each of these people; people without one are left out. */
export async function membershipsOf(
  tx: Tx,
  personIds: readonly number[],
): Promise<ReadonlyMap<number, Membership>> {
  const rows = await runningMemberships(tx, personIds);
  return new Map(personIds.flatMap((id) => {
    const running = highest(rows.filter(({ personId }) => personId === id));
    return running ? [[id, running.membership] as const] : [];
  }));
}

interface Dependencies extends BillingDependencies {
  readonly processor: OrderProcessor;
  readonly client: BillerClient;
}

/** Memberships: each lasts as long as it is paid for. */
export class Memberships {
  readonly #deps: Dependencies;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  get observer(): OrderObserver {
    return {
      changed: async (tx, { order, isNewlyPaid }) => {
        // Nobody pays for two memberships: an equal or lower one is not renewed.
        const isBought = isNewlyPaid && order.membership !== null && order.parentId === null;
        if (isBought) await tx.schedule({ kind: REPLACED, key: order.id, at: tx.now });
      },
      judged: async (tx, order, { payments, isCancelled }) => {
        const { membership, membershipDays: days, personId } = order;
        if (membership === null || days === null || payments.length === 0) return;
        const endsAt = paidUntil(payments, days) ?? tx.now;
        const before = await membershipOf(tx, personId);
        await saveMembership(tx, {
          orderId: order.id,
          personId,
          membership,
          endsAt,
          renews: order.renews && !isCancelled,
          priceMinor: order.amountMinor,
          currency: order.currency,
        });
        if (endsAt > tx.now) await tx.schedule({ kind: ENDS, key: order.id, at: endsAt });
        const after = await membershipOf(tx, personId);
        if (before?.membership !== after?.membership) await this.#sendUpdate(tx, order);
      },
    };
  }

  /** Sends the person's current membership to every tab. */
  async #sendUpdate(tx: Tx, { personId }: Pick<Order, 'personId'>): Promise<void> {
    const { accounts, ledger } = this.#deps;
    const person = await accounts.findById(tx, personId);
    if (!person) return;
    const tokens = await ledger.balance(tx, personId);
    const membership = (await membershipOf(tx, personId))?.membership ?? null;
    await tx.send(personChannel(personId), tokenUpdate, {
      username: person.username,
      tokens,
      token_change: 0,
      membership,
      type: 'membership',
      pmIsEnabled: isPmEnabled(tokens, membership),
    });
  }

  get deadlineHandlers(): DeadlineHandler[] {
    const { data } = this.#deps;
    return [
      {
        kind: ENDS,
        handle: ({ operatorId, key }) =>
          data.tx({ operatorId }, async (tx) => {
            const order = await findOrder(tx, key);
            if (order) await this.#sendUpdate(tx, order);
          }),
      },
      this.#cancelling(REPLACED, (scope, orderId) => this.#endReplaced(scope, orderId)),
      this.#cancelling(LEAVING, (scope, personId) => this.#endAll(scope, Number(personId))),
    ];
  }

  /** Cancels, and tries again while a biller cannot be reached. */
  #cancelling(
    kind: string,
    cancel: (scope: { readonly operatorId: number }, key: string) => Promise<boolean>,
  ): DeadlineHandler {
    return {
      kind,
      handle: async ({ operatorId, key }) => {
        if (await cancel({ operatorId }, key)) return;
        await this.#deps.data.tx(
          { operatorId },
          (tx) => tx.schedule({ kind, key, at: new Date(tx.now.getTime() + RETRY_CANCEL_MS) }),
        );
      },
    };
  }

  /** A closing account is charged nothing more: renewals end at the request, and are not restored. */
  get closing(): ClosingPart {
    return {
      keys: ['membership'],
      consequences: async (tx, personId) => {
        const row = await membershipOf(tx, personId);
        return {
          membership: row && { name: row.membership, endsAt: row.endsAt, renews: row.renews },
        };
      },
      requested: (tx, personId) => this.endRenewals(tx, personId),
    };
  }

  /** Schedules cancelling a person's renewals: billers are asked after this unit of work. */
  async endRenewals(tx: Tx, personId: number): Promise<void> {
    await tx.schedule({ kind: LEAVING, key: String(personId), at: tx.now });
  }

  /** Cancels all memberships of a person; false if a biller could not be reached. */
  async #endAll(scope: { readonly operatorId: number }, personId: number): Promise<boolean> {
    const rows = await this.#deps.data.tx(scope, (tx) => runningMemberships(tx, [personId]));
    const ended = [];
    for (const row of rows.filter(({ renews }) => renews)) ended.push(await this.#end(scope, row));
    return ended.every((outcome) => outcome !== 'unavailable');
  }

  /** Cancels the memberships an order replaced; false when a biller could not be reached. */
  async #endReplaced(scope: { readonly operatorId: number }, orderId: string): Promise<boolean> {
    const replaced = await this.#deps.data.tx(scope, async (tx) => {
      const order = await findOrder(tx, orderId);
      const { membership } = order ?? {};
      // A refunded membership replaces nothing.
      if (order?.state !== 'paid' || !membership) return [];
      const rows = await runningMemberships(tx, [order.personId]);
      return rows.filter((row) =>
        row.renews && row.orderId !== orderId && rank(row) <= rank({ membership })
        && row.orderId !== highest(rows)?.orderId
      );
    });
    const ended = [];
    for (const row of replaced) ended.push(await this.#end(scope, row));
    return ended.every((outcome) => outcome !== 'unavailable');
  }

  /** Cancels a membership at its biller; it lasts until the end of the paid period. */
  async #end(scope: { readonly operatorId: number }, row: MembershipRow): Promise<
    'ended' | 'unable' | 'unavailable'
  > {
    const { data, processor, client } = this.#deps;
    const order = await data.tx(scope, (tx) => findOrder(tx, row.orderId));
    if (!order || order.subscription === null) return 'unable';
    const { subscription } = order;
    const biller = client.find(scope, order.biller);
    if ((await biller?.cancel(subscription)) !== 'cancelled') return 'unavailable';
    await data.tx(scope, (tx) =>
      processor.receive(tx, order.biller, [{
        id: `cancelled here ${order.id}`,
        type: 'cancelled',
        orderId: order.id,
        subscription,
        reference: subscription,
        of: null,
        amount: null,
        card: null,
        decline: null,
        at: tx.now,
      }], { callbackId: null, isAnswer: false }));
    return 'ended';
  }

  get callHandlers(): CallHandler[] {
    const { data } = this.#deps;
    return [
      handleCall(getMembership)((_input, { scope, personId }) =>
        data.tx(scope, async (tx) => {
          const row = await membershipOf(tx, personId);
          return {
            membership: row?.membership ?? null,
            until: row?.endsAt.toISOString() ?? null,
            renews: row?.renews ?? false,
            price: row ? { minor: row.priceMinor, currency: row.currency } : null,
          };
        })
      ),
      handleCall(cancelMembership)(async (_input, { scope, personId, refuse }) => {
        const row = await data.tx(
          scope,
          async (tx) => highest((await runningMemberships(tx, [personId])).filter(({ renews }) => renews)),
        );
        const outcome = row ? await this.#end(scope, row) : 'unable';
        if (!row || outcome === 'unable') return refuse(orderState);
        if (outcome === 'unavailable') return refuse(billerUnavailable);
        return { status: 1 as const, until: row.endsAt.toISOString() };
      }),
    ];
  }
}
