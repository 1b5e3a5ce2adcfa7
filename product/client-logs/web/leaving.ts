import type { CallFunction } from '#platform/contract/client.ts';
import { consent } from '#product/consent/web/consent.ts';
import { logPurchase } from '../client.ts';

/**
 * Logs the destination of a purchase before the page leaves; the request arrives even after the page is gone.
 * The query, which names the order, is not sent.
 */
export function logLeaving(call: CallFunction, link: string): void {
  if (!consent.allows('statistics')) return;
  call(logPurchase, { link: link.replace(/[?#].*$/su, '') }, { outlivesPage: true }).catch(() => undefined);
}
