import type { Clock } from '#platform/data/clock.ts';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AgeProvider } from '../age-verifier.ts';
import type { AgeAccounts } from '../verifiers.ts';
import { incodeSimulator } from './incode.ts';
import { missing, seeOther, type AgeFault, type SimulatedProvider } from './simulator.ts';
import { yotiSimulator } from './yoti.ts';

/** The longest request to a provider. */
const MAX_BODY_BYTES = 16 * 1024;

export interface AgeSimulatorOptions {
  /** 0 for a free one. */
  readonly port: number;
  readonly clock: Clock;
  /** Delivers reports to the site. */
  readonly fetch: typeof fetch;
  /** Where the relay of the anonymous accounts sends browsers: the site's page. */
  readonly site: string;
  /** The providers whose accounts are anonymous. */
  readonly anonymous?: readonly AgeProvider[];
}

export interface AgeSimulators {
  readonly origin: string;
  /** Accounts at these simulators, for `verifiersFor`. */
  readonly accounts: Required<AgeAccounts>;
  /** Finishes a check on the provider's page as a person of an age would; null cancels. Returns the address
   * that the browser comes back to. */
  readonly finishes: (url: string, age: number | null) => Promise<string>;
  /** Sends the report about a check again; returns the status of the site's answer, null without a report. */
  readonly reports: (url: string) => Promise<number | null>;
  /** All requests of the site and of browsers so far, with their bodies. */
  readonly asked: readonly string[];
  fault: AgeFault | null;
  /** Whether reports are sent by themselves; false loses them. */
  sendsReports: boolean;
  /** Waits until no report is in flight. */
  readonly settle: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** The simulators' accounts. Nothing in them is secret: they are valid here alone. */
const accountsAt = (origin: string, anonymous: readonly AgeProvider[]): Required<AgeAccounts> => {
  const relayOf = (provider: AgeProvider) => anonymous.includes(provider) ? { relay: `${origin}/relay` } : {};
  return {
    yoti: {
      address: `${origin}/yoti`,
      apiKey: 'not a secret: this is a simulation',
      sdkId: '00000000-0000-4000-8000-000000000001',
      ...relayOf('yoti'),
    },
    incode: {
      address: `${origin}/incode`,
      apiKey: 'not a secret: this is a simulation',
      flows: {
        // With the margin that guidance wants for estimations.
        estimation: { id: 'simulated-estimation', provesAge: 25, liveness: 'passive' },
        verification: { id: 'simulated-verification', provesAge: 18, liveness: 'passive' },
      },
      ...relayOf('incode'),
    },
  };
};

/**
 * Starts the simulated providers behind one local server: `/yoti/…`, `/incode/…`, and `/relay`, which sends
 * browsers on to the site. Their pages say that they are a simulation.
 */
export async function openAgeSimulators(options: AgeSimulatorOptions): Promise<AgeSimulators> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, '127.0.0.1', resolve);
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const accounts = accountsAt(origin, options.anonymous ?? []);
  const [asked, inFlight]: [string[], Set<Promise<unknown>>] = [[], new Set()];
  let fault: AgeFault | null = null;
  let sendsReports = true;
  const post = async (url: string, body: string): Promise<number> => {
    const headers = { 'content-type': 'application/json' };
    return (await options.fetch(url, { method: 'POST', headers, body })).status;
  };
  const state = {
    clock: options.clock,
    fault: () => fault,
    notify: (url: string, body: string) => {
      if (!sendsReports) return;
      // A site that is not there loses the report; it asks by itself.
      const flight = post(url, body).catch(() => null).finally(() => inFlight.delete(flight));
      inFlight.add(flight);
    },
  };
  const providers: Readonly<Record<AgeProvider, SimulatedProvider>> = {
    yoti: yotiSimulator(accounts.yoti, state),
    incode: incodeSimulator(accounts.incode, origin, state),
  };
  const answer = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    const first = pathname.split('/')[1] ?? '';
    if (first === 'relay') return seeOther(options.site);
    if (!Object.hasOwn(providers, first)) return missing();
    if (fault === 'away') return new Response('away', { status: 503 });
    return providers[first as AgeProvider].handle(pathname.slice(first.length + 1) || '/', request);
  };
  server.on('request', (request, response) => void serve({ origin, asked, answer }, request, response));
  return {
    origin,
    accounts,
    asked,
    finishes: async (url, age) => {
      const body = new URLSearchParams(age === null ? { cancel: '1' } : { age: String(age) });
      const left = await fetch(url, { method: 'POST', body, redirect: 'manual' });
      const back = left.headers.get('location') ?? '';
      const isRelayed = back.startsWith(`${origin}/relay`);
      return isRelayed ? (await fetch(back, { redirect: 'manual' })).headers.get('location') ?? '' : back;
    },
    reports: async (url) => {
      const report = providers.yoti.reportOf(url) ?? providers.incode.reportOf(url);
      return report && post(report.url, report.body);
    },
    get fault() {
      return fault;
    },
    set fault(next) {
      fault = next;
    },
    get sendsReports() {
      return sendsReports;
    },
    set sendsReports(next) {
      sendsReports = next;
    },
    settle: async () => {
      while (inFlight.size > 0) await Promise.all(inFlight);
    },
    close: () => closed(server),
  };
}

interface Serving {
  readonly origin: string;
  readonly asked: string[];
  readonly answer: (request: Request) => Promise<Response>;
}

async function serve(
  { origin, asked, answer }: Serving,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  try {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) return void incoming.destroy();
      chunks.push(chunk);
    }
    const [method, body] = [incoming.method ?? 'GET', Buffer.concat(chunks)];
    asked.push(`${method} ${incoming.url ?? '/'} ${body.toString()}`);
    if (asked.length > MAX_ASKED) asked.shift();
    const headers = Object.entries(incoming.headers)
      .filter((entry): entry is [string, string] => typeof entry[1] === 'string');
    const response = await answer(
      new Request(`${origin}${incoming.url ?? '/'}`, {
        method,
        headers,
        ...(method === 'GET' ? {} : { body }),
      }),
    );
    response.headers.forEach((value, name) => outgoing.setHeader(name, value));
    outgoing.writeHead(response.status).end(Buffer.from(await response.arrayBuffer()));
  } catch {
    incoming.destroy();
  }
  return undefined;
}

/** Requests remembered for tests; a demo may run for months. */
const MAX_ASKED = 1_000;

async function closed(server: Server): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()));
    server.closeAllConnections();
  });
}
