import { next } from '../processes/children.ts';
import { bundled, start, startBundle } from './children.ts';
import { monotonicMs, schedule, type FromServer, type FromViewers, type Offer } from './load.ts';

/** Processes that hold the viewers. */
const HOLDERS = 2;
/** The room goes on while they are away: they must get what they missed. */
const PER_SECOND = 8;
const SECONDS = 60;
/** Everybody receives messages for a moment before the kill. */
const RECEIVE_MS = 2_000;

/**
 * Kills the gateway of a room whose viewers all have the client library, starts it again at once, and prints
 * how long it takes until every one of them holds the whole room again.
 */
export async function comeBack(viewers: number): Promise<void> {
  const program = await bundled('server-child');
  const server = startBundle<FromServer>(program, 'ours', '0', '0');
  const { port } = await next(server, 'listening');
  const holders = Array.from({ length: HOLDERS }, () => start<FromViewers>('viewers-child'));
  let restarted: typeof server | null = null;
  try {
    const joined = holders.map((holder) => next(holder, 'joined'));
    for (const holder of holders) holder.send({ kind: 'join', port, count: viewers / HOLDERS });
    await Promise.all(joined);
    const offer: Offer = { perSecond: PER_SECOND, seconds: SECONDS, startAtMs: monotonicMs() };
    server.send({ kind: 'publish', offer });
    await new Promise((resolve) => {
      setTimeout(resolve, RECEIVE_MS);
    });
    const ended = new Promise((resolve) => {
      server.once('exit', resolve);
    });
    const returned = holders.map((holder) => next(holder, 'back'));
    server.kill('SIGKILL');
    for (const holder of holders) holder.send({ kind: 'lose' });
    const killedAtMs = monotonicMs();
    await ended;
    // The log survives its process, like a database: it holds every message due until now.
    const logged = schedule(PER_SECOND, SECONDS).filter((ms) => offer.startAtMs + ms <= killedAtMs).length;
    restarted = startBundle<FromServer>(program, 'ours', String(port), String(logged));
    await next(restarted, 'listening');
    const upMs = monotonicMs() - killedAtMs;
    restarted.send({ kind: 'publish', offer });
    const results = await Promise.all(returned);
    const backMs = monotonicMs() - killedAtMs;
    const sum = (what: 'missed' | 'repeated'): number => results.reduce((all, item) => all + item[what], 0);
    console.log(
      `${viewers} viewers whose gateway was killed: it listened again after ${upMs.toFixed(0)} ms, `
        + `all of them were back with the room after ${backMs.toFixed(0)} ms (the aim: 10,000 ms); `
        + `${sum('missed')} messages missed, ${sum('repeated')} repeated`,
    );
  } finally {
    for (const child of [server, restarted, ...holders]) if (child?.connected) child.disconnect();
  }
}
