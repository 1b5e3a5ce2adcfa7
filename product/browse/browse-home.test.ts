import { updateProfile } from '#product/accounts/contract.ts';
import { updateSettings } from '#product/accounts/contract/settings.ts';
import { endBroadcast, setDetails } from '#product/broadcast/contract.ts';
import { decideClearance } from '#product/compliance/contract.ts';
import { follow, hidePerformer } from '#product/messaging/contract.ts';
import { saveListingProfile } from '#product/performers/contract.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { getHome, homeCustom, homeSections, saveHome, type HomeDataView } from './contract/home.ts';

let site: TestSite;
beforeEach(async () => {
  site = await createSite();
});
afterEach(() => site.close());

/** Rows of a home page: section, value, names, count and link. */
const rowsIn = ({ sections }: HomeDataView) =>
  sections.map(({ id, value, userList, totalCount, seeMore }) => ({
    id,
    value,
    names: userList.map(({ username }) => username),
    totalCount,
    seeMore,
  }));
const rowsOf = async (who: Visitor, id: string, hide?: string) =>
  rowsIn(await who.call(homeSections, hide === undefined ? {} : { 'gender-hide': hide }))
    .filter((row) => row.id === id);
const speaks = async (performer: Member, language: string): Promise<void> => {
  await performer.call(updateProfile, { languages: [language] });
  await site.settle();
};

it('answers the sections of the site without the genders that a visitor hides [C-251, C-415]', async () => {
  const women: Member[] = [];
  while (women.length < 5) women.push(await site.performer({ live: true }));
  const man = await site.performer({ live: true, gender: 'm' });
  const [woman] = women as [Member];
  await woman.call(setDetails, { title: 'Evening', tags: ['music'] });
  await woman.call(saveListingProfile, { country: 'RO' });
  await speaks(woman, 'de');
  await man.call(saveListingProfile, { region: 'africa' });
  await site.settle();
  const guest = await site.visitor({ ofAge: true });
  const answer = async (query: string) => {
    const { statusCode, body } = await guest.request({
      method: 'GET',
      url: `/api/v1/browse/react/home/section${query}`,
    });
    expect(statusCode).toBe(200);
    const { sections, featured, ...rest } = JSON.parse(body) as HomeDataView;
    const rows = sections.map(({ userList, ...row }) => ({
      ...row,
      names: userList.map(({ username }) => username).toSorted(),
    }));
    return { rows, featured: featured?.username, ...rest };
  };
  const namesOf = (...people: readonly Member[]) => people.map(({ username }) => username).toSorted();
  const [all, one] = [namesOf(...women), namesOf(woman)];
  const usual = await answer('');
  expect(usual).toMatchObject({ layout: 'classic', seo: { h1: 'Live now' } });
  expect(all).toContain(usual.featured);
  const about = [
    { id: 'language', value: 'de', title: 'Language: German', names: one, totalCount: 1, seeMore: null },
    { id: 'tags', value: 'music', title: 'Tags: music', names: one, totalCount: 1, seeMore: null },
  ];
  const romania = {
    id: 'country',
    value: 'RO',
    title: 'Country: Romania',
    names: one,
    totalCount: 1,
    seeMore: null,
  };
  const fresh = { id: 'new_and_trending', value: null, title: 'New and trending' };
  expect(usual.rows)
    .toEqual([{ ...fresh, names: all, totalCount: 5, seeMore: '/girls/new' }, ...about, romania]);
  const his = namesOf(man);
  const africa = {
    id: 'continent',
    value: 'africa',
    title: 'Continent: Africa',
    names: his,
    totalCount: 1,
    seeMore: null,
  };
  expect(await answer('?gender-hide=f')).toMatchObject({
    featured: man.username,
    rows: [{ ...fresh, names: his, totalCount: 1, seeMore: null }, africa],
  });
  // Five others are enough for a row without the featured one.
  const five = await answer('?gender-hide=c,t');
  const others = namesOf(...women, man).filter((name) => name !== five.featured);
  // The other rows have nobody left who does not stand above them.
  expect(five.rows).toEqual([{ ...fresh, names: others, totalCount: 6, seeMore: '/girls/new' }]);
  const gone = women.at(-1) as Member;
  await gone.call(endBroadcast, {});
  await site.settle();
  const left = namesOf(...women, man).filter((name) => name !== gone.username);
  expect((await answer('?gender-hide=c,t')).rows).toEqual([
    { ...fresh, names: left, totalCount: 5, seeMore: '/girls/new' },
    ...about,
    africa,
    romania,
  ]);
  expect(await answer('?gender-hide=f,m')).toMatchObject({ featured: undefined, rows: [] });
});

