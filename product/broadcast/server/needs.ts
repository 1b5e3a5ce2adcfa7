import type { z } from 'zod';
import type { Blobs } from '../../../platform/data/blobs.ts';
import type { Bus, Data } from '../../../platform/data/data.ts';
import type { Engine } from '../../../platform/streaming/engine.ts';
import type { AccountsService } from '../../accounts/server.ts';
import type { ComplianceService } from '../../compliance/server.ts';
import type { BroadcastState } from '../contract.ts';

export interface BroadcastNeeds {
  readonly data: Data;
  readonly bus: Bus;
  readonly accounts: AccountsService;
  readonly compliance: ComplianceService;
  readonly engine: Engine;
  readonly blobs: Blobs;
  /** The site's secret; seals playback tokens. */
  readonly secret: string;
  /** Operators whose broadcasts are taken up after a start. */
  readonly operators: () => Promise<readonly number[]>;
  /** Logs a fault nobody waits for: in an engine report. */
  readonly onFault: (error: unknown) => void;
}

/** The public face of a performer's broadcast. */
export interface BroadcastView {
  readonly performerId: number;
  readonly state: z.infer<typeof BroadcastState>;
  /** Name of the stream while there is something to see (online, reconnecting); else null. */
  readonly stream: string | null;
  readonly title: string;
  readonly tags: readonly string[];
  readonly startedAt: Date | null;
  /** End of the last broadcast; null before the first one ended. */
  readonly lastOnlineAt: Date | null;
}
