import type { QueryClient } from '@tanstack/react-query';
import type { OutputOf } from '#platform/contract/call.ts';
import type { saveConsent } from '../contract.ts';
import { applyConsent } from './consent.ts';

/** A choice was saved: the page follows it. Nothing of it is in the cache. */
export function showConsent(_cache: QueryClient, allowed: OutputOf<typeof saveConsent>): void {
  applyConsent(allowed);
}