it('answers the sections a member saved, in their order, without hidden genders [C-250]', async () => {
  const [woman, man] = [
    await site.performer({ live: true }),
    await site.performer({ live: true, gender: 'm' }),
  ];
  for (const one of [woman, man]) {
    await one.call(saveListingProfile, { region: 'europe', voyeur_room: 'kitchen' });
  }
  await site.settle();
  const viewer = await site.viewer();
  await viewer.call(saveHome, { sectionList: ['voyeur_cams', 'continent'] });
  const rows = async (query: string) => {
    const { statusCode, body } = await viewer.request({
      method: 'GET',
      url: `/api/v1/browse/react/home/custom${query}`,
    });
    expect(statusCode).toBe(200);
    return rowsIn(JSON.parse(body) as HomeDataView).map(({ id, names }) => [id, ...names]);
  };
  expect((await viewer.call(homeCustom, {})).layout).toBe('classic');
  expect(await rows('')).toEqual([['voyeur_cams', woman.username], ['continent', woman.username]]);
  expect(await rows('?gender-hide=f')).toEqual([['voyeur_cams', man.username], ['continent', man.username]]);
  expect(await rows('?gender-hide=f,m')).toEqual([]);
});

it('saves sections in their order, each once, and the layout apart; for members alone [B-289]', async () => {
  const [viewer, other] = [await site.viewer(), await site.viewer()];
  const homeOf = async (who: Visitor) => {
    const { layout, sectionList } = await who.call(getHome, {});
    return { layout, sectionList };
  };
  const usual = await homeOf(other);
  expect(usual.sectionList).toHaveLength(12);
  expect(await viewer.call(saveHome, { sectionList: ['country', 'tags', 'country'] })).toEqual({
    status: 1,
    message: 'Preference updated.',
    layout: 'classic',
    sectionList: ['country', 'tags'],
  });
  await viewer.call(saveHome, { layout: 'custom' });
  expect(await homeOf(viewer)).toEqual({ layout: 'custom', sectionList: ['country', 'tags'] });
  expect(await homeOf(await site.anotherTabOf(viewer))).toEqual(await homeOf(viewer));
  await viewer.call(saveHome, { sectionList: [] });
  expect(await homeOf(viewer)).toEqual({ layout: 'custom', sectionList: [] });
  expect(await homeOf(other)).toEqual(usual);
  const guest = await site.visitor({ ofAge: true });
  expect((await guest.refused(saveHome, { sectionList: ['tags'] })).status).toBe(401);
  for (const wrong of [{ sectionList: ['secrets'] }, { layout: 'grid' }, { sectionList: 'tags' }]) {
    expect((await viewer.refused(saveHome, wrong)).status).toBe(422);
  }
});

it('takes the layout of a guest from the cookie, and that of a member from what was saved', async () => {
  const layoutOf = async (who: Visitor) => (await who.call(getHome, {})).layout;
  const [guest, viewer] = [await site.visitor({ ofAge: true }), await site.viewer()];
  for (const who of [guest, viewer]) who.setCookie('home_layout', 'section');
  expect([await layoutOf(guest), await layoutOf(viewer)]).toEqual(['section', 'section']);
  await viewer.call(saveHome, { layout: 'custom' });
  expect(await layoutOf(viewer)).toBe('custom');
  guest.setCookie('home_layout', 'nonsense');
  expect(await layoutOf(guest)).toBe('classic');
});

it('counts and shows only performers a viewer may perceive and does not hide', async () => {
  const admin = await site.admin();
  const performers: Member[] = [];
  for (let count = 0; count < 5; count += 1) {
    const performer = await site.performer({ live: true });
    await speaks(performer, 'de');
    performers.push(performer);
  }
  const [first, second, third] = performers as [Member, Member, Member];
  const [guest, viewer] = [await site.visitor({ ofAge: true }), await site.viewer()];
  const german = async (who: Visitor) => (await rowsOf(who, 'language'))[0];
  expect(await german(guest))
    .toMatchObject({ value: 'de', totalCount: 5, seeMore: '/girls/language/german' });
  await viewer.call(hidePerformer, { username: first.username });
  await site.settle();
  expect(await german(viewer)).toMatchObject({ totalCount: 4, seeMore: null });
  expect((await german(viewer))?.names).not.toContain(first.username);
  expect(await german(guest)).toMatchObject({ totalCount: 5 });
  await site.tx((tx) => site.services.compliance.blockRegions(tx, second.id, ['NL']));
  await site.settle();
  const inBlocked = await site.visitor({ ofAge: true, region: 'NL' });
  expect((await german(inBlocked))?.names).not.toContain(second.username);
  expect(await german(inBlocked)).toMatchObject({ totalCount: 4, seeMore: null });
  await admin.call(decideClearance, {
    username: third.username,
    decision: 'revoke',
    reason: 'the papers ran out',
  });
  await site.settle();
  expect((await german(guest))?.names).not.toContain(third.username);
  const closed = await site.visitor();
  expect(await closed.call(getHome, {})).toMatchObject({ featured: null, section: null });
  expect(rowsIn(await closed.call(homeSections, {}))).toEqual([]);
});

