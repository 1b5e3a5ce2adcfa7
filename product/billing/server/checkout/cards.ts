import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { OutputOf } from '#platform/contract/call.ts';
import type { Tx } from '#platform/data/data.ts';
import { billerUnavailable, cardUnknown } from '../../contract.ts';
import { addCard, changeCard, listCards, openCardForm, removeCard } from '../../contract/cards.ts';
import { isExpired, MAX_CARDS } from '../../rules.ts';
import { cardsOf, deleteCard, makeDefault, saveCard, type Card } from '../../store/people.ts';
import type { OrderObserver } from '../callbacks/order-processor.ts';
import type { Eligibility } from '../customer/eligibility.ts';
import type { BillingDependencies } from '../dependencies.ts';
import type { BillerClient } from './biller-client.ts';

type CardView = OutputOf<typeof addCard>['card'];

/** A card as its owner sees it. */
export const cardView = ({ id, biller, brand, last4, expiry, isDefault }: Card, now: Date): CardView => ({
  id,
  biller,
  brand,
  last4,
  expiry,
  is_default: isDefault,
  expired: isExpired(expiry, now),
});

const viewsOf = async (tx: Tx, personId: number): Promise<{ cards: CardView[] }> => ({
  cards: (await cardsOf(tx, personId)).map((card) => cardView(card, tx.now)),
});

/**
 * Saves the card of a payment, if the buyer asked for it and the biller can charge it again. A card that is
 * already saved may get a newer token.
 */
export const cardSaver = (client: BillerClient): OrderObserver => ({
  judged: async (tx, { personId, biller, keepCard }, verdict, card) => {
    const isPaid = verdict.payments.some(({ kind, reversal }) => kind === 'main' && reversal === null);
    if (card === null || !isPaid || client.find(tx, biller)?.abilities.charges !== true) return;
    await saveCard(tx, personId, biller, card, keepCard ? MAX_CARDS : 0);
  },
});

/** Saved cards. Only tokens and last digits are stored; card numbers never reach this server. */
export function cardHandlers(
  { data, client, eligibility }: BillingDependencies & {
    readonly client: BillerClient;
    readonly eligibility: Eligibility;
  },
): CallHandler[] {
  const own = async (tx: Tx, personId: number, id: number): Promise<Card | null> =>
    (await cardsOf(tx, personId)).find((card) => card.id === id) ?? null;
  return [
    handleCall(openCardForm)(async (_input, { scope, personId, address, refuse }) => {
      const buyer = await eligibility.of(scope, personId);
      if ('refusal' in buyer) return refuse(buyer.refusal);
      for (const biller of client.taking(scope, 'card').filter(({ abilities }) => abilities.saves)) {
        const form = await biller.cardForm(client.payerOf(scope, buyer.person, biller.name, address));
        if (form) {
          return { biller: biller.name, url: form.url, bearer: form.bearer, fields: { ...form.fields } };
        }
      }
      return refuse(billerUnavailable);
    }),
    handleCall(addCard)(async (input, { scope, personId, address, refuse }) => {
      const biller = client.find(scope, input.biller);
      if (!biller?.abilities.saves) return refuse(billerUnavailable);
      const buyer = await eligibility.of(scope, personId);
      if ('refusal' in buyer) return refuse(cardUnknown);
      const payer = client.payerOf(scope, buyer.person, biller.name, address);
      // The biller checks that the token belongs to this person.
      const card = await biller.cardOf(input.token, payer);
      if (card === 'unreachable') return refuse(billerUnavailable);
      if (!card) return refuse(cardUnknown);
      return data.tx(scope, async (tx) => {
        const saved = await saveCard(tx, personId, biller.name, card, MAX_CARDS);
        return saved ? { card: cardView(saved, tx.now) } : refuse(cardUnknown);
      });
    }),
    handleCall(listCards)((_input, { scope, personId }) => data.tx(scope, (tx) => viewsOf(tx, personId))),
    handleCall(changeCard)(({ id }, { scope, personId, refuse }) =>
      data.tx(scope, async (tx) => {
        if (!(await own(tx, personId, id))) return refuse(cardUnknown);
        await makeDefault(tx, personId, id);
        return viewsOf(tx, personId);
      })
    ),
    handleCall(removeCard)(({ id }, { scope, personId, refuse }) =>
      data.tx(scope, async (tx) => {
        const card = await own(tx, personId, id);
        if (!card) return refuse(cardUnknown);
        await deleteCard(tx, personId, id);
        const [next] = await cardsOf(tx, personId);
        if (card.isDefault && next) await makeDefault(tx, personId, next.id);
        return viewsOf(tx, personId);
      })
    ),
  ];
}
