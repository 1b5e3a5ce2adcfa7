import type { Tx } from '#platform/data/data.ts';
import { HOUR_MS, MINUTE_MS } from '#platform/time/units.ts';
import type { Person } from '#product/accounts/server.ts';
import type { Services } from '#product/wiring.ts';
import { CLUBS, GOALS } from './cast.ts';
import { seededRandom } from './portraits.ts';

/** The least number of performers each fan follows; the most is twice that. */
const LEAST_FOLLOWS = 4;
/** Performers each fan has liked today, at most. */
const MOST_LIKES = 9;
/** Share of good votes among their votes on performers. */
const LIKED = 0.86;
/** Performers who are offline were live at some time in these hours. */
const PAST_HOURS = 9 * 24;
/** How long such a broadcast took. */
const [LEAST_SHOW_MS, MOST_SHOW_MS] = [40 * MINUTE_MS, 5 * HOUR_MS];

/**
 * Shares of viewers, by popularity: the most popular performer has twice the second's viewers, three times
 * the third's (Zipf's law). They add up to 1.
 */
export function shares(count: number): readonly number[] {
  const weights = Array.from({ length: count }, (_, at) => 1 / (at + 1));
  const sum = weights.reduce((all, weight) => all + weight, 0);
  return weights.map((weight) => weight / sum);
}

/** A random index, weighted by these shares. */
export function pickBy(random: () => number, of: readonly number[]): number {
  let left = random();
  for (const [at, share] of of.entries()) {
    left -= share;
    if (left < 0) return at;
  }
  return of.length - 1;
}

/** Different items, the popular ones more often. */
function pickSome<T>(random: () => number, from: readonly T[], count: number): readonly T[] {
  const by = shares(from.length);
  const picked = new Set<T>();
  for (let tries = 0; picked.size < count && tries < count * 4; tries += 1) {
    picked.add(from[pickBy(random, by)] as T);
  }
  return [...picked];
}

/** The people of an evening, most popular performers first. */
export interface EveningPeople {
  readonly performers: readonly Person[];
  /** Usernames of performers who go live: the others were live before. */
  readonly live: ReadonlySet<string>;
  readonly fans: readonly Person[];
}

/**
 * The state at the start of an evening: who follows and likes whom, what performers collect for, and when
 * offline performers were last live. The same people make the same evening.
 */
export async function seedEvening(
  { broadcast, messaging, browse, fanclubs, tips, shows }: Pick<
    Services,
    'broadcast' | 'messaging' | 'browse' | 'fanclubs' | 'tips' | 'shows'
  >,
  tx: Tx,
  { performers, live, fans }: EveningPeople,
): Promise<void> {
  for (const fan of fans) {
    const random = seededRandom(`fan ${fan.username}`);
    const follows = LEAST_FOLLOWS + Math.floor(random() * LEAST_FOLLOWS);
    for (const performer of pickSome(random, performers, follows)) {
      await messaging.follow(tx, fan.id, performer);
    }
    const likes = 1 + Math.floor(random() * MOST_LIKES);
    for (const performer of pickSome(random, performers, likes)) await browse.like(tx, fan.id, performer);
    for (const performer of pickSome(random, performers, likes)) {
      await shows.rate(tx, performer.id, fan.id, random() < LIKED ? 'RATE_UP' : 'RATE_DOWN');
    }
  }
  for (const { id, username } of performers) {
    const random = seededRandom(`past ${username}`);
    await seedClub(fanclubs, tx, id, username);
    for (const [title, target] of GOALS[username] ?? []) await tips.addGoal(tx, id, { title, target });
    if (live.has(username)) continue;
    // Squared, so that most of them were live lately.
    const endedAt = tx.now.getTime() - (random() ** 2 * PAST_HOURS * HOUR_MS) - MINUTE_MS;
    const tookMs = LEAST_SHOW_MS + random() * (MOST_SHOW_MS - LEAST_SHOW_MS);
    await broadcast.addPast(tx, id, new Date(endedAt - tookMs), new Date(endedAt));
  }
}

/** Opens the fan club of each performer who has one, and posts there, as the performer would. */
async function seedClub(
  fanclubs: Services['fanclubs'],
  tx: Tx,
  id: number,
  username: string,
): Promise<void> {
  const club = CLUBS[username];
  if (!club) return;
  const { description, prices: [supporter, insider, legend], perks: [first, second, third], posts } = club;
  await fanclubs.saveClub(tx, id, {
    enabled: true,
    description,
    prices: { supporter, insider, legend },
    perks: { supporter: [...first], insider: [...second], legend: [...third] },
  });
  for (const [audience, body] of posts) await fanclubs.publishPost(tx, id, { audience, body });
}
