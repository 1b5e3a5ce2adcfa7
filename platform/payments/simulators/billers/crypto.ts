import type { Money } from '#platform/contract/payment.ts';
import type { Clock } from '#platform/data/clock.ts';
import { HOUR_MS } from '#platform/time/units.ts';
import type { Choice } from '../checkout/counter.ts';
import type { Checkout, Payment, Till } from '../checkout/till.ts';

/** How long a slow chain takes to confirm. */
const SLOW_MS = HOUR_MS;

/** The choices of a test payer with crypto: a transfer that is confirmed, slow, or never sent. */
export function transfers(till: Till, clock: Clock): Record<string, Choice> {
  const send = (checkout: Checkout): Payment => till.expectTransfer({ ...checkout, checkoutId: checkout.id });
  return {
    pay: {
      label: 'Send the amount',
      run: (checkout) => till.conclude(send(checkout).reference, 'paid'),
    },
    slow: {
      label: 'Send the amount over a slow chain (one hour)',
      run: (checkout) => {
        const pending = send(checkout);
        clock.after('slow chain', SLOW_MS, () => void till.conclude(pending.reference, 'paid'));
        return pending;
      },
    },
    partly: {
      label: 'Send half of it',
      run: (checkout) => {
        const half: Money = { ...checkout.amount, minor: Math.floor(checkout.amount.minor / 2) };
        return till.conclude(send(checkout).reference, 'paid', half);
      },
    },
    fail: {
      label: 'Send a transfer that fails',
      run: (checkout) => till.conclude(send(checkout).reference, 'declined'),
    },
    never: {
      label: 'Let the time run out',
      run: (checkout) => till.conclude(send(checkout).reference, 'expired'),
    },
  };
}

/**
 * Whether only a part of the requested amount arrived; a different amount close to it is a fault of the page.
 */
export const isPart = (sale: Payment, asked: Money): boolean =>
  sale.state === 'approved' && sale.amount.currency === asked.currency
  && sale.amount.minor * 2 <= asked.minor;
