import type { z } from 'zod';
import type { PaymentView } from '../../../contract/payments.ts';

export type Payment = z.infer<typeof PaymentView>;

/** A step in the history of a payment. */
export type Step =
  /** The order was created. */
  | { readonly kind: 'made'; readonly at: string }
  /** A callback, with its outcome. */
  | { readonly kind: 'callback'; readonly at: string; readonly callback: Payment['callbacks'][number] }
  /** An event, by the biller's clock where it gives a time. */
  | { readonly kind: 'event'; readonly at: string; readonly event: Payment['events'][number] }
  /** It was posted to the ledger. */
  | { readonly kind: 'booked'; readonly at: string; readonly operation: string | null }
  /** It was fully reversed. */
  | { readonly kind: 'back'; readonly at: string }
  /** The last inquiry to the biller, with the number of inquiries. */
  | { readonly kind: 'asked'; readonly at: string; readonly count: number };

/** The order of steps at the same time: causes before effects. */
const RANK: Readonly<Record<Step['kind'], number>> = {
  made: 0,
  callback: 1,
  event: 2,
  booked: 3,
  back: 4,
  asked: 5,
};

/** The history of a payment, oldest first. */
export function stepsOf(payment: Payment): readonly Step[] {
  const { at, callbacks, events, operation } = payment;
  const { paid_at: paidAt, refunded_at: backAt, asked_at: askedAt } = payment;
  const steps: Step[] = [
    { kind: 'made', at },
    ...callbacks.map((callback): Step => ({ kind: 'callback', at: callback.at, callback })),
    ...events.map((event): Step => ({ kind: 'event', at: event.at, event })),
    ...(paidAt === null ? [] : [{ kind: 'booked', at: paidAt, operation } as const]),
    ...(backAt === null ? [] : [{ kind: 'back', at: backAt } as const]),
    ...(askedAt === null ? [] : [{ kind: 'asked', at: askedAt, count: payment.asked } as const]),
  ];
  const time = (step: Step): number => Date.parse(step.at);
  return steps.toSorted((a, b) => time(a) - time(b) || RANK[a.kind] - RANK[b.kind]);
}
