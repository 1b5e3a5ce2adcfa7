import { expect, it } from 'vitest';
import { stepsOf, type Payment } from './payment-steps.ts';

const AT = '2026-01-15T12:00:0';
const none: Payment = {
  id: 'o',
  at: `${AT}0.000Z`,
  state: 'pending',
  internal_id: '1_50',
  title: '50',
  tokens: 50,
  free_tokens: 0,
  membership: null,
  price: { minor: 500, currency: 'USD' },
  biller: 'ccbill',
  descriptor: 'X',
  card: null,
  declined_reason: null,
  reference: null,
  paid_at: null,
  refunded_at: null,
  refunded_minor: 0,
  seller: null,
  person_id: 1,
  username: 'kim',
  operation: null,
  purpose: 'page',
  method: 'card',
  began_with: null,
  asked: 0,
  asked_at: null,
  trace: { advert_id: null, device: null, blackbox: null },
  events: [],
  callbacks: [],
};
const event = (id: string, at: string): Payment['events'][number] => ({
  id,
  type: 'paid',
  reference: 'r',
  amount: null,
  at,
  outcome: 'applied',
});

it('begins with the order, and leaves out what did not happen', () => {
  expect(stepsOf(none)).toEqual([{ kind: 'made', at: none.at }]);
});

it('is sorted by time, and causes before effects at the same time', () => {
  const callback = { id: 7, at: `${AT}2.000Z`, method: 'POST', outcome: 'applied', body: '' };
  const events = [event('late', `${AT}5.000Z`), event('first', `${AT}2.000Z`)];
  const payment: Payment = {
    ...none,
    operation: 'op',
    paid_at: `${AT}2.000Z`,
    refunded_at: `${AT}5.000Z`,
    asked: 3,
    asked_at: `${AT}9.000Z`,
    callbacks: [callback],
    events,
  };
  const kinds = ['made', 'callback', 'event', 'booked', 'event', 'back', 'asked'];
  expect(stepsOf(payment).map(({ kind }) => kind)).toEqual(kinds);
  expect(stepsOf({ ...payment, events: events.toReversed() })).toEqual(stepsOf(payment));
  expect(stepsOf(payment).at(-1)).toEqual({ kind: 'asked', at: `${AT}9.000Z`, count: 3 });
});
