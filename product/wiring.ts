import type {
  CallHandler, DeadlineHandler, Subscription, EventHandler, Slice,
} from '../platform/contract/bind.ts';
import type { Caller } from '../platform/contract/context.ts';
import { Slots } from '../platform/contract/slot.ts';
import type { Blobs } from '../platform/data/blobs.ts';
import type { OpenedData } from '../platform/data/open.ts';
import type { HostPort } from '../platform/http/host-port.ts';
import type { Biller } from '../platform/payments/biller.ts';
import type { GatewayPort } from '../platform/realtime/gateway/gateway-port.ts';
import type { MediaPlane } from '../platform/streaming/media-plane.ts';
import { isAccess, mayUse } from './accounts/rules/permissions.ts';
import { accountsSlice, type AccountsService } from './accounts/server.ts';
import { billingSlice, type BillingService } from './billing/server.ts';
import { broadcastSlice, type BroadcastService } from './broadcast/server.ts';
import type { IceSettings } from './broadcast/server/ice/ice.ts';
import { browseSlice } from './browse/server.ts';
import { complianceSlice, type ComplianceService } from './compliance/server.ts';
import { ledgerSlice, type LedgerService } from './ledger/server.ts';
import { noticesSlice, type NoticesService } from './notices/server.ts';
import { recordingsSlice, type RecordingsService } from './recordings/server.ts';
import { roomModerationSlice } from './room-moderation/server.ts';
import { roomForbidden } from './rooms/contract.ts';
import { roomsSlice, type RoomsService } from './rooms/server.ts';
import type { Mode } from './site/rules.ts';
import { siteSlice, type SiteService } from './site/server.ts';
import { tipsSlice, type TipsService } from './tips/server.ts';

/** What whoever runs an installation decides. */
export interface Settings {
  readonly mode: Mode;
  /** Version of the program. */
  readonly version: string;
  /** Origin the site is published at; null on a developer's machine. */
  readonly publicUrl: string | null;
  /** Signs sessions and tokens. */
  readonly secret: string;
  /** Addresses and networks of proxies that are believed. */
  readonly trustedProxies: readonly string[];
  readonly geoHeader: string | null;
  readonly geoFallback: string;
  /** STUN and TURN servers for browsers and encoders. */
  readonly ice: IceSettings;
  /** TCP port of RTMP ingest; null when it is turned off. */
  readonly rtmpPort: number | null;
  /** Payment processors of each operator; none sells nothing. */
  readonly billersOf: (operatorId: number) => readonly Biller[];
  /** They are simulators: no money moves. */
  readonly isTestPayment: boolean;
}

export interface WiringDependencies {
  readonly data: OpenedData;
  readonly media: MediaPlane;
  readonly blobs: Blobs;
  /** Folder of this machine that recordings are written to. */
  readonly recordingsFolder: string;
  readonly settings: Settings;
  readonly text: HostPort['text'];
  /** Fills slots beside the slices of this program: tests, for what slices to come will know. */
  readonly fill?: (slots: Slots) => void;
  /** Pages could not reach the sockets of a host; null for a host that is no site here. */
  readonly onSocketFailure: (host: string | null) => void;
  /** Logs a fault nobody waits for. */
  readonly onFault: (error: unknown) => void;
}

/** What the slices offer each other. */
export interface Services {
  readonly site: SiteService;
  readonly notices: NoticesService;
  readonly accounts: AccountsService;
  readonly ledger: LedgerService;
  readonly billing: BillingService;
  readonly compliance: ComplianceService;
  readonly broadcast: BroadcastService;
  readonly recordings: RecordingsService;
  readonly rooms: RoomsService;
  readonly tips: TipsService;
}

/** A site, ready to be mounted. */
export interface Wired {
  readonly slots: Slots;
  readonly slices: readonly Slice<unknown>[];
  readonly services: Services;
  readonly hostPort: HostPort;
  readonly gatewayPort: GatewayPort;
  readonly callHandlers: readonly CallHandler[];
  readonly subscriptions: readonly Subscription[];
  readonly eventHandlers: readonly EventHandler[];
  readonly deadlineHandlers: readonly DeadlineHandler[];
}

