import { mayBuy, type Buyer } from '../../rules.ts';

/** The screen that "Get tokens" opens. */
export type PurchaseStep = 'country' | 'postpay_card' | 'signup' | 'account' | 'products';

/** The screen of the first check that applies (spec 1 §4, Token purchase flow). */
export function purchaseStep(buyer: Omit<Buyer, 'isExcluded'>): PurchaseStep {
  const block = mayBuy({ ...buyer, isExcluded: false });
  if (block === 'country') return 'country';
  if (block === 'postpay') return 'postpay_card';
  if (block === 'guest') return 'signup';
  return block === 'model' || block === 'pending' ? 'account' : 'products';
}

/** The outcome of a product's link (spec 1 §4, Product link handling). */
export type LinkStep =
  | { readonly kind: 'success' }
  | { readonly kind: 'declined' }
  | { readonly kind: 'page'; readonly link: string }
  | { readonly kind: 'wait' }
  | { readonly kind: 'failed' };

/** The fields of a one-click purchase's output that determine the next screen. */
export interface LinkAnswer {
  readonly status: boolean;
  readonly link: string | null;
  readonly state: string;
}

/**
 * The step after a one-click purchase. A charge with an unknown outcome waits and is never shown as declined,
 * so that the person does not pay twice.
 */
export function linkStep(answer: LinkAnswer): LinkStep {
  if (answer.status) return { kind: 'success' };
  if (answer.link !== null) return { kind: 'page', link: answer.link };
  if (answer.state === 'declined') return { kind: 'declined' };
  if (answer.state === 'pending' || answer.state === 'unknown' || answer.state === 'created') {
    return { kind: 'wait' };
  }
  return { kind: 'failed' };
}

/** The step of a page that waits for an order in this state. */
export function waitStep(state: string): 'wait' | 'success' | 'declined' | 'failed' {
  if (state === 'paid') return 'success';
  if (state === 'declined') return 'declined';
  return state === 'created' || state === 'pending' || state === 'unknown' ? 'wait' : 'failed';
}
