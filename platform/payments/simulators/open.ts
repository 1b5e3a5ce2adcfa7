import type { BillerName } from '#platform/contract/payment.ts';
import type { Clock } from '#platform/data/clock.ts';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BillerSettings } from '../billers.ts';
import { simulatedAccounts } from './accounts.ts';
import type { SimulatorEvent, Till } from './checkout/till.ts';
import { Courier, type Carry } from './courier.ts';
import type { Fault } from './faults.ts';
import { answer, processorsAt, type Processors } from './processors.ts';
import { LostAnswer, text, type Simulator } from './simulator.ts';

/** The longest request to a processor. */
const MAX_BODY_BYTES = 64 * 1024;

export interface SimulatorOptions {
  /** 0 for a free port. */
  readonly port: number;
  readonly host: string;
  /** The simulators' address for browsers, given their port; by default their own address. */
  readonly pages?: (port: number) => string;
  /** The address for callbacks of a biller. */
  readonly callback: (biller: BillerName) => string;
  readonly clock: Clock;
  /** Delivers callbacks to the shop. */
  readonly fetch: typeof fetch;
}

export interface Simulators {
  /** `http://127.0.0.1:3010`. */
  readonly origin: string;
  readonly port: number;
  /** Accounts at these simulators, for `billersFor`. */
  readonly accounts: Required<BillerSettings>;
  /** The records of one simulator: refunds, chargebacks, renewals, the true state. */
  readonly till: (biller: BillerName) => Till;
  /** Injects a fault, `times` times. */
  readonly arm: (biller: BillerName, fault: Fault, times?: number) => void;
  /** Waits until no callback is in flight. */
  readonly settle: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/**
 * Starts all simulated processors behind one local server: `/ccbill/…`, `/control/ccbill/…`, `/test-cards`.
 */
export async function openSimulators(options: SimulatorOptions): Promise<Simulators> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const origin = `http://${options.host}:${port}`;
  const pages = options.pages?.(port) ?? origin;
  const accounts = simulatedAccounts(origin, pages);
  const onEvent = ({ name, speak }: Simulator, event: SimulatorEvent): void => {
    const callback = speak(event);
    if (callback) couriers.get(name)?.send(callback);
  };
  const processors = processorsAt(accounts, pages, options.clock, onEvent);
  const couriers = couriersOf(options, processors);
  server.on('request', (request, response) => void serve(processors, origin, request, response));
  const till = (biller: BillerName): Till => {
    const simulator = processors.get(biller);
    if (!simulator) throw new RangeError(`no simulator of ${biller}`);
    return simulator.till;
  };
  return {
    origin,
    port,
    accounts,
    till,
    arm: (biller, fault, times = 1) => void till(biller).script.arm(fault, times),
    settle: async () => {
      for (const courier of couriers.values()) await courier.settle();
    },
    close: () => closed(server),
  };
}

function couriersOf(options: SimulatorOptions, processors: Processors): ReadonlyMap<BillerName, Courier> {
  return new Map([...processors].map(([name, { till, forge, again, retryMs }]) => [
    name,
    new Courier({
      clock: options.clock,
      carry: carrierTo(options.fetch, options.callback(name)),
      script: till.script,
      forge,
      again,
      retryMs,
    }),
  ]));
}

const carrierTo =
  (send: typeof fetch, address: string): Carry => async ({ method, query, headers, body }) => {
    const url = query === '' ? address : `${address}?${query}`;
    const response = await send(url, { method, headers, ...(method === 'POST' && { body }) });
    await response.arrayBuffer();
    return response.status;
  };

async function serve(
  processors: Processors,
  origin: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  try {
    const request = await requestOf(origin, incoming);
    const response = request ? await answer(processors, request) : text('too long', 413);
    response.headers.forEach((value, name) => outgoing.setHeader(name, value));
    outgoing.writeHead(response.status).end(Buffer.from(await response.arrayBuffer()));
  } catch (error) {
    if (!(error instanceof LostAnswer) && !outgoing.headersSent) outgoing.writeHead(500).end();
    incoming.socket.destroy();
  }
}

/** The request as a web-standard `Request`; null when its body is too long. */
async function requestOf(origin: string, incoming: IncomingMessage): Promise<Request | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (typeof value === 'string') headers.set(name, value);
  }
  const method = incoming.method ?? 'GET';
  const hasBody = method !== 'GET' && method !== 'HEAD';
  return new Request(`${origin}${incoming.url ?? '/'}`, {
    method,
    headers,
    ...(hasBody && { body: Buffer.concat(chunks) }),
  });
}

async function closed(server: Server): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()));
    server.closeAllConnections();
  });
}
