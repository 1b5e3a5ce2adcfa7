import type { Slice } from '../../platform/contract/bind.ts';
import type { CallContext, Caller } from '../../platform/contract/context.ts';
import type { Tx } from '../../platform/data/data.ts';
import type { RequestFacts } from '../../platform/http/host-port.ts';
import type { GateState, Surface } from './contract.ts';

/** Who looks, from where, and what they passed. */
export interface Viewer {
  readonly caller: Caller;
  readonly region: string;
  /** State of the entry gate for this browser. */
  readonly gate: GateState;
}

export interface ComplianceService {
  /** Region of a request: configured header or table; unknown places get the strictest rule. */
  readonly regionOf: (request: RequestFacts) => string;
  readonly viewerOf: (context: CallContext) => Viewer;
  /** The one visibility rule for listings, rooms, thumbnails, media, search and feeds. */
  readonly mayPerceive: (tx: Tx, viewer: Viewer, performerId: number, surface: Surface) => Promise<boolean>;
  /** The same for many at once: the ids that may be perceived. */
  readonly perceivable: (
    tx: Tx, viewer: Viewer, performerIds: readonly number[], surface: Surface,
  ) => Promise<ReadonlySet<number>>;
  /** The id of the valid clearance going live needs, or null. */
  readonly clearanceOf: (tx: Tx, performerId: number) => Promise<number | null>;
  /** Regions in which a performer is shown to nobody, e.g. `DE`, `US-FL`; replaces the list before it. */
  readonly blockRegions: (tx: Tx, performerId: number, regions: readonly string[]) => Promise<void>;
  /** Seeds and tests; the same rule as the admin call. */
  readonly clear: (tx: Tx, performerId: number, decidedBy: number | null, reason: string) => Promise<number>;
}

export type ComplianceSlice = Slice<ComplianceService>;
