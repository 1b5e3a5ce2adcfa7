import type { OutputOf } from '#platform/contract/call.ts';
import { changeCached } from '#platform/ui/calls/calls.ts';
import type { QueryClient } from '@tanstack/react-query';
import { getImprint, type reviewDocument } from '../client.ts';

/** Shows since when the documents have been in force. */
export function showImprint(cache: QueryClient, imprint: OutputOf<typeof reviewDocument>): void {
  changeCached(cache, getImprint, {}, () => imprint);
}
