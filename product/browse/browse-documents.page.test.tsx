import { updateProfile } from '#product/accounts/contract.ts';
import { setDetails } from '#product/broadcast/contract.ts';
import { servesDocuments } from '#product/testkit/pages/documents.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
  await servesDocuments(site);
});
afterAll(() => site.close());

test('documents have the listing of their filters, hidden genders and screen [C-394]', async () => {
  const woman = await site.performer({ live: true, gender: 'f' });
  const man = await site.performer({ live: true, gender: 'm' });
  const visitor = await site.visitor({ ofAge: true });
  const names = async (url: string, headers: Record<string, string> = {}): Promise<readonly boolean[]> => {
    const { body } = await visitor.request({ method: 'GET', url, headers });
    return [woman, man].map(({ username }) => body.includes(`href="/${username}"`));
  };
  expect(await names('/')).toEqual([true, false]);
  visitor.setCookie('gender-hide', 'ft');
  expect(await names('/')).toEqual([false, true]);
  expect(await names('/girls')).toEqual([true, false]);
  const total = async (url: string): Promise<string | undefined> =>
    /"totalCount":(\d+)/u.exec((await visitor.request({ method: 'GET', url })).body)?.[1];
  expect([await total('/girls'), await total('/girls?region=asia')]).toEqual(['1', '0']);
  const perPage = async (headers: Record<string, string>): Promise<string | undefined> => {
    const { body } = await visitor.request({ method: 'GET', url: '/girls', headers });
    return /"perPageCount":(\d+)/u.exec(body)?.[1];
  };
  expect(await perPage({})).toBe('98');
  expect(await perPage({ 'user-agent': 'Mozilla/5.0 (iPhone) Mobile/15E148 Safari' })).toBe('48');
  expect(await perPage({ 'sec-ch-ua-mobile': '?1' })).toBe('48');
  expect(await perPage({ 'sec-ch-ua-mobile': '?0' })).toBe('98');
});

test('documents send a visitor to the section of the query, else of the cookie [A-058, A-062]', async () => {
  const visitor = await site.visitor({ ofAge: true });
  const leads = async (url: string): Promise<unknown[]> => {
    const { statusCode, headers } = await visitor.request({ method: 'GET', url });
    return [statusCode, headers.location];
  };
  expect(await leads('/')).toEqual([200, undefined]);
  expect(await leads('/?gender=m')).toEqual([302, '/men']);
  visitor.setCookie('gender', 't');
  expect(await leads('/')).toEqual([302, '/trans']);
  expect(await leads('/?gender=c')).toEqual([302, '/couples']);
  expect(await leads('/?gender=f')).toEqual([200, undefined]);
  for (const value of ['none', '', 'T', 'trans']) {
    expect(await leads(`/?gender=${value}`), value).toEqual([200, undefined]);
  }
  expect(await leads('/girls')).toEqual([200, undefined]);
  visitor.setCookie('gender', 'f');
  expect(await leads('/')).toEqual([200, undefined]);
});

test('a cookie of another value leads nowhere, whoever was led just before [A-060, A-062]', async () => {
  // Guests of one region share documents for a moment.
  const leads = async (gender: string): Promise<unknown[]> => {
    const guest = await site.visitor({ ofAge: true });
    guest.setCookie('gender', gender);
    const { statusCode, headers } = await guest.request({ method: 'GET', url: '/' });
    return [statusCode, headers.location];
  };
  for (const [code, path, ...others] of [
    ['m', '/men', 'male', 'men', 'M'],
    ['t', '/trans', 'trans', 'T'],
    ['c', '/couples', 'couples', 'C'],
  ] as const) {
    for (const other of others) {
      expect(await leads(other), other).toEqual([200, undefined]);
      expect(await leads(code), code).toEqual([302, path]);
      expect(await leads(other), other).toEqual([200, undefined]);
    }
  }
});

test('documents send couples and trans to theirs, by query and by cookie [A-059, A-061]', async () => {
  for (const [code, path] of [['c', '/couples'], ['t', '/trans']] as const) {
    const guest = await site.visitor({ ofAge: true });
    const leads = async (url: string): Promise<unknown[]> => {
      const { statusCode, headers } = await guest.request({ method: 'GET', url });
      return [statusCode, headers.location];
    };
    expect(await leads('/')).toEqual([200, undefined]);
    expect(await leads(`/?gender=${code}`)).toEqual([302, path]);
    guest.setCookie('gender', code);
    expect(await leads('/')).toEqual([302, path]);
  }
});

test('both spellings of a role name one address as theirs', async () => {
  const visitor = await site.visitor({ ofAge: true });
  for (const role of ['test-user', 'test_user']) {
    const { body } = await visitor.request({ method: 'GET', url: `/browse-role/${role}` });
    expect(/<link rel="canonical" href="([^"]*)"/u.exec(body)?.[1])
      .toMatch(/^http:\/\/localhost\/browse-role\/test-user$/u);
    expect(body).toContain('"item":"http://localhost/browse-role/test-user"');
  }
});

test('documents of a search have its words and filters; its lang is not that of the page', async () => {
  const speaks = async (language: string, title: string) => {
    const performer = await site.performer({ live: true });
    await performer.call(updateProfile, { languages: [language] });
    await performer.call(setDetails, { title, tags: [] });
    return performer;
  };
  const [german, french] = [await speaks('de', 'Harpsichord'), await speaks('fr', 'Lanterns')];
  await site.settle();
  const visitor = await site.visitor({ ofAge: true });
  const found = async (url: string) => {
    const { body } = await visitor.request({ method: 'GET', url });
    return {
      lang: /<html lang="(\w+)"/u.exec(body)?.[1],
      h1: /<h1[^>]*>([^<]*)/u.exec(body)?.[1],
      names: [german, french].map(({ username }) => body.includes(`href="/${username}"`)),
    };
  };
  expect(await found('/search?q=harpsichord'))
    .toEqual({ lang: 'en', h1: 'Results for “harpsichord”', names: [true, false] });
  expect(await found('/multi-filter?lang=fr'))
    .toEqual({ lang: 'en', h1: 'Advanced search', names: [false, true] });
  expect(await found('/girls?lang=de')).toMatchObject({ lang: 'de', h1: 'Frauen jetzt live' });
});

test('addresses below a section that no listing has are not found', async () => {
  const visitor = await site.visitor({ ofAge: true });
  const absent = [
    'girls/klingon',
    'couples/language/klingon',
    'girls/private-shows/rate/7',
    'voyeur-cams/attic',
  ];
  for (const path of absent) {
    const { statusCode } = await visitor.request({ method: 'GET', url: `/${path}` });
    expect([path, statusCode]).toEqual([path, 404]);
  }
});
