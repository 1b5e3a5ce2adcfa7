import type { OutputOf } from '#platform/contract/call.ts';
import type { CallFunction, Problem } from '#platform/contract/client.ts';
import { problemOf, useCache, useCall } from '#platform/ui/calls/calls.ts';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { logLeaving } from '#product/client-logs/web/leaving.ts';
import { useCallback, useMemo, useRef, useState } from 'react';
import { buyAtOnce, dailyPurchaseLimit, getPurchaseLink, listProducts, offerChanged } from '../client.ts';
import type { ProductView } from '../contract.ts';
import { linkStep } from '../rules/payments/flow.ts';
import type { OfferTerms } from '../rules/products.ts';
import { leave } from './destination.ts';
import { methodOf, type Method, type MoneyStep } from './steps.ts';

/** The product to buy, and the saved card; null for the biller's page. */
export interface Purchase {
  readonly product:
    & Pick<ProductView, 'internal_id' | keyof OfferTerms>
    & Partial<Pick<ProductView, 'biller'>>;
  readonly cardId: number | null;
  readonly method: Method;
  /** Whether to save the card typed on the biller's page. */
  readonly keepsCard?: boolean;
  /** From the listing. */
  readonly trace?: string | null;
  /** Path where the biller's page returns to; the current one by default. */
  readonly back?: string;
}

/** The terms of the offer to which the buyer agrees, as sent. */
export const shownOf = ({ price, tokens, free_tokens, days }: OfferTerms): OfferTerms => ({
  price,
  tokens,
  free_tokens,
  days,
});

export interface Buying {
  /** A request is running. */
  readonly busy: boolean;
  /** Why the last attempt failed; cleared by the next. */
  readonly problem: Problem | null;
  readonly buy: (purchase: Purchase) => Promise<void>;
}

/** Whether the outcome of a charge is unknown. */
const isUnanswered = (problem: Problem): boolean => problem.status === 0 || problem.status >= 500;

/** Idempotency keys: an attempt without a response is repeated with its key, any other gets a new one. */
export function useChargeKey() {
  const unanswered = useRef<{ readonly wish: string; readonly key: string } | null>(null);
  return useMemo(() => ({
    /** The key for a charge. */
    of: (wish: string): string => {
      const key = unanswered.current?.wish === wish ? unanswered.current.key : crypto.randomUUID();
      unanswered.current = { wish, key };
      return key;
    },
    /** A response arrived; null for a success. */
    answered: (problem: Problem | null): void => {
      if (!problem || !isUnanswered(problem)) unanswered.current = null;
    },
  }), []);
}

/** Follows product links (spec 1 §4, Product link handling) and opens the next dialog. */
export function useBuying(go: (step: MoneyStep) => void): Buying {
  const call = useCall();
  const cache = useCache();
  const [state, setState] = useState<Pick<Buying, 'busy' | 'problem'>>({ busy: false, problem: null });
  const keys = useChargeKey();
  const { t } = useTranslation('billing');

  const charge = useCallback(async ({ product, trace }: Purchase, cardId: number) => {
    const idempotencyKey = keys.of(`${product.internal_id} ${cardId}`);
    const shown = shownOf(product);
    const input = { internal_id: product.internal_id, cardId, shown, ...(trace ? { trace } : {}) };
    const answer = await call(buyAtOnce, input, { idempotencyKey });
    keys.answered(null);
    return stepAfter(call, answer);
  }, [call, keys]);

  const openPage = useCallback(async (
    { product, method, trace, keepsCard = false, back = here() }: Purchase,
  ): Promise<MoneyStep | null> => {
    const { purchase_link: link, order_id: orderId, in_frame: inFrame } = await call(getPurchaseLink, {
      internal_id: product.internal_id,
      method: methodOf(method),
      back,
      // This page can show a dialog; the operator and the biller decide whether it opens.
      frame: true,
      ...(keepsCard ? { keep_card: true } : {}),
      ...(product.biller === undefined ? {} : { biller: product.biller }),
      ...(trace ? { trace } : {}),
    });
    if (!inFrame) return leave(call, link, back);
    // If the biller's page is in a frame, the purchase continues there.
    logLeaving(call, link);
    return { kind: 'biller', link, orderId };
  }, [call]);

  const buy = useCallback(async (purchase: Purchase) => {
    setState({ busy: true, problem: null });
    try {
      const { cardId } = purchase;
      const step = await (cardId === null ? openPage(purchase) : charge(purchase, cardId));
      // The button stays busy while the browser leaves for the biller's page.
      if (step === null) return;
      setState({ busy: false, problem: null });
      go(step);
    } catch (error) {
      const problem = problemOf(error);
      keys.answered(problem);
      // The offer itself may have changed: a limit, the eligibility, a biller that is down.
      await cache.invalidateQueries({ queryKey: [listProducts.name] });
      const failed = problem.errorType === offerChanged.code ? '' : t('web.buy.failed');
      const message = [failed, problem.message].filter((part) => part !== '').join(' ');
      setState({ busy: false, problem: { ...problem, message } });
      if (problem.errorType === dailyPurchaseLimit.code) go({ kind: 'daily_low_limit', of: 'purchases' });
    }
  }, [cache, charge, go, keys, openPage, t]);

  return { ...state, buy };
}

/** The dialog after a charge; null when the browser leaves for another page. */
export function stepAfter(call: CallFunction, answer: OutputOf<typeof buyAtOnce>): MoneyStep | null {
  const { order_id: orderId, declined_reason: reason } = answer;
  const step = linkStep(answer);
  switch (step.kind) {
    case 'success':
      return { kind: 'success', orderId };
    case 'declined':
      return { kind: 'declined', reason, orderId };
    case 'wait':
      return { kind: 'waiting', orderId };
    case 'failed':
      return { kind: 'failed', reason, reference: null, orderId };
    case 'page':
      return leave(call, step.link, here());
  }
}

const here = (): string => location.pathname + location.search;