/** The one list that builds a site: each slice gets what it needs of those before it. */
export function wire(deps: WiringDependencies): Wired {
  const slots = new Slots();
  deps.fill?.(slots);
  const { mode, version, publicUrl, secret, trustedProxies, geoHeader, geoFallback } = deps.settings;
  const { ice, rtmpPort } = deps.settings;
  const { data, media, blobs, text, onFault, onSocketFailure } = deps;
  const { bus, attendance } = data;
  const demo = mode === 'demo';

  const site = siteSlice({ data, slots, mode, version, publicUrl, onSocketFailure });
  const notices = noticesSlice({ data, text });
  const accounts = accountsSlice({ data, slots, site: site.service, notices: notices.service, secret });
  const ledger = ledgerSlice({ data, slots, site: site.service, accounts: accounts.service, demo });
  const billing = billingSlice({
    data, slots, site: site.service, notices: notices.service, accounts: accounts.service,
    ledger: ledger.service, billersOf: deps.settings.billersOf, isTest: deps.settings.isTestPayment, text,
    secret, onFault,
  });
  const compliance = complianceSlice({
    data, slots, accounts: accounts.service,
    settings: { secret, demo, trustedProxies, geoHeader, geoFallback },
  });
  const performing = { accounts: accounts.service, compliance: compliance.service };
  const broadcast = broadcastSlice({
    data, bus, slots, site: site.service, ...performing, media, blobs, ice, rtmpPort, secret, onFault,
  });
  const recordings = recordingsSlice({
    data, site: site.service, ...performing, broadcast: broadcast.service, outputs: media.outputs,
    folder: deps.recordingsFolder, onFault,
  });
  const rooms = roomsSlice({
    data, bus, attendance, slots, ...performing, ledger: ledger.service, broadcast: broadcast.service,
    recordings: recordings.service, text, onFault,
  });
  const roomModeration = roomModerationSlice({
    data, slots, ...performing, ledger: ledger.service, rooms: rooms.service, text, secret,
  });
  const tips = tipsSlice({
    data, slots, site: site.service, ...performing, ledger: ledger.service, rooms: rooms.service, text,
  });
  const browse = browseSlice({ data, ...performing, broadcast: broadcast.service, rooms: rooms.service });

  const slices: readonly Slice<unknown>[] = [
    site, notices, accounts, ledger, billing, compliance, broadcast, recordings, rooms, roomModeration, tips,
      browse,
  ];
  const services: Services = {
    site: site.service,
    notices: notices.service,
    accounts: accounts.service,
    ledger: ledger.service,
    billing: billing.service,
    compliance: compliance.service,
    broadcast: broadcast.service,
    recordings: recordings.service,
    rooms: rooms.service,
    tips: tips.service,
  };
  return {
    slots,
    slices,
    services,
    hostPort: hostPortOf(services, text),
    gatewayPort: gatewayPortOf(services),
    callHandlers: slices.flatMap((slice) => slice.callHandlers ?? []),
    subscriptions: slices.flatMap((slice) => slice.subscriptions ?? []),
    eventHandlers: slices.flatMap((slice) => slice.eventHandlers ?? []),
    deadlineHandlers: slices.flatMap((slice) => slice.deadlineHandlers ?? []),
  };
}

/** The permission table, asked with a caller; without a session one is a guest. Throws for an unknown row. */
function callerMayUse(access: string, caller: Caller): boolean {
  if (!isAccess(access)) throw new Error(`the permission table has no row ${access}`);
  return mayUse(access, caller.kind === 'person' ? caller.roles : ['guest']);
}

function hostPortOf({ site, accounts, compliance }: Services, text: HostPort['text']): HostPort {
  return {
    resolveScope: site.resolveScope,
    resolveCaller: accounts.resolveCaller,
    startGuest: accounts.startGuest,
    mayUse: callerMayUse,
    localeOf: site.localeOf,
    regionOf: compliance.regionOf,
    text,
  };
}

/** People bring a node token, overlays the token of their address: that opens their alerts, and no room. */
const gatewayPortOf = ({ accounts, rooms, tips: { overlays } }: Services): GatewayPort => ({
  redeem: async (scope, token) =>
    (await accounts.redeemNodeToken(scope, token)) ?? overlays.redeem(scope, token),
  describe: accounts.describeCaller,
  ...rooms.gateway,
  admit: async (scope, caller, ...asked) => (overlays.isOverlay(caller)
    ? { refused: roomForbidden.code } : rooms.gateway.admit(scope, caller, ...asked)),
});
