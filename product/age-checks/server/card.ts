import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { OutputOf, RefusalOf } from '#platform/contract/call.ts';
import type { HandlerContext } from '#platform/contract/context.ts';
import { hostRefusals } from '#platform/contract/refusal.ts';
import { dayOf } from '#platform/time/days.ts';
import { ageOn, checkBirthDate } from '#product/accounts/rules.ts';
import type { CardPurchase } from '#product/billing/server.ts';
import {
  checkFailed,
  checkUnavailable,
  getCardToken,
  providerUnavailable,
  tooManyAttempts,
  underAge,
  verifyByCard,
} from '../contract.ts';
import { acceptedChecks, isCardValid, isSameCard, type CardDigits } from '../rules.ts';
import { OFFER_PRODUCT } from '../rules/card-form.ts';
import { validityOf, type Attempts } from './attempts.ts';
import { CARD_BILLER, checksOf, proofOf, type AgeChecksDependencies } from './dependencies.ts';
import { reopen } from './held.ts';

type CardContext = HandlerContext<RefusalOf<typeof verifyByCard>, number>;
type CardForm = Parameters<Parameters<ReturnType<typeof handleCall<typeof verifyByCard>>>[0]>[0];
type Purchase = OutputOf<typeof verifyByCard>['purchase'];

/** Calls of the card form. Its number goes from the browser to the processor alone. */
export function cardHandlers(deps: AgeChecksDependencies, attempts: Attempts): CallHandler[] {
  const { accounts, billing: { cardChecks }, compliance, data } = deps;
  /** The card check as the region of a request accepts it; null where it does not. */
  const offeredTo = ({ region, scope }: Pick<CardContext, 'region' | 'scope'>) =>
    acceptedChecks(compliance.policyOf(scope, region), checksOf(deps, scope)).find(({ kind }) =>
      kind === 'card'
    )
      ?? null;
  return [
    handleCall(getCardToken)(async (_input, context) => {
      const { scope, personId, refuse } = context;
      if (!offeredTo(context)) return refuse(checkUnavailable);
      const form = await cardChecks.formOf(context, CARD_BILLER);
      if (!form) return refuse(providerUnavailable);
      const person = await data.read(scope, (tx) => accounts.findById(tx, personId));
      const { bearer, url, fields } = form;
      const hasEmail = (person?.email ?? '') !== '';
      const terms = await cardChecks.termsOf(context, OFFER_PRODUCT);
      return {
        access_token: bearer,
        token_type: 'bearer' as const,
        url,
        fields: { ...fields },
        needs_email: !hasEmail,
        offer: terms && { tokens: terms.tokens, free_tokens: terms.free_tokens, price: terms.price },
      };
    }),
    handleCall(verifyByCard)(async (form, context) => {
      const { scope, personId, refuse } = context;
      const offered = offeredTo(context);
      if (!offered) return refuse(checkUnavailable);
      const purchase = purchaseOf(form, context);
      const earlier = await data.tx(scope, (tx) => cardChecks.purchaseOf(tx, personId, purchase));
      if (earlier === 'mismatch') return refuse(hostRefusals.keyReused);
      if (earlier) {
        // The same form again: its card was verified before it was charged.
        const opened = await data.read(scope, (tx) => reopen(compliance, tx, personId, context));
        return answer(opened ?? compliance.viewerOf(context).gate, shown(earlier));
      }
      const policy = compliance.policyOf(context.scope, context.region);
      const { minimumAge } = policy;
      const beginner = { ...attempts.beginnerOf(context), ...validityOf(policy) };
      if (await data.read(scope, (tx) => attempts.isFull(tx, beginner))) return refuse(tooManyAttempts);
      const fails = () => data.tx(scope, (tx) => attempts.fail(tx, beginner, 'card', minimumAge));
      const today = dayOf(data.clock.now());
      if (isTooYoung(form.birth_date, today, minimumAge)) {
        await fails();
        return refuse(underAge);
      }
      const digits = digitsOf(form);
      const card = isCardValid(digits, today)
        ? await cardChecks.cardOf(context, CARD_BILLER, form.payment_token)
        : null;
      if (card === 'unreachable') return refuse(providerUnavailable);
      if (!card || !isSameCard(digits, card.face)) {
        await fails();
        return refuse(checkFailed);
      }
      await data.tx(scope, (tx) => attempts.pass(tx, beginner, offered, CARD_BILLER, minimumAge));
      const provedAt = data.clock.now();
      const gate = compliance.grant(context, { ...proofOf(offered, minimumAge), provedAt });
      if (form.do_purchase === 0) return answer(gate, null);
      const bought = await cardChecks.buy(context, CARD_BILLER, card, purchase);
      return bought === 'mismatch' ? refuse(hostRefusals.keyReused) : answer(gate, shown(bought));
    }),
  ];
}

/** A birth date that no living person has counts as too young, for it proves nothing. */
const isTooYoung = (birthDate: string, today: string, minimumAge: number): boolean =>
  checkBirthDate(birthDate, today) !== null || ageOn(birthDate, today) < minimumAge;

const digitsOf = ({ card }: CardForm): CardDigits => ({
  first6: card.first6,
  last4: card.last4,
  expMonth: card.exp_month,
  expYear: card.exp_year,
});

/** Without a key the token is one: it pays once. */
const purchaseOf = (
  { payment_token: token, do_purchase: choice }: CardForm,
  { idempotencyKey }: Pick<CardContext, 'idempotencyKey'>,
): CardPurchase => ({
  operation: verifyByCard.name,
  key: `${choice} ${idempotencyKey ?? token}`,
  internalId: OFFER_PRODUCT,
  token,
});

type Bought = NonNullable<
  Exclude<Awaited<ReturnType<AgeChecksDependencies['billing']['cardChecks']['buy']>>, 'mismatch'>
>;
const shown = ({ state, orderId, tokens, reason, link }: Bought) => ({
  tokens,
  purchase: { state, order_id: orderId, reason, link },
});

const answer = (
  gate: OutputOf<typeof verifyByCard>['gate'],
  bought: { readonly tokens: number; readonly purchase: NonNullable<Purchase> } | null,
) => ({
  status: 1 as const,
  gate,
  tokens_bought: bought?.purchase.state === 'paid' ? bought.tokens : 0,
  purchase: bought?.purchase ?? null,
});
