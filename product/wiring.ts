import type {
  CallHandler,
  DeadlineHandler,
  EventHandler,
  Slice,
  Subscription,
} from '#platform/contract/bind.ts';
import type { Caller } from '#platform/contract/context.ts';
import { ExtensionRegistry, type Implementation } from '#platform/contract/extension-point.ts';
import type { Blobs } from '#platform/data/blobs.ts';
import type { OpenedData } from '#platform/data/open.ts';
import type { HostPort } from '#platform/http/host-port.ts';
import type { IdentityProvider } from '#platform/identities/identity-provider.ts';
import { Pictures } from '#platform/images/pictures.ts';
import type { SmsSettings } from '#platform/outgoing/sms.ts';
import type { SmtpSettings } from '#platform/outgoing/smtp.ts';
import type { Biller } from '#platform/payments/biller.ts';
import type { GatewayPort } from '#platform/realtime/gateway/gateway-port.ts';
import type { GatewayLimits } from '#platform/realtime/limits.ts';
import type { MediaPlane } from '#platform/streaming/media-plane.ts';
import type { PasswordCost } from './accounts/rules.ts';
import { isAccess, mayUse } from './accounts/rules/permissions.ts';
import { accountsSlice } from './accounts/server.ts';
import { agreementsSlice } from './agreements/server.ts';
import { billingSlice } from './billing/server.ts';
import { broadcastSlice, type IceSettings } from './broadcast/server.ts';
import { browseSlice } from './browse/server.ts';
import { clientLogsSlice } from './client-logs/server.ts';
import { complianceSlice } from './compliance/server.ts';
import { consentSlice } from './consent/server.ts';
import { fanclubsSlice } from './fanclubs/server.ts';
import { identitySlice } from './identity/server.ts';
import { ledgerSlice } from './ledger/server.ts';
import { legalSlice } from './legal/server.ts';
import { messagingSlice } from './messaging/server.ts';
import { moderationSlice } from './moderation/server.ts';
import { noticesSlice } from './notices/server.ts';
import { performersSlice } from './performers/server.ts';
import { recordingsSlice } from './recordings/server.ts';
import { roomAppsSlice } from './room-apps/server.ts';
import { roomModerationSlice } from './room-moderation/server.ts';
import { roomForbidden } from './rooms/contract.ts';
import { checkParts, roomsSlice } from './rooms/server.ts';
import { shopSlice } from './shop/server.ts';
import { showsSlice } from './shows/server.ts';
import type { Mode } from './site/rules.ts';
import { siteSlice } from './site/server.ts';
import { supportSlice } from './support/server.ts';
import { tipsSlice } from './tips/server.ts';

/** The settings of an installation. */
export interface Settings {
  readonly mode: Mode;
  /** Version of the program. */
  readonly version: string;
  /** Origin the site is published at; null on a developer's machine. */
  readonly publicUrl: string | null;
  /** Where a developer's machine shows the site, with its port. */
  readonly localUrl: string;
  /** Path below which calls are answered. */
  readonly apiBase: string;
  /** Signs sessions and tokens. */
  readonly secret: string;
  /** Secrets of before: data keys of the vault that they wrapped are wrapped again at the start. */
  readonly formerSecrets?: readonly string[];
  /** Addresses and networks of trusted proxies. */
  readonly trustedProxies: readonly string[];
  readonly geoHeader: string | null;
  readonly geoFallback: string;
  /** STUN and TURN servers for browsers and encoders. */
  readonly ice: IceSettings;
  /** TCP port of RTMP ingest; null when it is turned off. */
  readonly rtmpPort: number | null;
  /** The installation's own limits of sockets; the rest have their defaults. */
  readonly socketLimits?: Partial<GatewayLimits>;
  /** Payment processors of each operator; an operator without any sells nothing. */
  readonly billersOf: (operatorId: number) => readonly Biller[];
  /** Identity providers for logging in at the site of a host name; none unless configured. */
  readonly identityProvidersAt: (host: string) => readonly IdentityProvider[];
  /** The payment processors are simulators: no money moves. */
  readonly isTestPayment: boolean;
  /** The mail server; without one, emails are stored for admins to read. */
  readonly smtp?: SmtpSettings | null;
  /** Sends text messages; `outbox` stores them for admins to read; without it, no page offers them. */
  readonly sms?: SmsSettings | 'outbox' | null;
  /** Emails reach people, so log-ins from new browsers and networks require an emailed code. */
  readonly asksLoginCodes: boolean;
  /** Staff must log in with two steps or a passkey: everywhere except in a demo. */
  readonly staffNeedsSecondStep?: boolean;
  /** Nobody can go live before there is somebody who could act as an admin: in production. */
  readonly needsAdmin?: boolean;
  /** Only for tests: push services may be on loopback. */
  readonly pushAllowsLoopback?: boolean;
  /** Toys of performers can be controlled here: only set by tests of listings, since none can be yet. */
  readonly controlsToys?: boolean;
  /** A cheaper password hash, for tests of other things. */
  readonly passwordCost?: PasswordCost;
}