it('shows whom a member follows, while they are online', async () => {
  const [online, away] = [await site.performer({ live: true }), await site.performer()];
  const [viewer, other] = [await site.viewer(), await site.viewer()];
  for (const { username } of [online, away]) await viewer.call(follow, { username });
  await site.settle();
  expect(await rowsOf(viewer, 'favorites_and_history'))
    .toMatchObject([{ names: [online.username], totalCount: 1, seeMore: null }]);
  expect(await rowsOf(other, 'favorites_and_history')).toEqual([]);
});

it('titles rows in the language of the request', async () => {
  const performer = await site.performer({ live: true });
  await performer.call(setDetails, { title: 'Music', tags: ['acoustic-guitar'] });
  await performer.call(saveListingProfile, {
    country: 'RO',
    region: 'eastern-europe',
    ethnicity: 'latin',
    age_range: '23-29',
  });
  await speaks(performer, 'de');
  const titles = async (language: string): Promise<string[]> => {
    const guest = await site.visitor({ ofAge: true, language });
    return (await guest.call(homeSections, {})).sections.map(({ title }) => title);
  };
  expect(await titles('en')).toEqual([
    'New and trending',
    'Language: German',
    'Tags: acoustic guitar',
    'Age range: 23–29',
    'Ethnicity: Latin',
    'Continent: Eastern Europe',
    'Country: Romania',
  ]);
  expect(await titles('fr')).toContain('Langue\u00a0: allemand');
});

it('shows nobody who would not stand there, and everywhere else they are the same [A-184]', async () => {
  const [star, other] = [await site.performer({ live: true }), await site.performer({ live: true })];
  for (const performer of [star, other]) {
    await performer.call(setDetails, { title: 'Evening', tags: ['music'] });
    await speaks(performer, 'de');
  }
  const [guest, fan] = [await site.visitor({ ofAge: true }), await site.viewer()];
  await fan.call(follow, { username: star.username });
  await site.settle();
  const base = '/api/v1/browse/react';
  const names = async (who: Visitor, url: string): Promise<boolean> => {
    const { statusCode, body } = await who.request({ url });
    expect(statusCode).toBe(200);
    return body.includes(`"username":"${star.username}"`);
  };
  const home = [
    `${base}/home/section`,
    `${base}/home/custom`,
    `${base}/`,
    `${base}/?language=de`,
    `${base}/v2/`,
  ];
  const elsewhere = [
    `${base}/girls`,
    `${base}/girls/tag/music`,
    `${base}/girls/language/german`,
    `${base}/top`,
    `${base}/multi-filter?tag=music`,
    `/api/v1/chat/react/${star.username}`,
  ];
  const stands = async (who: Visitor, urls: readonly string[]): Promise<boolean[]> => {
    const found: boolean[] = [];
    for (const url of urls) found.push(await names(who, url));
    return found;
  };
  const totals = async () => (await rowsOf(guest, 'new_and_trending')).map(({ totalCount }) => totalCount);
  const all = (urls: readonly string[], is: boolean): boolean[] => urls.map(() => is);
  expect(await totals()).toEqual([2]);
  for (const who of [guest, fan]) {
    expect(await stands(who, [...home, ...elsewhere])).toEqual(all([...home, ...elsewhere], true));
  }
  await star.call(updateSettings, { show_home: 'NO' });
  await site.settle();
  // Neither their followers nor they themselves see them there, and they are never the featured show.
  for (const who of [guest, fan, star]) {
    expect(await stands(who, [...home, `${base}/home`])).toEqual(all([...home, ''], false));
    expect(await stands(who, elsewhere)).toEqual(all(elsewhere, true));
  }
  expect(await names(fan, `${base}/followed`)).toBe(true);
  expect(await totals()).toEqual([1]);
  // Not even when nobody else is live, and not as an alternative either.
  await other.call(endBroadcast, {});
  await site.settle();
  await site.passes(2_000);
  expect(await stands(guest, [...home, `${base}/home`])).toEqual(all([...home, ''], false));
  await star.call(updateSettings, { show_home: true });
  await site.settle();
  await site.passes(2_000);
  expect(await names(guest, `${base}/home`)).toBe(true);
  expect(await totals()).toEqual([1]);
});
