import { updateProfile } from '#product/accounts/contract.ts';
import { endBroadcast, setDetails } from '#product/broadcast/contract.ts';
import { hidePerformer } from '#product/messaging/contract.ts';
import { saveListingProfile } from '#product/performers/contract.ts';
import { setSiteChatRules } from '#product/room-moderation/contract.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { multiFilter, suggest, type SuggestionView } from './contract/search.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite({ settings: { controlsToys: true } });
});
afterAll(() => site.close());

const guest = () => site.visitor({ ofAge: true });
const settled = async (): Promise<void> => {
  await site.settle();
  await site.services.browse.settled();
};
const suggested = async (who: Visitor, q: string): Promise<readonly SuggestionView[]> =>
  (await who.call(suggest, { q })).suggestions;
const textsOf = async (who: Visitor, q: string): Promise<readonly string[]> =>
  (await suggested(who, q)).map(({ kind, text, username }) => `${kind} ${username ?? text}`);
const found = async (who: Visitor, q: object): Promise<readonly string[]> =>
  (await who.call(multiFilter, q)).userList.map(({ username }) => username);

interface Shown {
  readonly username?: string;
  readonly gender?: 'f' | 'm' | 't' | 'c';
  readonly title?: string;
  readonly tags?: string[];
  readonly languages?: string[];
  readonly profile?: Parameters<typeof profileOf>[0];
}
const profileOf = (profile: {
  region?: 'europe' | 'asia' | 'usa' | 'africa';
  private_price?: number;
  control_rate?: number;
}) => profile;

/** A live performer as listings know them. */
async function live(
  { username, gender = 'f', title, tags = [], languages, profile }: Shown,
): Promise<Member> {
  const performer = await site.performer({ gender, ...(username ? { username } : {}) });
  if (title !== undefined || tags.length > 0) await performer.call(setDetails, { title: title ?? '', tags });
  if (languages) await performer.call(updateProfile, { languages });
  if (profile) await performer.call(saveListingProfile, profile);
  await performer.goesLive();
  // Nobody else signs up at the same moment, so that orders by time are exact.
  await site.passes(1_000);
  return performer;
}

