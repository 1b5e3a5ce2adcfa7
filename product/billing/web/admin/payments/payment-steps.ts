import type { z } from 'zod';
import type { PaymentView } from '../../../contract/staff.ts';

export type Payment = z.infer<typeof PaymentView>;

/** One thing that happened to a payment. */
export type Step =
  /** The order was written down. */
  | { readonly kind: 'made'; readonly at: string }
  /** A biller called: what came in, and what became of it. */
  | { readonly kind: 'callback'; readonly at: string; readonly callback: Payment['callbacks'][number] }
  /** What a biller said happened, by its own clock where it names a time. */
  | { readonly kind: 'event'; readonly at: string; readonly event: Payment['events'][number] }
  /** It stands in the books. */
  | { readonly kind: 'booked'; readonly at: string; readonly operation: string | null }
  /** All of it was back. */
  | { readonly kind: 'back'; readonly at: string }
  /** We asked the biller, so often; the last time. */
  | { readonly kind: 'asked'; readonly at: string; readonly count: number };

/** What comes of what: the order of steps of one moment. */
const RANK: Readonly<Record<Step['kind'], number>> = {
  made: 0, callback: 1, event: 2, booked: 3, back: 4, asked: 5,
};

/** Everything that happened to a payment, the first first. */
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
