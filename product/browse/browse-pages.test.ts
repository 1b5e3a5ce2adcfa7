import { setDetails } from '#product/broadcast/contract.ts';
import { setStudio } from '#product/broadcast/contract/settings.ts';
import { saveListingProfile } from '#product/performers/contract.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { crowdOf, type CrowdPerformer } from '#product/testkit/store/live-crowd.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browseLive, browseMore, type BrowseDataView } from './contract.ts';

let site: TestSite;
let guest: Visitor;
/** 120 girls, and two of every other gender; all live. */
const crowd: Partial<Record<string, readonly CrowdPerformer[]>> = {};

beforeAll(async () => {
  site = await createSite();
  for (const gender of ['m', 't', 'c', 'f'] as const) {
    crowd[gender] = await crowdOf(site, gender === 'f' ? 120 : 2, { gender, prefix: `${gender}crowd` });
  }
  guest = await site.visitor({ ofAge: true });
});
afterAll(() => site.close());

const namesOf = ({ userList }: BrowseDataView): string[] => userList.map(({ username }) => username);
const crowdNames = (...genders: string[]): string[] =>
  genders.flatMap((gender) => crowd[gender] ?? []).map(({ username }) => username).toSorted();
/** Reads over HTTP, spelling the address as a browser does. */
async function read(path: string): Promise<BrowseDataView> {
  const { statusCode, body } = await guest.request({ method: 'GET', url: `/api/v1${path}` });
  expect(statusCode, body).toBe(200);
  return JSON.parse(body) as BrowseDataView;
}

describe('pages', () => {
  it('of a listing have 98 performers', async () => {
    for (const path of ['', 'girls', 'girls/new']) {
      const first = await read(`/browse/react/${path}`);
      expect(first.userList).toHaveLength(98);
      expect(first.perPageCount).toBe(98);
      const second = await read(`/browse/react/${path}?p=2`);
      expect(second.userList).toHaveLength(first.totalCount - 98);
      expect(new Set([...namesOf(first), ...namesOf(second)]).size).toBe(first.totalCount);
      expect(second).toMatchObject({ page: 2, totalCount: first.totalCount });
    }
    expect((await guest.refused(browseLive, { path: '', perPage: 99 })).errorType).toBe('invalid_input');
  });

  it('of the top have 20 performers [C-393]', async () => {
    const first = await read('/browse/react/top');
    expect(first.userList).toHaveLength(20);
    expect(first).toMatchObject({ perPageCount: 20, totalCount: 122 });
    const second = await read('/browse/react/top?p=2');
    expect(second.userList).toHaveLength(20);
    expect(new Set([...namesOf(first), ...namesOf(second)]).size).toBe(40);
    expect((await read('/browse/react/top?perPage=98')).userList).toHaveLength(20);
    expect((await read('/browse/react/v2/top')).userList).toHaveLength(20);
  });

  it('of v2 have 40 performers [C-395]', async () => {
    for (const path of ['', 'girls', 'girls/new']) {
      const first = await read(`/browse/react/v2/${path}`);
      expect(first.userList).toHaveLength(40);
      expect(first.perPageCount).toBe(40);
      const second = await read(`/browse/react/v2/${path}?p=2`);
      expect(new Set([...namesOf(first), ...namesOf(second)]).size).toBe(80);
    }
  });

  it('of v2 take the path, the page, its size and the hidden genders [C-249]', async () => {
    const all = await read('/browse/react/v2/girls?perPage=98');
    expect(all).toMatchObject({ totalCount: 120, perPageCount: 98, page: 1, kind: 'gender' });
    const pages = await Promise.all(
      [1, 2, 3, 4].map((p) => read(`/browse/react/v2/girls?p=${p}&perPage=30`)),
    );
    expect(pages.map(({ page, perPageCount }) => [page, perPageCount]))
      .toEqual([[1, 30], [2, 30], [3, 30], [4, 30]]);
    expect(pages.flatMap(namesOf).slice(0, 98)).toEqual(namesOf(all));
    expect(pages.flatMap(namesOf).toSorted()).toEqual(crowdNames('f'));
    expect((await read('/browse/react/v2/girls?p=5&perPage=30')).userList).toEqual([]);
    const hidden = await read('/browse/react/v2/?gender-hide=f,c');
    expect(namesOf(hidden).toSorted()).toEqual(crowdNames('m', 't'));
    expect(hidden).toMatchObject({ totalCount: 4, kind: 'home' });
    expect(namesOf(await read('/browse/react/v2/couples')).toSorted()).toEqual(crowdNames('c'));
    for (const wrong of [{ p: 0 }, { perPage: 0 }, { perPage: 99 }, { p: 1_001 }]) {
      expect((await guest.refused(browseMore, { path: 'girls', ...wrong })).errorType).toBe('invalid_input');
    }
    expect((await guest.refused(browseMore, { path: 'boys' })).errorType).toBe('listing_unknown');
    // The other call answers with the same browse data.
    const same = await read('/browse/react/girls?perPage=40');
    const { userList, ...rest } = await read('/browse/react/v2/girls');
    expect({ userList, ...rest }).toEqual(same);
  });

  it('go on after what was shown already: 40, and 60 more each time', async () => {
    const all = namesOf(await read('/browse/react/girls'));
    const first = namesOf(await read('/browse/react/v2/girls'));
    const next = namesOf(await read('/browse/react/v2/girls?from=40&perPage=60'));
    expect(next).toHaveLength(60);
    expect([...first, ...next].slice(0, 98)).toEqual(all);
    expect(namesOf(await read('/browse/react/v2/girls?from=100&perPage=60'))).toHaveLength(20);
  });
});

