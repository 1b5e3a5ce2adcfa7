import type { Blobs } from '#platform/data/blobs.ts';
import type { Tx } from '#platform/data/data.ts';
import { uuidV5 } from '#platform/data/ids.ts';
import type { OpenedData } from '#platform/data/open.ts';
import { DAY_MS } from '#platform/time/units.ts';
import type { RoleName } from '#product/accounts/rules.ts';
import type { Person } from '#product/accounts/server.ts';
import { INVENTED_DOMAIN } from '#product/notices/rules/email.ts';
import type { Services } from '#product/wiring.ts';
import { clearsBySeed } from '../people/identity.ts';
import { CAST, DEMO_LISTING_NAMES, EXTRAS, FANS, LIVE_CAST, type CastPerformer } from './cast.ts';
import { seedEvening } from './evening.ts';
import { portraitWebp, seededRandom } from './portraits.ts';

/** Everybody's password in the demo. It is printed at the start, so production refuses a demo database. */
export const DEMO_PASSWORD = 'velvet-lantern-42';
const DEMO_BIRTH_DATE = '1994-05-17';
/** Tokens of people who try the demo, and of the extras, who go on tipping for days. */
const VIEWER_TOKENS = 1_000;
const EXTRA_TOKENS = 20_000;
/** Performers joined within these days, more of them lately; those marked as new, within a week. */
const [JOINED_DAYS, NEW_WEEK_DAYS] = [900, 7];
/** Namespace of the grants' ids, so that a second start grants nothing. */
const GRANT_NAMESPACE = 'f1d3c2a8-5a34-4c0e-9f0b-6a3d8f5b2c11';

/** Accounts to try the demo with. */
export const DEMO_LOGINS = [
  { role: 'viewer', username: 'demo_viewer', password: DEMO_PASSWORD },
  { role: 'performer', username: 'demo_performer', password: DEMO_PASSWORD },
  { role: 'admin', username: 'demo_admin', password: DEMO_PASSWORD },
] as const;

export interface DemoDependencies {
  readonly data: OpenedData;
  readonly blobs: Blobs;
  readonly services: Services;
}

/** A live performer of the cast, with this start's stream key and the name of the loop to send. */
export interface LiveCast {
  readonly id: number;
  readonly username: string;
  readonly streamKey: string;
  readonly loop: string;
}

const DEMO_SCOPE = { operatorId: 1, siteId: 1 } as const;

/** The people in an evening of the demo. */
export interface DemoPeople {
  /** The performers who go live, most popular first. */
  readonly live: readonly LiveCast[];
  /** Ids of members who watch. */
  readonly fans: readonly number[];
}

/**
 * Fills an empty site with the demo's people, once. Stream keys are stored hashed, so each start makes new
 * ones.
 */
export async function seedDemo(deps: DemoDependencies): Promise<DemoPeople> {
  const { data, services } = deps;
  if (!(await services.site.holdsDemo())) await seedPeople(deps);
  return data.tx(DEMO_SCOPE, async (tx) => {
    const live: LiveCast[] = [];
    for (const [username, loop] of Object.entries(LIVE_CAST)) {
      const person = await services.accounts.findByUsername(tx, username);
      if (!person) throw new Error(`the demo lacks ${username}`);
      const streamKey = await services.broadcast.makeStreamKey(tx, person.id);
      live.push({ id: person.id, username, loop, streamKey });
    }
    const fans = await peopleOf(services, tx, FANS);
    return { live, fans: fans.map(({ id }) => id) };
  });
}

/** Those of these people who exist: a demo of an earlier version lacks some. */
async function peopleOf(
  { accounts }: Services,
  tx: Tx,
  usernames: readonly string[],
): Promise<readonly Person[]> {
  const people: Person[] = [];
  for (const username of usernames) {
    const person = await accounts.findByUsername(tx, username);
    if (person) people.push(person);
  }
  return people;
}

