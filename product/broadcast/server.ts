import type { Slice } from '../../platform/contract/bind.ts';
import type { CallContext } from '../../platform/contract/context.ts';
import type { Tx } from '../../platform/data/data.ts';
import type { z } from 'zod';
import type { BroadcastState, StreamView } from './contract.ts';

/** The public face of a performer's broadcast. */
export interface BroadcastView {
  readonly performerId: number;
  readonly state: z.infer<typeof BroadcastState>;
  readonly stream: string | null;
  readonly title: string;
  readonly tags: readonly string[];
  readonly startedAt: Date | null;
  readonly lastOnlineAt: Date | null;
}

export interface BroadcastService {
  readonly viewOf: (tx: Tx, performerId: number) => Promise<BroadcastView>;
  /** The `stream` group of room data; with a playback token while live, after asking `compliance.mayPerceive`. */
  readonly streamFor: (tx: Tx, view: BroadcastView, context: CallContext) => Promise<z.infer<typeof StreamView>>;
  /** Makes a stream key without HTTP (seeds): the key, shown once. */
  readonly makeStreamKey: (tx: Tx, performerId: number) => Promise<string>;
  readonly setDetails: (tx: Tx, performerId: number, title: string, tags: readonly string[]) => Promise<void>;
}

export type BroadcastSlice = Slice<BroadcastService>;
