import type { OutputOf } from '#platform/contract/call.ts';
import { changeCached } from '#platform/ui/calls/calls.ts';
import type { QueryClient } from '@tanstack/react-query';
import { getShowSettings } from '../../client.ts';

/** Shows a performer's offer after a change or a discount. */
export const showOffer = (cache: QueryClient, saved: OutputOf<typeof getShowSettings>): void =>
  changeCached(cache, getShowSettings, {}, () => saved);
