import { call } from '#platform/contract/call.ts';
import { z } from 'zod';
import { billerUnavailable, cannotBuy, cardUnknown, CardView, PAYING } from '../contract.ts';

export const getVerificationLink = call({
  name: 'billing.getVerificationLink',
  method: 'GET',
  path: '/billing/product_av',
  access: 'member',
  credential: 'cookie',
  effects: true,
  input: z.object({
    /** As in `purchase-link`: without it no new card is saved. */
    keep_card: z.boolean().optional(),
  }),
  output: z.object({ biller_link: z.string() }),
  refusals: [billerUnavailable],
  limit: PAYING,
  summary: 'Card verification page',
  description: 'A page of the biller that checks a card without charging.',
});

export const openCardForm = call({
  name: 'billing.openCardForm',
  method: 'POST',
  path: '/billing/card_form',
  access: 'member',
  // Changes nothing here: the page is rendered with it, and its content policy names the token service.
  credential: 'cookie',
  effects: false,
  input: z.object({}),
  output: z.object({
    biller: z.string(),
    url: z.string(),
    bearer: z.string(),
    fields: z.record(z.string(), z.string()),
  }),
  refusals: [...cannotBuy, billerUnavailable],
  limit: PAYING,
  summary: 'Open a card form',
  description: 'The browser sends the card to `url`, the token service of the biller; this server never sees '
    + 'its number.',
});
export const addCard = call({
  name: 'billing.addCard',
  method: 'POST',
  path: '/billing/cards',
  access: 'member',
  credential: 'cookie',
  input: z.object({ biller: z.string().max(32), token: z.string().max(128) }),
  output: z.object({ card: CardView }),
  refusals: [cardUnknown, billerUnavailable],
  limit: PAYING,
  summary: 'Save a card',
  description: 'By a token from the biller, which checks whose card it is.',
});
export const listCards = call({
  name: 'billing.listCards',
  method: 'GET',
  path: '/billing/cards',
  access: 'member',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({ cards: z.array(CardView) }),
  refusals: [],
  summary: 'Saved cards',
  description: 'At most ten.',
});
export const changeCard = call({
  name: 'billing.changeCard',
  method: 'POST',
  path: '/billing/cards/:id',
  access: 'member',
  credential: 'cookie',
  input: z.object({ id: z.int(), is_default: z.literal(true) }),
  output: z.object({ cards: z.array(CardView) }),
  refusals: [cardUnknown],
  summary: 'Make a card the default',
  description: 'One-click purchases and re-ups use it.',
});
export const removeCard = call({
  name: 'billing.removeCard',
  method: 'DELETE',
  path: '/billing/cards/:id',
  access: 'member',
  credential: 'cookie',
  input: z.object({ id: z.int() }),
  output: z.object({ cards: z.array(CardView) }),
  refusals: [cardUnknown],
  summary: 'Remove a card',
  description: 'Turns off a re-up that uses it.',
});