async function seedPeople(deps: DemoDependencies): Promise<void> {
  const { data, services } = deps;
  const passwordHash = await services.accounts.hashPassword(DEMO_PASSWORD);
  const make = (
    username: string,
    type: 'user' | 'model',
    more: { roles?: readonly RoleName[]; avatarUrl?: string; cast?: CastPerformer } = {},
  ): Promise<Person> =>
    services.accounts.create(DEMO_SCOPE, {
      username,
      type,
      passwordHash,
      email: `${username}@${INVENTED_DOMAIN}`,
      password: DEMO_PASSWORD,
      birthDate: DEMO_BIRTH_DATE,
      roles: more.roles ?? [],
      avatarUrl: more.avatarUrl ?? null,
      displayName: more.cast?.displayName ?? username,
      gender: more.cast?.gender ?? (type === 'model' ? 'f' : null),
      about: more.cast?.about ?? '',
      languages: more.cast?.languages ?? [],
      ...(more.cast ? { createdAt: joinedAt(more.cast, data.clock.now()) } : {}),
    });
  for (const member of CAST) await seedPerformer(deps, member, make);
  await seedPerformer(deps, {
    username: 'demo_performer',
    displayName: 'Demo Performer',
    gender: 'f',
    languages: ['en'],
    tags: ['new'],
    topic: 'Trying this out',
    about: 'This room is yours: log in and go live.',
  }, make);
  await make('demo_admin', 'user', { roles: ['admin', 'super_admin'] });
  const funded = [
    { person: await make('demo_viewer', 'user'), tokens: VIEWER_TOKENS },
  ];
  for (const fan of FANS) await make(fan, 'user');
  for (const extra of EXTRAS) funded.push({ person: await make(extra, 'user'), tokens: EXTRA_TOKENS });
  await data.tx(DEMO_SCOPE, async (tx) => {
    for (const { person, tokens } of funded) {
      await services.ledger.grant(tx, person.id, tokens, 'demo', uuidV5(GRANT_NAMESPACE, person.username));
    }
    // Tokens of a demo are all free, and nothing is paid out for them.
    const rules = await services.ledger.moneyRules(tx);
    await services.ledger.setMoneyRules(tx, { ...rules, performerCapCents: rules.marketingCapCents });
    const live = Object.keys(LIVE_CAST);
    const others = CAST.map(({ username }) => username).filter((username) => !live.includes(username));
    await seedEvening(services, tx, {
      performers: await peopleOf(services, tx, [...live, ...others]),
      live: new Set(live),
      fans: await peopleOf(services, tx, FANS),
    });
    // Settings for visitors of a demo; operators of real sites choose their own.
    await services.billing.configure(tx, {
      switches: { joinOffer: true, promos: true, vouchers: true },
    }, null);
    await services.site.nameListings(tx, DEMO_SCOPE.siteId, DEMO_LISTING_NAMES);
    // Allows standby on this machine.
    await services.site.configure(tx, { standby: { domains: ['localhost'], studios: [] } }, null);
    // Last: a start that failed before this seeds again, and finds the people created already.
    await services.site.markDemo(tx);
  });
}

type Make = (username: string, type: 'user' | 'model', more?: {
  roles?: readonly RoleName[];
  avatarUrl?: string;
  cast?: CastPerformer;
}) => Promise<Person>;

/** When a performer signed up: the same in every demo, relative to its start. */
function joinedAt({ username, tags }: CastPerformer, now: Date): Date {
  const days = tags.includes('new') ? NEW_WEEK_DAYS : JOINED_DAYS;
  return new Date(now.getTime() - seededRandom(`joined ${username}`)() ** 2 * days * DAY_MS);
}

/** Pictures on the page of each of the first performers. */
const PICTURES_EACH = 3;
const PICTURED = CAST.slice(0, 8).map(({ username }) => username);

async function seedPerformer(
  { data, blobs, services }: DemoDependencies,
  cast: CastPerformer,
  make: Make,
): Promise<void> {
  const { username, topic, tags, gender, listing, studio } = cast;
  const blobId = await blobs.put(await portraitWebp(username, gender));
  const known = await data.tx(DEMO_SCOPE, (tx) => services.accounts.findByUsername(tx, username));
  const { id } = known ??
    (await make(username, 'model', { cast, avatarUrl: `/portraits/${username}?v=${blobId.slice(0, 8)}` }));
  await data.tx(DEMO_SCOPE, async (tx) => {
    await clearsBySeed(services, tx, id, 'synthetic person of the demo');
    await services.broadcast.setPortrait(tx, id, blobId);
    await services.broadcast.setDetails(tx, id, topic, tags);
    if (studio !== undefined) await services.broadcast.setStudio(tx, { id, username }, studio, null);
    if (listing && !(await services.performers.saveListing(tx, id, listing))) {
      throw new Error(`the schedule of ${username} has no time zone`);
    }
  });
  if (!PICTURED.includes(username)) return;
  const pictures = await data.tx(DEMO_SCOPE, (tx) => services.performers.picturesOf(tx, id));
  for (let nth = pictures.length; nth < PICTURES_EACH; nth += 1) {
    await services.performers.addPicture(DEMO_SCOPE, id, await portraitWebp(username, gender, nth + 1));
  }
}
