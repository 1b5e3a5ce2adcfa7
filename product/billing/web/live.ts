import type { ClientCall, InputOf } from '#platform/contract/call.ts';
import type { Connection } from '#platform/contract/sockets/socket-client.ts';
import { changeCached, useCache, useRead } from '#platform/ui/calls/calls.ts';
import { useEvent, useJoined } from '#platform/ui/calls/live.ts';
import { useReloadMe } from '#product/accounts/web/me.ts';
import { useCallback, useEffect } from 'react';
import { getSpins, oneClickError, paymentUpdate, reUpUpdate, wheelCount } from '../client.ts';
import { reUpStep } from '../rules/prompts.ts';
import type { MoneyStep } from './steps.ts';

/** Cache entries that a payment changes, by slice. */
const MONEY = /^(?:billing|ledger)\./u;

/** Reloads everything about money, and the current user. */
export function useReloadMoney(): () => Promise<void> {
  const cache = useCache();
  const reloadMe = useReloadMe();
  return useCallback(async () => {
    await Promise.all([
      cache.invalidateQueries({ predicate: ({ queryKey }) => MONEY.test(String(queryKey[0])) }),
      reloadMe(),
    ]);
  }, [cache, reloadMe]);
}

/** Reloads a call when its view opens, so that an amount to pay is current. */
export function useFresh<C extends ClientCall>(constant: C, input: InputOf<C>) {
  const read = useRead(constant, input);
  const { refetch } = read;
  useEffect(() => void refetch(), [refetch]);
  return read;
}

/** Actions of billing events on a page. */
export interface BillingEventPort {
  readonly open: (step: MoneyStep) => void;
  /** Shows the toast `web.toast.<key>` with a number of tokens. */
  readonly say: (key: 'reUp' | 'reUpFailed', tokens: number, isError: boolean) => void;
}

/** Updates money on pages in every tab, and opens dialogs for events. */
export function useBillingEvents(lobby: Connection | null, { open, say }: BillingEventPort): void {
  const cache = useCache();
  const reload = useReloadMoney();
  const refresh = () => {
    // If this fails, the next connection reloads.
    reload().catch(() => undefined);
  };
  useEvent(lobby, paymentUpdate, refresh);
  useEvent(lobby, oneClickError, ({ declined_reason: reason, order_id: orderId }) => {
    refresh();
    open({ kind: 'declined', reason, orderId });
  });
  useEvent(lobby, reUpUpdate, (update) => {
    refresh();
    const step = reUpStep(update);
    if (step === 'done') say('reUp', update.tokens, false);
    else if (step === 'failed') say('reUpFailed', update.tokens, true);
    else if (step === 'support') open({ kind: 'support' });
    else open({ kind: 'declined', reason: 'VERIFY', orderId: update.order_id ?? undefined });
  });
  useEvent(lobby, wheelCount, ({ spins }) => {
    changeCached(cache, getSpins, {}, (known) => ({ ...known, spins }));
  });
  useJoined(lobby, () =>
    void cache.invalidateQueries({
      predicate: ({ queryKey }) => String(queryKey[0]).startsWith('billing.'),
    }));
}
