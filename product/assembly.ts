import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import type { Blobs } from '../platform/data/blobs.ts';
import type { Clock } from '../platform/data/clock.ts';
import { describeFault } from '../platform/data/fault.ts';
import type { OpenedData } from '../platform/data/open.ts';
import { createHost, type Host } from '../platform/http/host.ts';
import { createGateway, type Gateway } from '../platform/realtime/gateway.ts';
import type { Engine } from '../platform/streaming/engine.ts';
import { loggedOut } from './accounts/contract.ts';
import { wire, type Settings, type Wired } from './wiring.ts';
import { loadTexts } from './texts.ts';

export interface AssemblyNeeds {
  /** The project's folder, or a copy with its texts and tables. */
  readonly root: string;
  readonly data: OpenedData;
  readonly engine: Engine;
  readonly blobs: Blobs;
  readonly log: Logger;
  readonly settings: Settings;
  /** Time of sockets, which are real even when the site's time is not. */
  readonly transportClock: Clock;
  /** Checks every answer against its contract: development and tests. */
  readonly checkOutputs: boolean;
}

/** A whole site in one process, not listening yet. */
export interface Assembly extends Wired {
  readonly http: Host;
  readonly gateway: Gateway;
  /** Delivers facts and deadlines and starts what the slices run. */
  readonly start: () => Promise<void>;
  /** Ends in reverse: no new requests, sockets told, slices, media, data last. */
  readonly stop: () => Promise<void>;
}

/** Builds the site from its slices, its HTTP host and its gateway on the given data and engine. */
export async function assemble(needs: AssemblyNeeds): Promise<Assembly> {
  const { data, engine, blobs, log, settings } = needs;
  const wired = wire({
    data, engine, blobs, settings, text: loadTexts(needs.root),
    onFault: (error) => log.error(describeFault(error), 'fault'),
  });
  await data.attach({ hearings: wired.hearings, due: wired.due });
  const metrics = new Registry();
  let isStarted = false;
  const http = createHost({
    answers: wired.answers,
    port: wired.hostPort,
    clock: data.clock,
    log,
    scheme: settings.publicUrl?.startsWith('https:') ? 'https' : 'http',
    trustedProxies: settings.trustedProxies,
    checkOutputs: needs.checkOutputs,
    operations: {
      metrics,
      isReady: async () => isStarted && (await wired.services.site.operators()).length > 0,
    },
    title: 'Candela',
    version: settings.version,
  });
  const gateway = createGateway({
    port: wired.gatewayPort,
    bus: data.bus,
    clock: needs.transportClock,
    log,
    contextOf: http.contextOf,
    mayUse: wired.hostPort.mayUse,
    listenings: wired.listenings,
    loggedOut,
    version: settings.version,
  });
  gateway.attach(http.server);
  return {
    ...wired,
    http,
    gateway,
    start: async () => {
      await engine.start();
      for (const slice of wired.slices) await slice.start?.();
      isStarted = true;
    },
    stop: async () => {
      gateway.close();
      await http.close();
      for (const slice of wired.slices.toReversed()) await slice.stop?.();
      await engine.close();
      await data.close();
    },
  };
}
