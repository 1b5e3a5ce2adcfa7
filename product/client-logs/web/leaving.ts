import type { CallFunction } from '#platform/contract/client.ts';
import { consent } from '#product/consent/web/consent.ts';
import { logPurchase } from '../client.ts';

/**
 * Logs where a purchase leads before the page leaves; it arrives although the page is gone by then. What
 * names the order stays here.
 */
export function logLeaving(call: CallFunction, link: string): void {
  if (!consent.allows('statistics')) return;
  call(logPurchase, { link: link.replace(/[?#].*$/su, '') }, { outlivesPage: true }).catch(() => undefined);
}
