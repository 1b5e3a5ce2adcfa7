import type { Answer, DueHandling, Hearing, Listening, Slice } from '../platform/contract/bind.ts';
import type { Caller } from '../platform/contract/context.ts';
import { Slots } from '../platform/contract/slot.ts';
import type { Blobs } from '../platform/data/blobs.ts';
import type { OpenedData } from '../platform/data/open.ts';
import type { HostPort } from '../platform/http/host-port.ts';
import type { GatewayPort } from '../platform/realtime/gateway-port.ts';
import type { Engine } from '../platform/streaming/engine.ts';
import { isAccess, mayUse } from './accounts/rules.ts';
import { accountsSlice, type AccountsService } from './accounts/server.ts';
import { broadcastSlice, type BroadcastService } from './broadcast/server.ts';
import { browseSlice } from './browse/server.ts';
import { complianceSlice, type ComplianceService } from './compliance/server.ts';
import { ledgerSlice, type LedgerService } from './ledger/server.ts';
import { noticesSlice, type NoticesService } from './notices/server.ts';
import { roomsSlice, type RoomsService } from './rooms/server.ts';
import type { Mode } from './site/rules.ts';
import { siteSlice, type SiteService } from './site/server.ts';
import { tipsSlice } from './tips/server.ts';

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
}

export interface WiringNeeds {
  readonly data: OpenedData;
  readonly engine: Engine;
  readonly blobs: Blobs;
  readonly settings: Settings;
  readonly text: HostPort['text'];
  /** Logs a fault nobody waits for. */
  readonly onFault: (error: unknown) => void;
}

/** What the slices offer each other. */
export interface Services {
  readonly site: SiteService;
  readonly notices: NoticesService;
  readonly accounts: AccountsService;
  readonly ledger: LedgerService;
  readonly compliance: ComplianceService;
  readonly broadcast: BroadcastService;
  readonly rooms: RoomsService;
}

/** A site, ready to be mounted. */
export interface Wired {
  readonly slices: readonly Slice<unknown>[];
  readonly services: Services;
  readonly hostPort: HostPort;
  readonly gatewayPort: GatewayPort;
  readonly answers: readonly Answer[];
  readonly hearings: readonly Hearing[];
  readonly listenings: readonly Listening[];
  readonly due: readonly DueHandling[];
}

/** The one list that builds a site: each slice gets what it needs of those before it. */
export function wire(needs: WiringNeeds): Wired {
  const slots = new Slots();
  const { mode, version, publicUrl, secret, trustedProxies, geoHeader, geoFallback } = needs.settings;
  const { data, engine, blobs, text, onFault } = needs;
  const { bus } = data;
  const demo = mode === 'demo';

  const site = siteSlice({ data, slots, mode, version, publicUrl });
  const notices = noticesSlice({ data, text });
  const accounts = accountsSlice({ data, slots, site: site.service, notices: notices.service, secret });
  const ledger = ledgerSlice({ data, slots, accounts: accounts.service, demo });
  const compliance = complianceSlice({
    data,
    slots,
    accounts: accounts.service,
    settings: { secret, demo, trustedProxies, geoHeader, geoFallback },
  });
  const performing = { accounts: accounts.service, compliance: compliance.service };
  const { operators } = site.service;
  const broadcast = broadcastSlice({ data, bus, ...performing, engine, blobs, secret, operators, onFault });
  const rooms = roomsSlice({ data, bus, slots, ...performing, broadcast: broadcast.service, text, onFault });
  const tips = tipsSlice({ data, slots, ...performing, ledger: ledger.service, rooms: rooms.service });
  const browse = browseSlice({ data, ...performing, broadcast: broadcast.service, rooms: rooms.service });

  const slices: readonly Slice<unknown>[] = [
    site,
    notices,
    accounts,
    ledger,
    compliance,
    broadcast,
    rooms,
    tips,
    browse,
  ];
  const services: Services = {
    site: site.service,
    notices: notices.service,
    accounts: accounts.service,
    ledger: ledger.service,
    compliance: compliance.service,
    broadcast: broadcast.service,
    rooms: rooms.service,
  };
  return {
    slices,
    services,
    hostPort: hostPortOf(services, text),
    gatewayPort: gatewayPortOf(services),
    answers: slices.flatMap((slice) => slice.answers ?? []),
    hearings: slices.flatMap((slice) => slice.hearings ?? []),
    listenings: slices.flatMap((slice) => slice.listenings ?? []),
    due: slices.flatMap((slice) => slice.due ?? []),
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

const gatewayPortOf = ({ accounts, rooms }: Services): GatewayPort => ({
  redeem: accounts.redeemNodeToken,
  describe: accounts.describeCaller,
  ...rooms.gateway,
});