describe('suggestions', () => {
  it('are there for guests: performers live first, tags with counts, topics [C-003]', async () => {
    const [first, second] = [
      await live({ username: 'marigold_sun', tags: ['marigolds'] }),
      await live({ username: 'rosa_bush', title: 'Marigolds and roses' }),
    ];
    const away = await site.performer({ username: 'marigold_aaa' });
    await settled();
    const who = await guest();
    const all = await suggested(who, 'marigold');
    const shown = all.map(({ kind, text, username, isLive, path }) => ({
      kind,
      text,
      username,
      isLive,
      path,
    }));
    expect(shown).toEqual([
      {
        kind: 'performer',
        text: first.person.displayName,
        username: first.username,
        isLive: true,
        path: '/marigold_sun',
      },
      {
        kind: 'performer',
        text: away.person.displayName,
        username: away.username,
        isLive: false,
        path: '/marigold_aaa',
      },
      { kind: 'tag', text: 'marigolds', username: null, isLive: true, path: '/multi-filter?tag=marigolds' },
      {
        kind: 'topic',
        text: 'Marigolds and roses',
        username: second.username,
        isLive: true,
        path: '/rosa_bush',
      },
    ]);
    expect(all.find(({ kind }) => kind === 'tag')?.count).toBe(1);
    expect(await found(who, { q: 'marigold' })).toEqual(
      expect.arrayContaining([first.username, second.username, away.username]),
    );
  });

  it('forgive typing errors, case, accents and digits for letters', async () => {
    const performer = await live({ username: 'zephyrine' });
    await performer.call(updateProfile, { display_name: 'Zoé L1sabeth' });
    await settled();
    const who = await guest();
    for (const q of ['zeph', 'ZEPHYRINE', 'zehpyrine', 'zephrine', 'zoe', 'ZOÉ', 'lisabeth', 'l1sab']) {
      expect(await textsOf(who, q), q).toContain('performer zephyrine');
    }
    expect(await textsOf(who, 'zephqqqq')).not.toContain('performer zephyrine');
  });

  it('follow what changes, and are at most ten', async () => {
    const performer = await live({ username: 'wandering_one', tags: ['quokkas'] });
    await settled();
    const who = await guest();
    expect(await textsOf(who, 'quokka')).toEqual(['tag quokkas']);
    await performer.call(setDetails, { title: 'now otters', tags: ['otters'] });
    await settled();
    expect(await textsOf(who, 'quokka')).toEqual([]);
    expect(await textsOf(who, 'otter')).toEqual(['tag otters', 'topic wandering_one']);
    await performer.call(endBroadcast, {});
    await settled();
    expect(await textsOf(who, 'otter')).toEqual([]);
    expect((await suggested(who, 'wandering')).map(({ isLive }) => isLive)).toEqual([false]);
    for (let at = 0; at < 11; at += 1) await site.performer({ username: `manyof_${at}` });
    await settled();
    expect(await suggested(who, 'manyof')).toHaveLength(10);
  });

  it('and results never have whom a viewer may not see: blocked, hidden, not cleared', async () => {
    const shared = { tags: ['secretive'], title: 'secretive evening', profile: { private_price: 30 } };
    const blocking = await live({ ...shared, username: 'secretive_blocks' });
    const hiddenOne = await live({ ...shared, username: 'secretive_hidden' });
    const open = await live({ ...shared, username: 'secretive_open' });
    await site.performer({ username: 'secretive_uncleared', cleared: false });
    await site.tx((tx) => site.services.compliance.blockRegions(tx, blocking.id, ['NL']));
    await settled();
    const dutch = await site.visitor({ region: 'NL', ofAge: true });
    const viewer = await site.viewer();
    await viewer.call(hidePerformer, { username: hiddenOne.username });
    await settled();
    const shownTo = async (who: Visitor): Promise<readonly string[]> =>
      (await textsOf(who, 'secretive')).toSorted();
    expect(await shownTo(dutch)).toEqual(
      ['performer secretive_hidden', 'performer secretive_open', 'tag secretive'],
    );
    expect(await shownTo(viewer)).toEqual(
      ['performer secretive_blocks', 'performer secretive_open', 'tag secretive'],
    );
    for (const who of [dutch, viewer]) {
      expect((await suggested(who, 'secretive')).find(({ kind }) => kind === 'tag')?.count).toBe(2);
    }
    await viewer.call(hidePerformer, { username: blocking.username });
    await settled();
    for (const query of [{ q: 'secretive' }, { tag: 'secretive' }]) {
      const { userList, totalCount, counts } = await viewer.call(multiFilter, query);
      expect(userList.map(({ username }) => username)).toEqual([open.username]);
      expect([totalCount, counts.tag['secretive'], counts.privateRate['19-60']]).toEqual([1, 1, 1]);
    }
    const elsewhere = await guest();
    expect((await elsewhere.call(multiFilter, { tag: 'secretive' })).totalCount).toBe(3);
    expect(await textsOf(elsewhere, 'secretive')).not.toContain('performer secretive_uncleared');
  });

  it('neither match nor show words that the operator blocked', async () => {
    const performer = await live({
      username: 'plain_person',
      tags: ['forbiddenword'],
      title: 'forbiddenword x',
    });
    await settled();
    const who = await guest();
    expect(await textsOf(who, 'forbiddenw')).not.toEqual([]);
    const admin = await site.admin();
    await admin.call(setSiteChatRules, { blocked_words: ['forbiddenword'] });
    await site.passes(5_000);
    for (const q of ['forbiddenword', 'forbiddenw', 'f0rbiddenword', 'forbidenword']) {
      expect([await textsOf(who, q), await found(who, { q })], q).toEqual([[], []]);
    }
    const { totalCount, counts } = await who.call(multiFilter, { tag: 'forbiddenword' });
    expect([totalCount, counts.tag['forbiddenword']]).toEqual([0, undefined]);
    expect(await found(who, { q: 'plain_person' })).toEqual([performer.username]);
    await admin.call(setSiteChatRules, { blocked_words: [] });
    await site.passes(5_000);
  });
});

