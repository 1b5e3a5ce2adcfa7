import type { QueryClient } from '@tanstack/react-query';
import type { OutputOf } from '../../../../platform/contract/call.ts';
import { changeCached } from '../../../../platform/ui/calls/calls.ts';
import { listDevices, type endDevice } from '../../client.ts';

/** Shows the sessions that are left. */
export function showDevices(cache: QueryClient, { sessions }: OutputOf<typeof endDevice>): void {
  changeCached(cache, listDevices, {}, () => ({ sessions }));
}
