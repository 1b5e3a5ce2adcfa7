import { next, start, type Child } from '../processes/children.ts';
import { load, type Target } from './load.ts';

const smoke = process.argv.includes('--smoke');
const SECONDS = smoke ? 1 : 8;
/** Until the compiler has seen what is hot: after three seconds a cached page still got a third faster. */
const WARM_UP_SECONDS = smoke ? 0.5 : 10;
/** More would only queue: the server's process handles one request at a time. */
const CONNECTIONS = 16;

interface Base {
  readonly kind: 'listening';
  readonly port: number;
}
/** Messages of a measured server; `Ready` comes with its port once it accepts requests. */
export type FromMeasured<Ready> = (Base & Ready) | { readonly kind: 'cpu'; readonly seconds: number };
export type ToMeasured = { readonly kind: 'cpu' } | { readonly kind: 'bytes'; readonly base64: string };

/** A running server in its own process. */
type Measured<Ready> = Base & Ready & { readonly child: Child<FromMeasured<unknown>> };

/** Starts a server: the measured one, or a bare one that replies with `bytes`. */
export async function serve<Ready>(source: URL, bytes?: Buffer): Promise<Measured<Ready>> {
  const child = start<FromMeasured<unknown>>(source, [bytes ? 'bare' : 'site']);
  const started = next(child, 'listening');
  if (bytes) child.send({ kind: 'bytes', base64: bytes.toString('base64') } satisfies ToMeasured);
  return { ...(await started as Base & Ready), child };
}

async function cpuSeconds({ child }: Measured<unknown>): Promise<number> {
  const answer = next(child, 'cpu');
  child.send({ kind: 'cpu' } satisfies ToMeasured);
  return (await answer).seconds;
}

/** Requests per CPU-second of the server. */
export async function rate(server: Measured<unknown>, target: Target): Promise<number> {
  await load(target, CONNECTIONS, WARM_UP_SECONDS);
  const before = await cpuSeconds(server);
  const replies = await load(target, CONNECTIONS, SECONDS);
  return replies / ((await cpuSeconds(server)) - before);
}
