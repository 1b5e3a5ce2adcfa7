import type { Slice } from '#platform/contract/bind.ts';
import type { Caller } from '#platform/contract/context.ts';
import type { Blobs } from '#platform/data/blobs.ts';
import type { Clock } from '#platform/data/clock.ts';
import { describeError } from '#platform/data/errors.ts';
import type { OpenedData } from '#platform/data/open.ts';
import type { HostPort } from '#platform/http/host-port.ts';
import { createHost, type Host } from '#platform/http/host.ts';
import type { Gateway } from '#platform/realtime/gateway/gateway-options.ts';
import { createGateway } from '#platform/realtime/gateway/gateway.ts';
import type { Tier } from '#platform/realtime/limits.ts';
import { closeMedia, type MediaPlane } from '#platform/streaming/media-plane.ts';
import type { Logger } from 'pino';
import { Counter, Registry } from 'prom-client';
import { loggedOut, sessionReplaced } from './accounts/contract.ts';
import { chatHistory, chatMessage, reconnectRequired, userList } from './rooms/contract.ts';
import { chatBanned, chatKicked } from './rooms/contract/moderation.ts';
import { wire, type Settings, type Wired, type WiringDependencies } from './wiring.ts';

/**
 * The roles of a process: `web` answers calls and pages and carries media, `gateway` holds the sockets,
 * `worker` delivers facts and deadlines.
 */
export type Role = 'web' | 'gateway' | 'worker';
export const ROLES: readonly Role[] = ['web', 'gateway', 'worker'];

export interface AssemblyDependencies {
  /** The server's texts. */
  readonly text: HostPort['text'];
  readonly data: OpenedData;
  readonly media: MediaPlane;
  readonly blobs: Blobs;
  /** Folder on this machine that recordings are written to. */
  readonly recordingsFolder: string;
  readonly log: Logger;
  readonly settings: Settings;
  /** Time of sockets, which is real even if the site's time is not. */
  readonly transportClock: Clock;
  /** Roles of this process; all of them by default. */
  readonly roles?: readonly Role[];
  /** See `WiringDependencies`. */
  readonly implementations?: WiringDependencies['implementations'];
  /** Whether to check every answer against its contract: in development and tests. */
  readonly checkOutputs: boolean;
}

/** A site in one process, or the part of it that its roles need; it accepts no connections yet. */
export interface Assembly extends Wired {
  readonly http: Host;
  /** Null without the role. */
  readonly gateway: Gateway | null;
  /** Starts deliveries and the slices' own work, and loads the data that slices answer from. */
  readonly start: () => Promise<void>;
  /** Stops in reverse: no new requests, sockets warned, slices, media, data last. */
  readonly stop: () => Promise<void>;
}

/** The events with most of the traffic of rooms, by bytes; platform/realtime/README.md has the figures. */
export const FREQUENT_EVENTS = [chatMessage, chatHistory, userList];

/** Performers and staff act on many people at once; an account flag makes nobody a performer or staff. */
const OF_MEMBERS: readonly string[] = ['member', 'remote_logging'];
const tierOf = ({ kind, roles }: Caller): Tier => {
  if (kind !== 'person') return 'guest';
  return roles.some((role) => !OF_MEMBERS.includes(role)) ? 'trusted' : 'member';
};

/** Builds the site from its slices, its HTTP host and its gateway on the given data and engine. */
export async function assemble(deps: AssemblyDependencies): Promise<Assembly> {
  const { data, media, blobs, log, settings, roles = ROLES } = deps;
  const metrics = new Registry();
  const socketFailures = new Counter({
    name: 'frontend_socket_failures_total',
    registers: [metrics],
    help: 'Pages whose lobby stayed away for 10 s.',
  });
  const wired = wire({
    data,
    media,
    blobs,
    settings,
    recordingsFolder: deps.recordingsFolder,
    text: deps.text,
    implementations: deps.implementations,
    onError: (error) => log.error(describeError(error), 'unexpected error'),
    onSocketFailure: (host) => {
      socketFailures.inc();
      log.warn({ host }, 'pages cannot reach the sockets');
    },
    onForeignBlobs: (ids) =>
      log.error(ids, 'the files in DATA_DIR/blobs are not of this database: none is removed'),
  });
  const isOurs = (slice: Slice<unknown>): boolean => roles.includes(slice.needsMedia ? 'web' : 'worker');
  const ours = wired.slices.filter(isOurs);
  const orphan = [
    ...wired.subscriptions.map(({ consumer }) => consumer),
    ...wired.deadlineHandlers.map(({ kind }) => kind),
  ]
    .find((name) => !wired.slices.some((slice) => name.startsWith(`${slice.name}.`)));
  if (orphan !== undefined) throw new Error(`${orphan} bears no slice's name: no process would deliver it`);
  await data.attach({
    subscriptions: wired.subscriptions,
    deadlineHandlers: wired.deadlineHandlers,
    isOurs: (name) => ours.some((slice) => name.startsWith(`${slice.name}.`)),
  });
  let isStarted = false;
  const http = createHost({
    handlers: roles.includes('web') ? wired.callHandlers : [],
    port: wired.hostPort,
    clock: data.clock,
    limits: data.limits,
    log,
    scheme: settings.publicUrl?.startsWith('https:') ? 'https' : 'http',
    trustedProxies: settings.trustedProxies,
    checkOutputs: deps.checkOutputs,
    apiBase: settings.apiBase,
    operations: {
      metrics,
      isReady: async () => isStarted && (await wired.services.site.operators()).length > 0,
    },
    title: 'Candela',
    version: settings.version,
  });
  const gateway = roles.includes('gateway') ? openGateway(deps, wired, http) : null;
  if (!gateway) refuseSockets(http);
  return {
    ...wired,
    http,
    gateway,
    start: async () => {
      await media.engine.start();
      for (const slice of ours) await slice.start?.();
      if (roles.includes('web')) { for (const slice of wired.slices) await slice.warm?.(); }
      isStarted = true;
      gateway?.ready(true);
    },
    stop: async () => {
      gateway?.close();
      await http.close();
      for (const slice of wired.slices.toReversed()) await slice.stop?.();
      await closeMedia(media);
      await data.close();
    },
  };
}

/** Another process has the sockets: a wrongly routed client is refused at once. */
function refuseSockets({ server }: Host): void {
  server.on('upgrade', (request, stream) => {
    // The development server of the pages handles its own upgrades on the same port.
    if (server.listenerCount('upgrade') > 1 && !request.url?.startsWith('/ws/')) return;
    stream.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
  });
}

function openGateway(deps: AssemblyDependencies, wired: Wired, http: Host): Gateway {
  const gateway = createGateway({
    port: wired.gatewayPort,
    bus: deps.data.bus,
    clock: deps.transportClock,
    log: deps.log,
    contextOf: http.contextOf,
    mayUse: wired.hostPort.mayUse,
    eventHandlers: wired.eventHandlers,
    loggedOut,
    endings: [chatBanned, chatKicked, reconnectRequired, sessionReplaced],
    frequent: FREQUENT_EVENTS,
    tierOf,
    version: deps.settings.version,
    limits: deps.settings.socketLimits,
  });
  // The port may be open before the slices run: until then lobbies receive that rooms are not ready.
  gateway.ready(false);
  gateway.attach(http.server);
  return gateway;
}
