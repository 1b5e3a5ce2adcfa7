import type { Slice } from '../../platform/contract/bind.ts';
import type { Tx } from '../../platform/data/data.ts';
import type { GatewayPort } from '../../platform/realtime/gateway-port.ts';
import type { CHAT_STATUSES } from './contract.ts';

export interface RoomsService {
  /** Shows a tip as a chat line, once per `factId`. */
  readonly showTip: (tx: Tx, tip: {
    factId: string; performerId: number; senderId: number; tokens: number; comment: string;
  }) => Promise<void>;
  /** Chat status and viewer count of performers, for listings. */
  readonly statusOf: (tx: Tx, performerIds: readonly number[]) => Promise<ReadonlyMap<number, {
    status: (typeof CHAT_STATUSES)[number]; viewerCount: number;
  }>>;
  /** Room part of the gateway's port. */
  readonly gateway: Pick<GatewayPort, 'admit' | 'joined' | 'left'>;
}

export type RoomsSlice = Slice<RoomsService>;
