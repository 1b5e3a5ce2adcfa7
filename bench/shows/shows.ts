/**
 * Private shows that run at once, in a whole site on PostgreSQL with fsync: what their meter takes of a core,
 * and how late each show's tick is. Baseline: the same tokens a second paid from the same viewers to the same
 * performers by the ledger, in units of work as many as the meter's captures, without shows; in turns.
 */
import { endPrivate, privateTick } from '#product/shows/contract/private-running.ts';
import { tipOf } from '#product/testkit/payments/wallet.ts';
import { privatePerformer, startsPrivate, watches } from '#product/testkit/shows/private-show.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { findPrograms, startCluster } from '#tools/machine/cluster.mjs';
import { setTimeout as wait } from 'node:timers/promises';
import { median, quantile, ratio } from '../delivery/figures.ts';

const smoke = process.argv.includes('--smoke');
const SHOWS = smoke ? 10 : 500;
const TURNS = smoke ? 1 : 3;
/** Seconds of a turn: whole rounds of captures, which come every ten seconds. */
const TURN_SECONDS = smoke ? 10 : 30;
const SECOND_MS = 1_000;
const CAPTURE_SECONDS = 10;
const PRICE = 60;
/** The aims: a tenth of a core, and ticks at most this late. */
const AIM_SHARE = 0.1;
const AIM_LATE_MS = 100;

interface Pair {
  readonly viewer: Member;
  readonly performer: Member;
  readonly stream: string;
}
interface Turn {
  /** Of one core. */
  readonly share: number;
  /** Milliseconds, of each show's tick. */
  readonly lateness: readonly number[];
}

/** A show that runs. Shows begin within ten seconds, as many in each: so do their captures. */
async function begin(site: TestSite): Promise<Pair> {
  const performer = await privatePerformer(site, { pricePerMinuteInToken: PRICE });
  const viewer = await site.viewer({ tokens: 1_000_000 });
  await startsPrivate(viewer, performer);
  await watches(viewer, performer);
  const { stream } = await site.tx((tx) => site.services.broadcast.viewOf(tx, performer.id));
  if (stream === null) throw new Error(`${performer.username} is not live`);
  return { viewer, performer, stream };
}

/** A second of the site's clock, in which media of these shows comes in and is sent on. */
async function second(site: TestSite, pairs: readonly Pair[]): Promise<void> {
  for (const { stream } of pairs) site.engine.measure(stream);
  site.clock.advance(SECOND_MS);
  await site.services.shows.settled();
}

/** Does this work in each second of this machine; what it took of a core. */
async function shareOf(work: (at: number) => Promise<void>): Promise<number> {
  let used = 0;
  for (let at = 0; at < TURN_SECONDS; at += 1) {
    const due = performance.now();
    const before = process.cpuUsage();
    await work(at);
    const { user, system } = process.cpuUsage(before);
    used += (user + system) / 1_000;
    await wait(Math.max(0, due + SECOND_MS - performance.now()));
  }
  return used / (TURN_SECONDS * SECOND_MS);
}

/** Shows run: each of their ticks is as late as it is sent after its second began. */
async function metered(site: TestSite, pairs: readonly Pair[]): Promise<Turn> {
  const lateness: number[] = [];
  let due = 0;
  const stop = site.data.bus.subscribe(({ name }) => {
    if (name === privateTick.name) lateness.push(performance.now() - due);
  });
  const share = await shareOf(async () => {
    due = performance.now();
    await second(site, pairs);
    await site.data.settle();
  });
  stop();
  // One goes to each of the two.
  const wanted = pairs.length * TURN_SECONDS * 2;
  if (lateness.length !== wanted) throw new Error(`${lateness.length} ticks were sent, not ${wanted}`);
  return { share, lateness };
}

/** The same people pay as many tokens in as many units of work, without shows. */
async function paid(site: TestSite, pairs: readonly Pair[]): Promise<Turn> {
  const share = await shareOf(async (at) => {
    const now = pairs.filter((_pair, number) => number % CAPTURE_SECONDS === at % CAPTURE_SECONDS);
    await Promise.all(
      now.map(({ viewer, performer }) =>
        site.tx((tx) =>
          site.services.ledger.post(tx, [tipOf(viewer, performer, (PRICE * CAPTURE_SECONDS) / 60)])
        )
      ),
    );
    site.clock.advance(SECOND_MS);
    await site.data.settle();
  });
  return { share, lateness: [] };
}

async function measure(): Promise<{ readonly shows: Turn[]; readonly alone: Turn[] }> {
  const site = await createSite({ checkOutputs: false });
  const pairs: Pair[] = [];
  // Shows begin in as many seconds as lie between their captures, so that each second has a part of them.
  for (let group = 0; group < CAPTURE_SECONDS; group += 1) {
    for (let number = 0; number < SHOWS / CAPTURE_SECONDS; number += 1) pairs.push(await begin(site));
    await second(site, pairs);
  }
  const shows: Turn[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) shows.push(await metered(site, pairs));
  for (const { performer, viewer } of pairs) await performer.call(endPrivate, { username: viewer.username });
  const alone: Turn[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) alone.push(await paid(site, pairs));
  await site.close();
  return { shows, alone };
}

const programs = findPrograms();
if (programs) {
  const cluster = await startCluster(programs, { durable: true });
  process.env['TEST_DATABASE_URL'] = cluster.url;
  try {
    const { shows, alone } = await measure();
    const late = shows.flatMap(({ lateness }) => lateness);
    const share = (turns: readonly Turn[]): number => median(turns.map((turn) => turn.share));
    console.log(
      `${SHOWS} private shows at once, ${TURNS} turns of ${TURN_SECONDS} s (aims: at most `
        + `${AIM_SHARE * 100}% of a core, p99 late at most ${AIM_LATE_MS} ms)`,
    );
    console.table([
      {
        '': 'shows',
        'of a core, %': (share(shows) * 100).toFixed(1),
        'ratio': ratio(share(shows), share(alone)),
        'p50 late, ms': Math.round(quantile(late, 0.5)),
        'p99 late, ms': Math.round(quantile(late, 0.99)),
      },
      {
        '': 'the same payments alone',
        'of a core, %': (share(alone) * 100).toFixed(1),
        'ratio': ratio(1, 1),
      },
    ]);
  } finally {
    await cluster.stop();
  }
} else console.log('PostgreSQL is not installed (apt-get install postgresql): nothing is measured');
