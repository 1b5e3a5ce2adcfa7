/**
 * A site whose directory has 20,000 performers online, in its own process: for `bench/browse`. While it
 * answers, rooms are entered and left, and performers come and go.
 */
import { createSite } from '#product/testkit/site.ts';
import type { FromMeasured, ToMeasured } from '../listing/measured.ts';
import { Dice, populate } from './population.ts';

const smoke = process.env['BENCH_SMOKE'] === '1';
const [KNOWN, ONLINE] = smoke ? [20_000, 2_000] : [200_000, 20_000];
/** Enough that none exceeds the rate limit of a person (120 a minute), however fast the server is. */
const [VISITORS, MEMBERS] = smoke ? [800, 20] : [2_400, 160];
/** So often viewer counts change, and so many at once: 2,000 a second. */
const COUNTS_MS = 10;
const COUNTS = 20;
/** So often somebody leaves, and comes back. */
const LEAVE_MS = 250;

type Headers = Readonly<Record<string, string>>;
/** Reported once the server accepts requests: the headers of its people. */
export interface Ready {
  readonly people: { readonly visitors: readonly Headers[]; readonly members: readonly Headers[] };
}

const report = (message: FromMeasured<Ready>): void => void process.send?.(message);
/** Each has a loopback address of their own: addresses have rate limits too, and a region. */
const sent = (headers: Readonly<Record<string, string | undefined>>, at: number): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ ...headers, 'x-forwarded-for': `127.1.${at >> 8}.${at & 255}` })
      .flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );

const site = await createSite({ checkOutputs: false, settings: { trustedProxies: ['127.0.0.1'] } });
const directory = await site.services.browse.directoryOf(site.scope.operatorId);
populate(KNOWN, ONLINE, site.clock.now().getTime(), directory);
const [visitors, members]: [Headers[], Headers[]] = [[], []];
for (let at = 0; at < VISITORS; at += 1) {
  visitors.push(sent((await site.visitor({ ofAge: true })).headers, at));
}
for (let at = 0; at < MEMBERS; at += 1) members.push(sent((await site.viewer()).headers, VISITORS + at));
const dice = new Dice();
const ids = [...directory.online()].map(({ id }) => id);
setInterval(() => {
  for (let at = 0; at < COUNTS; at += 1) directory.change(dice.of(ids), { viewerCount: dice.below(2_000) });
  // The site's clock stands still by itself.
  site.clock.advance(COUNTS_MS);
}, COUNTS_MS);
setInterval(() => {
  const entry = directory.get(dice.of(ids));
  if (!entry) return;
  directory.put({ ...entry, startedAt: null });
  directory.put(entry);
}, LEAVE_MS);
const address = await site.http.app.listen({ host: '127.0.0.1', port: 0 });
process.on('message', ({ kind }: ToMeasured) => {
  const { user, system } = process.cpuUsage();
  if (kind === 'cpu') report({ kind: 'cpu', seconds: (user + system) / 1e6 });
});
process.on('disconnect', () => process.exit(0));
report({ kind: 'listening', port: Number(new URL(address).port), people: { visitors, members } });
