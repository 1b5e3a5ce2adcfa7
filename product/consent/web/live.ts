import type { OutputOf } from '#platform/contract/call.ts';
import type { QueryClient } from '@tanstack/react-query';
import type { saveConsent } from '../contract.ts';
import { applyConsent } from './consent.ts';

/** Makes the page follow a saved choice. The cache holds nothing of it. */
export function showConsent(_cache: QueryClient, allowed: OutputOf<typeof saveConsent>): void {
  applyConsent(allowed);
}
