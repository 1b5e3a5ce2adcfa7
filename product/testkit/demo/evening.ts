import type { Tx } from '#platform/data/data.ts';
import { HOUR_MS, MINUTE_MS } from '#platform/time/units.ts';
import type { Person } from '#product/accounts/server.ts';
import type { Services } from '#product/wiring.ts';
import { CLUBS, GOALS } from './cast.ts';
import { seededRandom } from './portraits.ts';

/** Performers each fan follows, and as many again at most. */
const LEAST_FOLLOWS = 4;
/** Performers each fan has liked today, at most. */
const MOST_LIKES = 9;
/** Share of their votes on performers that are good ones. */
const LIKED = 0.86;
/** Who is not live was so at some time of these days. */
const PAST_HOURS = 9 * 24;
/** How long such a show took. */
const [LEAST_SHOW_MS, MOST_SHOW_MS] = [40 * MINUTE_MS, 5 * HOUR_MS];

/**
 * Shares of viewers, by popularity: the most popular has twice what the second has, three times the third's
 * (Zipf's law). They add up to 1.
 */
export function shares(count: number): readonly number[] {
  const weights = Array.from({ length: count }, (_, at) => 1 / (at + 1));
  const sum = weights.reduce((all, weight) => all + weight, 0);
  return weights.map((weight) => weight / sum);
}

/** An index, each as often as its share says. */
export function pickBy(random: () => number, of: readonly number[]): number {
  let left = random();
  for (const [at, share] of of.entries()) {
    left -= share;
    if (left < 0) return at;
  }
  return of.length - 1;
}

/** Different ones, the popular ones more often. */
function pickSome<T>(random: () => number, from: readonly T[], count: number): readonly T[] {
  const by = shares(from.length);
  const picked = new Set<T>();
  for (let tries = 0; picked.size < count && tries < count * 4; tries += 1) {
    picked.add(from[pickBy(random, by)] as T);
  }
  return [...picked];
}

/** The people of an evening, the popular performers first. */
export interface EveningPeople {
  readonly performers: readonly Person[];
  /** Who of them goes live: the others have done so before. */
  readonly live: ReadonlySet<string>;
  readonly fans: readonly Person[];
}

/**
 * What an evening finds when it begins: who follows and likes whom, what performers collect for, and when
 * those who are away were live. The same people make the same evening.
 */
export async function seedEvening(
  { broadcast, messaging, browse, fanclubs, tips, shows }: Pick<
    Services, 'broadcast' | 'messaging' | 'browse' | 'fanclubs' | 'tips' | 'shows'
  >,
  tx: Tx, { performers, live, fans }: EveningPeople,
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
    // Squared: most of them lately.
    const endedAt = tx.now.getTime() - (random() ** 2 * PAST_HOURS * HOUR_MS) - MINUTE_MS;
    const tookMs = LEAST_SHOW_MS + random() * (MOST_SHOW_MS - LEAST_SHOW_MS);
    await broadcast.addPast(tx, id, new Date(endedAt - tookMs), new Date(endedAt));
  }
}

/** Opens the fan club of whoever has one, and posts there, as its performer would. */
async function seedClub(
  fanclubs: Services['fanclubs'], tx: Tx, id: number, username: string,
): Promise<void> {
  const club = CLUBS[username];
  if (!club) return;
  const { description, prices: [supporter, insider, legend], perks: [first, second, third], posts } = club;
  await fanclubs.saveClub(tx, id, {
    enabled: true, description, prices: { supporter, insider, legend },
    perks: { supporter: [...first], insider: [...second], legend: [...third] },
  });
  for (const [audience, body] of posts) await fanclubs.publishPost(tx, id, { audience, body });
}