export interface WiringDependencies {
  readonly data: OpenedData;
  readonly media: MediaPlane;
  readonly blobs: Blobs;
  /** Folder on this machine that recordings are written to. */
  readonly recordingsFolder: string;
  readonly settings: Settings;
  readonly text: HostPort['text'];
  /** Implementations besides those of the slices: in tests, of extension points without one so far. */
  readonly implementations?: readonly Implementation[];
  /** Pages could not reach the sockets of a host; null for a host that is not a site here. */
  readonly onSocketFailure: (host: string | null) => void;
  /** The stored files do not belong to this database. */
  readonly onForeignBlobs: (
    ids: { readonly database: string; readonly blobsDatabase: string | null },
  ) => void;
  /** Logs an error of work that no caller waits for. */
  readonly onError: (error: unknown) => void;
}

/** Dependencies of every slice, besides the services of earlier slices. */
function environmentOf(deps: WiringDependencies, extensions: ExtensionRegistry) {
  const { data: { bus, attendance, limits }, settings } = deps;
  return {
    ...settings,
    ...deps,
    pictures: new Pictures(),
    bus,
    attendance,
    limits,
    extensions,
    demo: settings.mode === 'demo',
    isTest: settings.isTestPayment,
  };
}
type Environment = ReturnType<typeof environmentOf>;

/** Builds slices one after another: each gets the environment and the services of earlier ones. */
class SliceList<Offered> {
  readonly #environment: Environment;
  readonly services: Offered;
  readonly slices: readonly Slice<unknown>[];

  constructor(environment: Environment, services: Offered, slices: readonly Slice<unknown>[]) {
    this.#environment = environment;
    this.services = services;
    this.slices = slices;
  }

