import { next, start, type Child } from '../processes/children.ts';
import { load, type Target } from './load.ts';

const smoke = process.argv.includes('--smoke');
const SECONDS = smoke ? 1 : 8;
const WARM_UP_SECONDS = smoke ? 0.5 : 3;
/** More would only queue: one process answers one at a time. */
const CONNECTIONS = 16;

interface Listens {
  readonly kind: 'listening';
  readonly port: number;
}
/** What a server that is measured tells, and `Listening` once it can be asked. */
export type FromMeasured<Listening> =
  | (Listens & Listening) | { readonly kind: 'cpu'; readonly seconds: number };
export type ToMeasured = { readonly kind: 'cpu' } | { readonly kind: 'bytes'; readonly base64: string };

/** A server in a process of its own, listening. */
type Measured<Listening> = Listens & Listening & { readonly child: Child<FromMeasured<unknown>> };

/** Starts a server: what is measured, or a bare one that answers `bytes`. */
export async function serve<Listening>(source: URL, bytes?: Buffer): Promise<Measured<Listening>> {
  const child = start<FromMeasured<unknown>>(source, [bytes ? 'bare' : 'site']);
  const listening = next(child, 'listening');
  if (bytes) child.send({ kind: 'bytes', base64: bytes.toString('base64') } satisfies ToMeasured);
  return { ...(await listening as Listens & Listening), child };
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
