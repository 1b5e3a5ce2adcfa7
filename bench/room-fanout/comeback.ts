import { next } from '../processes/children.ts';
import { bundled, start, startBundle } from './children.ts';
import { monotonicMs, schedule, type FromServer, type FromViewers, type Offer } from './load.ts';

/** Processes that hold the viewers. */
const HOUSES = 2;
/** While they are away the room goes on: what they missed they must get. */
const PER_SECOND = 8;
const SECONDS = 60;
/** Before the kill everybody hears the room for a moment. */
const HEARD_MS = 2_000;

/**
 * Kills the gateway of a room whose viewers all have the client library, starts it again at once, and prints
 * how long it takes until every one of them holds the whole room again.
 */
export async function comeBack(viewers: number): Promise<void> {
  const program = await bundled('server-child');
  const server = startBundle<FromServer>(program, 'ours', '0', '0');
  const { port } = await next(server, 'listening');
  const houses = Array.from({ length: HOUSES }, () => start<FromViewers>('viewers-child'));
  let restarted: typeof server | null = null;
  try {
    const joined = houses.map((house) => next(house, 'joined'));
    for (const house of houses) house.send({ kind: 'join', port, count: viewers / HOUSES });
    await Promise.all(joined);
    const offer: Offer = { perSecond: PER_SECOND, seconds: SECONDS, startAtMs: monotonicMs() };
    server.send({ kind: 'publish', offer });
    await new Promise((resolve) => { setTimeout(resolve, HEARD_MS); });
    const ended = new Promise((resolve) => { server.once('exit', resolve); });
    const returned = houses.map((house) => next(house, 'back'));
    server.kill('SIGKILL');
    for (const house of houses) house.send({ kind: 'lose' });
    const killedAtMs = monotonicMs();
    await ended;
    // The log outlives its process, as in the database: what was due until now has been said.
    const logged = schedule(PER_SECOND, SECONDS).filter((ms) => offer.startAtMs + ms <= killedAtMs).length;
    restarted = startBundle<FromServer>(program, 'ours', String(port), String(logged));
    await next(restarted, 'listening');
    const upMs = monotonicMs() - killedAtMs;
    restarted.send({ kind: 'publish', offer });
    const told = await Promise.all(returned);
    const backMs = monotonicMs() - killedAtMs;
    const sum = (what: 'missed' | 'repeated'): number => told.reduce((all, one) => all + one[what], 0);
    console.log(`${viewers} viewers whose gateway was killed: it listened again after ${upMs.toFixed(0)} ms, `
      + `all of them were back with the room after ${backMs.toFixed(0)} ms (the aim: 10,000 ms); `
      + `${sum('missed')} messages missed, ${sum('repeated')} repeated`);
  } finally {
    for (const child of [server, restarted, ...houses]) if (child?.connected) child.disconnect();
  }
}