  add<Name extends string, Service>(
    name: Name,
    make: (given: Environment & Offered) => Slice<Service>,
  ): SliceList<Offered & { readonly [Key in Name]: Service }> {
    const made = make({ ...this.#environment, ...this.services });
    const service = { [name]: made.service } as { readonly [Key in Name]: Service };
    return new SliceList(this.#environment, { ...this.services, ...service }, [...this.slices, made]);
  }
}

/** The one list that builds a site, in the order of product/order.ts. */
const slicesOf = (environment: Environment) =>
  new SliceList(environment, {}, [])
    .add('site', siteSlice)
    .add('legal', legalSlice)
    .add('notices', noticesSlice)
    .add('accounts', accountsSlice)
    .add('consent', consentSlice)
    .add('clientLogs', clientLogsSlice)
    .add('support', supportSlice)
    .add('compliance', (given) =>
      complianceSlice({ ...given, settings: { ...given.settings, demo: given.demo } }))
    .add('agreements', agreementsSlice)
    .add('ledger', ledgerSlice)
    .add('billing', billingSlice)
    .add('broadcast', broadcastSlice)
    .add('performers', performersSlice)
    .add('recordings', (given) =>
      recordingsSlice({ ...given, outputs: given.media.outputs, folder: given.recordingsFolder }))
    .add('identity', identitySlice)
    .add('rooms', roomsSlice)
    .add('roomModeration', roomModerationSlice)
    .add('moderation', moderationSlice)
    .add('fanclubs', fanclubsSlice)
    .add('tips', tipsSlice)
    .add('shop', shopSlice)
    .add('shows', showsSlice)
    .add('messaging', messagingSlice)
    .add('roomApps', roomAppsSlice)
    .add('browse', browseSlice);

/** The services that slices offer each other. */
export type Services = ReturnType<typeof slicesOf>['services'];

/** A site, ready to be mounted. */
export interface Wired {
  readonly extensions: ExtensionRegistry;
  readonly slices: readonly Slice<unknown>[];
  readonly services: Services;
  readonly hostPort: HostPort;
  readonly gatewayPort: GatewayPort;
  readonly callHandlers: readonly CallHandler[];
  readonly subscriptions: readonly Subscription[];
  readonly eventHandlers: readonly EventHandler[];
  readonly deadlineHandlers: readonly DeadlineHandler[];
}

/** Builds a site. Throws if an extension point has no implementation, or a room field has two owners. */
export function wire(deps: WiringDependencies): Wired {
  const extensions = new ExtensionRegistry();
  const { slices, services } = slicesOf(environmentOf(deps, extensions));
  extensions.connect([...slices, { name: 'beside the slices', extensions: deps.implementations }]);
  checkParts(extensions);
  return {
    extensions,
    slices,
    services,
    hostPort: hostPortOf(services, deps.text),
    gatewayPort: gatewayPortOf(services),
    callHandlers: slices.flatMap((slice) => slice.callHandlers ?? []),
    subscriptions: slices.flatMap((slice) => slice.subscriptions ?? []),
    eventHandlers: slices.flatMap((slice) => slice.eventHandlers ?? []),
    deadlineHandlers: slices.flatMap((slice) => slice.deadlineHandlers ?? []),
  };
}

/** The permission table for a caller; without a session the caller is a guest. Throws for an unknown row. */
function callerMayUse(access: string, caller: Caller): boolean {
  if (!isAccess(access)) throw new Error(`the permission table has no row ${access}`);
  return mayUse(access, caller.kind === 'person' ? caller.roles : ['guest']);
}

function hostPortOf({ site, accounts, compliance, consent }: Services, text: HostPort['text']): HostPort {
  return {
    resolveScope: site.resolveScope,
    resolveCaller: async (scope, request) => {
      const { allowed, ...known } = await accounts.resolveCaller(scope, request);
      const { cookie, headers } = request;
      return {
        ...known,
        consent: await consent.inForce({
          scope,
          cookie,
          headers,
          region: compliance.regionOf(request),
          caller: known.caller,
          allowed,
        }),
      };
    },
    startGuest: accounts.startGuest,
    mayUse: callerMayUse,
    localeOf: site.localeOf,
    regionOf: compliance.regionOf,
    text,
  };
}

/** People bring a node token, overlays the token of their address, which gives alerts but no room. */
const gatewayPortOf = ({ accounts, rooms, tips: { overlays } }: Services): GatewayPort => ({
  redeem: async (scope, token, { caller }) =>
    (await accounts.redeemNodeToken(scope, token, caller)) ?? overlays.redeem(scope, token),
  describe: accounts.describeCaller,
  ...rooms.gateway,
  admit: async (scope, caller, ...asked) => (overlays.isOverlay(caller)
    ? { refused: roomForbidden.code }
    : rooms.gateway.admit(scope, caller, ...asked)),
});