describe('the advanced search', () => {
  let all: Record<'anna' | 'bea' | 'carl' | 'duo', Member>;
  let who: Visitor;
  beforeAll(async () => {
    const tags = ['multi'];
    all = {
      anna: await live({
        username: 'mf_anna',
        tags: ['multi', 'dance'],
        languages: ['de', 'en'],
        title: 'slow jazz',
        profile: { region: 'europe', private_price: 12, control_rate: 30 },
      }),
      bea: await live({
        username: 'mf_bea',
        tags: ['multi', 'music'],
        languages: ['en'],
        title: 'fast jazz',
        profile: { region: 'asia', private_price: 60 },
      }),
      carl: await live({
        username: 'mf_carl',
        gender: 'm',
        tags,
        languages: ['es'],
        profile: { region: 'europe', private_price: 90, control_rate: 6 },
      }),
      duo: await live({ username: 'mf_duo', gender: 'c', tags: ['multi', 'dance'], languages: ['de'] }),
    };
    await settled();
    who = await guest();
  });

  it('takes lang, source, tag, rate, region, chRate, p, perPage and newSort [C-254, C-092]', async () => {
    const names = async (input: object): Promise<readonly string[]> =>
      (await found(who, { q: 'mf', ...input })).toSorted();
    const { anna, bea, carl, duo } = all;
    expect(await names({})).toEqual([anna, bea, carl, duo].map(({ username }) => username));
    expect(await names({ lang: 'de' })).toEqual(['mf_anna', 'mf_duo']);
    expect(await names({ lang: 'german,spanish' })).toEqual(['mf_anna', 'mf_carl', 'mf_duo']);
    expect(await names({ source: 'men' })).toEqual(['mf_carl']);
    expect(await names({ source: 'girls,couples' })).toEqual(['mf_anna', 'mf_bea', 'mf_duo']);
    expect(await names({ tag: 'dance' })).toEqual(['mf_anna', 'mf_duo']);
    expect(await names({ tag: 'dance,music' })).toEqual(['mf_anna', 'mf_bea', 'mf_duo']);
    expect(await names({ rate: '12-60' })).toEqual(['mf_anna', 'mf_bea']);
    expect(await names({ rate: '13-59' })).toEqual([]);
    expect(await names({ region: 'europe' })).toEqual(['mf_anna', 'mf_carl']);
    expect(await names({ chRate: '1-18' })).toEqual(['mf_carl']);
    expect(await names({ tag: 'dance', lang: 'en', region: 'europe' })).toEqual(['mf_anna']);
    expect(await found(who, { tag: 'multi', rate: '1-999', newSort: 'cheapest' }))
      .toEqual(['mf_anna', 'mf_bea', 'mf_carl']);
    const newest = await found(who, { tag: 'multi', newSort: 'newest' });
    expect(newest).toEqual(['mf_duo', 'mf_carl', 'mf_bea', 'mf_anna']);
    const second = await who.call(multiFilter, { tag: 'multi', newSort: 'newest', perPage: 3, p: 2 });
    const { page, perPageCount, totalCount } = second;
    expect([second.userList.map(({ username }) => username), page, perPageCount, totalCount])
      .toEqual([['mf_anna'], 2, 3, 4]);
  });

  it('drops empty values, and takes them as absent [C-213]', async () => {
    const empty = {
      lang: '',
      source: '',
      tag: '',
      rate: '',
      region: '',
      chRate: '',
      newSort: '',
      q: 'mf',
    };
    expect(await found(who, empty)).toEqual(await found(who, { q: 'mf' }));
  });

  it('counts by category, each without its own filter [C-091]', async () => {
    const { counts, withoutFilter, totalCount } = await who.call(multiFilter, {
      q: 'mf',
      tag: 'dance',
      region: 'europe',
    });
    expect(totalCount).toBe(1);
    expect(counts).toEqual({
      controlHerRate: { '19-60': 1 },
      gender: { girls: 1 },
      language: { de: 1, en: 1 },
      location: { europe: 1 },
      privateRate: { '1-18': 1 },
      tag: { dance: 1, multi: 2 },
    });
    expect(withoutFilter).toEqual({ location: 2, tag: 2 });
    const one = await who.call(multiFilter, { q: 'mf', source: 'men' });
    expect(one.counts.gender).toEqual({ girls: 2, couples: 1, men: 1 });
    expect(one.counts.language).toEqual({ es: 1 });
  });

  it('excludes words after a minus, and finds names, topics and tags', async () => {
    expect((await found(who, { q: 'jazz' })).toSorted()).toEqual(['mf_anna', 'mf_bea']);
    expect(await found(who, { q: 'jazz -slow' })).toEqual(['mf_bea']);
    expect(await found(who, { q: 'jazz -dance' })).toEqual(['mf_bea']);
    expect(await found(who, { q: 'jazz slow music' })).toEqual([]);
    const none = await who.call(multiFilter, { q: 'jazz slow music' });
    expect(none.isSearchEmpty).toBe(true);
    expect(none.alternativeUserList.length).toBeGreaterThan(0);
  });

  it('answers 60 a page unless it is asked for another number [C-398]', async () => {
    for (let at = 0; at < 61; at += 1) await site.performer({ username: `sixty_${at}` });
    await settled();
    const first = await who.call(multiFilter, { q: 'sixty' });
    expect([first.userList.length, first.perPageCount, first.totalCount]).toEqual([60, 60, 61]);
    expect((await who.call(multiFilter, { q: 'sixty', perPage: 30, p: 3 })).userList).toHaveLength(1);
  });
});
