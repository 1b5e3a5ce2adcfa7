import { API_BASE } from '#platform/contract/client.ts';
import type { Implementation } from '#platform/contract/extension-point.ts';
import type { Attendance } from '#platform/data/attendance.ts';
import type { Blobs } from '#platform/data/blobs.ts';
import type { VirtualClock } from '#platform/data/clock.ts';
import type { Bus } from '#platform/data/data.ts';
import type { RateLimitStore } from '#platform/data/limits/rate-limits.ts';
import type { OpenedData } from '#platform/data/open.ts';
import type { PasswordCost } from '#product/accounts/rules.ts';
import type { Role } from '#product/assembly.ts';
import type { Settings } from '#product/wiring.ts';

/** The version of test sites. */
export const VERSION = 'test';
/** Long enough to pass the site's check; not a secret. */
export const SECRET = 'the secret of a site that only tests ever see';
/** Test sites log in hundreds of people: at full cost that is a quarter of their time. */
const LOW_COST: PasswordCost = { memoryKib: 8, passes: 1, lanes: 1 };

/** What a test may choose of its site. */
export interface SiteOptions {
  readonly clock?: VirtualClock;
  readonly settings?: Partial<Settings>;
  /** Checks every output against its contract; benches turn it off, as in production. */
  readonly checkOutputs?: boolean;
  /** Whether sockets use the site's clock too, for pings, time-outs and ticks. */
  readonly socketsByClock?: boolean;
  /** Whether another program has the RTMP port. */
  readonly rtmpPortIsTaken?: boolean;
  /** Implementations of extension points that no slice implements yet. */
  readonly implementations?: readonly Implementation[];
  /** Uses this database instead of a fresh one. */
  readonly data?: OpenedData | null;
  /** Uses these files instead of none. */
  readonly blobs?: Blobs;
  /** The roles of this process in the site; all by default. */
  readonly roles?: readonly Role[];
  /** False stops before the slices run, while the process listens already; `start` continues. */
  readonly starts?: boolean;
  /** Connects this process with others that hold the sockets. */
  readonly beside?: {
    readonly bus: Bus;
    readonly attendance: Attendance;
    readonly limits?: RateLimitStore;
  };
}

/** The settings of test sites. */
export const SETTINGS: Settings = {
  mode: 'demo',
  version: VERSION,
  publicUrl: null,
  localUrl: 'http://localhost',
  apiBase: API_BASE,
  secret: SECRET,
  trustedProxies: [],
  geoHeader: null,
  geoFallback: 'strict',
  ice: { servers: [], turn: null },
  rtmpPort: 1935,
  billersOf: () => [],
  identityProvidersAt: () => [],
  isTestPayment: true,
  asksLoginCodes: true,
  sms: 'outbox',
  passwordCost: LOW_COST,
};
