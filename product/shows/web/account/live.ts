import type { QueryClient } from '@tanstack/react-query';
import type { OutputOf } from '#platform/contract/call.ts';
import { changeCached } from '#platform/ui/calls/calls.ts';
import { getShowSettings } from '../../client.ts';

/** What a performer offers, after it was changed or discounted. */
export const showOffer = (cache: QueryClient, saved: OutputOf<typeof getShowSettings>): void =>
  changeCached(cache, getShowSettings, {}, () => saved);
