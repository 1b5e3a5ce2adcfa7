/**
 * What a relay forwards for its processor time: ours, Janus's streaming plugin as it comes (a thread for each
 * viewer) and tuned (one event loop), in turns under the same load: one synthetic publisher (H.264 and Opus),
 * many synthetic viewers in processes of their own that answer with RTCP as browsers do. Beside them the
 * baseline: the same packets to as many sockets through plain `node:dgram`, unencrypted, without a relay's
 * work.
 *
 *   npx tsx bench/media/relay.ts [--viewers 100] [--seconds 15] [--rounds 3] [--ask-every 100] [--smoke]
 *                      [--address 192.0.2.1]
 *
 * Janus uses no loopback address. Without `--address`, an address of this machine for servers and viewers to
 * meet on, the bench runs in a network namespace that has one, and that nobody else can reach.
 */
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { findJanus } from '../relay/janus/config.ts';
import type { Crowd } from '../relay/messages.ts';
import { runInNetwork } from '../relay/network.ts';
import { endWithParent } from '../relay/parent.ts';
import { HEAD, ratioLine, row } from '../relay/report.ts';
import { runJanus, runOurs, runPlain, type Load, type Outcome } from '../relay/trial.ts';

const { values } = parseArgs({
  options: {
    viewers: { type: 'string' },
    seconds: { type: 'string' },
    rounds: { type: 'string' },
    'ask-every': { type: 'string' },
    address: { type: 'string' },
    smoke: { type: 'boolean', default: false },
  },
});
const LOOPBACK = '127.0.0.1';
/** Enough to measure processor time; two cores still run Janus and all viewers without loss. */
const viewers = Number(values.viewers ?? (values.smoke ? 20 : 100));
const seconds = Number(values.seconds ?? (values.smoke ? 2 : 15));
const rounds = Number(values.rounds ?? (values.smoke ? 1 : 3));

/**
 * Delays are measured at one viewer in this many, which have priority over the others, so that they wait for
 * the server only.
 */
const MEASURED_EVERY = 10;
const measuredCount = Math.ceil(viewers / MEASURED_EVERY);
const halfBulk = (viewers - measuredCount) / 2;
const crowds: readonly Crowd[] = [
  { count: measuredCount, isMeasured: true },
  { count: Math.ceil(halfBulk), isMeasured: false },
  { count: Math.floor(halfBulk), isMeasured: false },
];
const BITS_PER_SECOND = 2_000_000;
/** Viewers request one in so many video packets again: an ordinary line loses that many, loopback none. */
const ASK_EVERY = 100;
const AIMS = { tuned: 1.4, untuned: 2.5 } as const;

const OURS = 'relay (WHEP, SRTP)';
const UNTUNED = 'janus, default';
const TUNED = 'janus, event_loops=1';
const PLAIN = 'plain UDP (baseline)';

async function run(): Promise<void> {
  const janus = findJanus();
  let without = janus ? '' : 'janus not installed: apt-get install janus';
  if (janus && values.address === undefined) {
    const reason = await runInNetwork(fileURLToPath(import.meta.url), process.argv.slice(2));
    without = `janus left out: no network namespace (${reason}); name an address: --address`;
  } else if (janus && values.address?.startsWith('127.')) {
    without = 'janus left out: it takes no loopback address';
  }
  if (without) console.log(without);
  const load: Load = {
    viewers,
    seconds,
    crowds,
    bitsPerSecond: BITS_PER_SECOND,
    askEvery: Number(values['ask-every'] ?? ASK_EVERY),
    address: values.address ?? LOOPBACK,
  };
  const trials: readonly (readonly [string, () => Promise<Outcome>])[] = [
    [OURS, () => runOurs(load)],
    ...(janus && !without
      ? [
        [UNTUNED, () => runJanus(load, janus, false)] as const,
        [TUNED, () => runJanus(load, janus, true)] as const,
      ]
      : []),
  ];
  console.log(
    `${viewers} viewers of one ${BITS_PER_SECOND / 1e6} Mbit/s stream for ${seconds} s, `
      + `${rounds} times in turns, on ${process.platform} ${process.arch}, Node ${process.version}; `
      + `load of the machine before: ${loadavg()[0]!.toFixed(2)}`,
  );
  console.log(HEAD);
  const outcomes = new Map<string, Outcome[]>();
  const measure = async (name: string, trial: () => Promise<Outcome>): Promise<void> => {
    const outcome = await trial();
    outcomes.set(name, [...outcomes.get(name) ?? [], outcome]);
    console.log(row(name, outcome));
  };
  for (let round = 0; round < rounds; round++) for (const [name, trial] of trials) await measure(name, trial);
  await measure(PLAIN, () => runPlain(load));
  if (without) return;
  const of = (name: string): readonly Outcome[] => outcomes.get(name) ?? [];
  console.log('');
  console.log(ratioLine('relay / janus, event_loops=1', of(OURS), of(TUNED), AIMS.tuned));
  console.log(ratioLine('relay / janus, default', of(OURS), of(UNTUNED), AIMS.untuned));
}

// In its own network namespace it runs as a child of itself.
if (process.channel) endWithParent();
await run();
if (process.connected) process.disconnect();