/** Pages for one tag each, besides Casa Salsa. */
const ODD = ['julmodels', 'games', 'esports', 'wifeaway', 'irishcurse', 'dickometrics'];

describe('genders', () => {
  it('have the codes f, m, t and c, for female, male, trans and couples [C-411]', async () => {
    for (const [code, slug] of [['f', 'girls'], ['m', 'men'], ['t', 'trans'], ['c', 'couples']] as const) {
      const { userList } = await read(`/browse/react/${slug}?perPage=98`);
      expect(new Set(userList.map(({ gender }) => gender))).toEqual(new Set([code]));
      const others = ['f', 'm', 't', 'c'].filter((text) => text !== code);
      const alone = await read(`/browse/react/?gender-hide=${others.join(',')}`);
      expect(alone.totalCount).toBe(code === 'f' ? 120 : 2);
      expect(alone.userList.every(({ gender }) => gender === code)).toBe(true);
    }
  });

  it('f, m and t are hidden from /couples, c, f and t from /men [C-412, C-413]', async () => {
    const couples = await read('/browse/react/couples');
    expect(namesOf(couples).toSorted()).toEqual(crowdNames('c'));
    expect(couples.totalCount).toBe(2);
    const men = await read('/browse/react/men');
    expect(namesOf(men).toSorted()).toEqual(crowdNames('m'));
    expect(men.totalCount).toBe(2);
    for (const [slug, gender] of [['couples', 'c'], ['men', 'm'], ['trans', 't']] as const) {
      const { alternativeUserList: others } = await read(`/browse/react/${slug}?tag=nobody-has-this`);
      expect(others.map((item) => item.gender), slug).toEqual([gender, gender]);
    }
  });

  it('c, f and m are hidden from /trans, m and t from every other path [C-414, C-415]', async () => {
    const trans = await read('/browse/react/trans');
    expect(namesOf(trans).toSorted()).toEqual(crowdNames('t'));
    expect(trans.totalCount).toBe(2);
    const { alternativeUserList: others } = await read('/browse/react/trans?tag=nobody-has-this');
    expect(others.map(({ gender }) => gender)).toEqual(['t', 't']);
    for (const path of ['', 'top', 'girls/leaders', 'girls/new', 'girls']) {
      const { userList, totalCount } = await read(`/browse/react/${path}`);
      expect(userList.some(({ gender }) => gender === 'm' || gender === 't'), path).toBe(false);
      expect(totalCount, path).toBe(path.startsWith('girls') ? 120 : 122);
    }
    const admin = await site.admin();
    for (const gender of ['f', 'm', 't'] as const) {
      const one = await site.memberOf(`${gender}crowd1`);
      await one.call(saveListingProfile, { voyeur_room: 'kitchen', is_independent: true, country: 'RO' });
      await one.call(setDetails, { title: '', tags: ['casa-salsa', ...ODD] });
      await admin.call(setStudio, { username: `${gender}crowd1`, studio: 'northlight' });
    }
    await site.settle();
    for (const path of [
      'voyeur-cams',
      'voyeur-cams/kitchen',
      'reallifecam',
      'voyeur-house',
      'casa-salsa',
      ...ODD,
      'browse-role/independent',
      'browse-role/voyeur',
      'browse-studio/northlight',
      'independent-romanian',
    ]) expect(namesOf(await read(`/browse/react/${path}`)), path).toEqual(['fcrowd1']);
    for (const room of ['bedroom', 'shower'] as const) {
      for (const gender of ['f', 'm', 't']) {
        await (await site.memberOf(`${gender}crowd1`)).call(saveListingProfile, { voyeur_room: room });
      }
      await site.settle();
      expect(namesOf(await read(`/browse/react/voyeur-cams/${room}`)), room).toEqual(['fcrowd1']);
    }
    // Offline performers too, in listings that have them.
    for (const gender of ['m', 't'] as const) await site.performer({ gender });
    await site.settle();
    const models = [
      await read('/browse/react/models?perPage=98'),
      await read('/browse/react/models?perPage=98&p=2'),
    ];
    expect(models.map(({ totalCount, userList }) => [totalCount, userList.length]))
      .toEqual([[122, 98], [122, 24]]);
    for (const { userList } of models) {
      expect(userList.filter(({ gender }) => gender === 'm' || gender === 't')).toEqual([]);
    }
    // Equals are in order of arrival: without hiding, earlier performers of those genders would be offered.
    const { userList, alternativeUserList } = await read('/browse/react/jb-cams');
    expect([userList, alternativeUserList.length]).toEqual([[], 12]);
    expect(alternativeUserList.some(({ gender }) => gender === 'm' || gender === 't')).toBe(false);
  });
});

it('logs no errors', () => expect(site.log).toEqual([]));
