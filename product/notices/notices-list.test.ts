import { DAY_MS } from '#platform/time/units.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  deleteNotice,
  listNotices,
  listOutbox,
  markAllNotices,
  markNotice,
  notificationCount,
} from './contract.ts';
import {
  getPreferences,
  getSubscription,
  openUnsubscribe,
  setNoticeOptions,
  setPreference,
  setSubscription,
  unsubscribe,
} from './contract/preferences.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const SEARCH = 'browse:notices.searchMatched';
const LIVE = 'messaging:notices.wentLive';

const notify = (who: Pick<Member, 'id'>, name = 'Ada', once?: string): Promise<boolean> =>
  site.tx((tx) =>
    site.services.notices.notify(tx, {
      personId: who.id,
      kind: SEARCH,
      values: { name, search: 'Jazz' },
      link: '/ada',
      ...(once === undefined ? {} : { once }),
    })
  );
const listOf = (who: Member) => who.call(listNotices, {});
const emailsTo = async (who: Member) =>
  (await (await site.admin()).call(listOutbox, {})).mails
    .filter(({ to, kind }) => to === `${who.username}@people.example` && kind === SEARCH);

describe('a list', () => {
  it('is paged, newest first, in the reader’s language, and nobody else’s', async () => {
    const [viewer, other] = [await site.viewer({ language: 'de' }), await site.viewer()];
    for (let at = 0; at < 31; at += 1) await notify(viewer, `Ada ${at}`);
    const page = await listOf(viewer);
    expect(page.notices).toHaveLength(30);
    expect(page.notices[0]).toMatchObject({ title: 'Ada 30 passt zu „Jazz“', link: '/ada', read: false });
    expect(page.unread).toBe(31);
    const rest = await viewer.call(listNotices, { before: page.next ?? 0 });
    expect([rest.notices.length, rest.next]).toEqual([1, null]);
    expect((await listOf(other)).notices).toEqual([]);
    const guest = await site.visitor();
    expect((await guest.refused(listNotices, {})).status).toBe(401);
  });

  it('is read, unread and shortened by its person alone, and every tab counts along', async () => {
    const [viewer, other] = [await site.viewer(), await site.viewer()];
    for (const name of ['One', 'Two', 'Three']) await notify(viewer, name);
    const [third, second, first] = (await listOf(viewer)).notices;
    const ids = [first?.id ?? 0, second?.id ?? 0, third?.id ?? 0] as const;
    const socket = await site.socketOf(await site.anotherTabOf(viewer));
    await site.settle();
    const base = (await listOf(viewer)).unread;
    expect(await viewer.call(markNotice, { id: ids[0], read: true })).toMatchObject({ unread: base - 1 });
    await site.settle();
    await socket.waitFor(notificationCount, ({ count }) => count === base - 1);
    expect(await viewer.call(markNotice, { id: ids[0], read: false })).toMatchObject({ unread: base });
    for (const [call, input] of [
      [markNotice, { id: ids[1], read: true }],
      [deleteNotice, { id: ids[1] }],
    ] as const) {
      expect((await other.refused(call, input)).errorType).toBe('notice_unknown');
    }
    await viewer.call(deleteNotice, { id: ids[1] });
    // Notices after the last one seen stay unread.
    const { unread } = await viewer.call(markAllNotices, { up_to: ids[1] });
    const left = (await viewer.call(listNotices, { unread: true })).notices.map(({ id }) => id);
    expect(left).toContain(ids[2]);
    expect(left).not.toContain(ids[0]);
    expect(left).toHaveLength(unread);
    expect((await listOf(viewer)).notices.map(({ id }) => id)).not.toContain(ids[1]);
  });

  it('retains the newest 200 of three months', async () => {
    const viewer = await site.viewer();
    await site.tx(async (tx) => {
      for (let at = 0; at < 203; at += 1) {
        await site.services.notices.notify(tx, {
          personId: viewer.id,
          kind: SEARCH,
          values: { name: `N${at}`, search: 'x' },
          link: '/a',
        });
      }
    });
    expect((await listOf(viewer)).unread).toBe(200);
    await site.passes(91 * DAY_MS);
    await notify(await site.viewer());
    const again = await site.memberOf(viewer.username);
    for (let at = 0; at < 15; at += 1) await notify(viewer);
    // The log-in caused a notice too.
    expect((await listOf(again)).unread).toBe(16);
  });
});

describe('a notice', () => {
  it('of one occasion comes once, and none comes of a unit of work that fails', async () => {
    const viewer = await site.viewer();
    const isNotified: boolean[] = [];
    for (const once of ['x', 'x', 'y']) isNotified.push(await notify(viewer, 'Ada', once));
    expect(isNotified).toEqual([true, false, true]);
    await viewer.call(deleteNotice, { id: (await listOf(viewer)).notices[0]?.id ?? 0 });
    expect(await notify(viewer, 'Ada', 'y')).toBe(false);
    await expect(site.tx(async (tx) => {
      await site.services.notices.notify(tx, {
        personId: viewer.id,
        kind: SEARCH,
        values: { name: 'x', search: 'x' },
        link: '/a',
      });
      throw new Error('changed my mind');
    })).rejects.toThrow('changed my mind');
    expect((await listOf(viewer)).notices).toHaveLength(1);
  });

  it('leads to this site alone, and takes one line of a value', async () => {
    const viewer = await site.viewer();
    for (const link of ['https://elsewhere.example', '//elsewhere.example', '/\\elsewhere.example', 'a']) {
      await expect(site.tx((tx) =>
        site.services.notices.notify(tx, {
          personId: viewer.id,
          kind: SEARCH,
          values: { name: 'a', search: 'b' },
          link,
        })
      )).rejects.toThrow('no path of this site');
    }
    await notify(viewer, `A\u202e\n${'x'.repeat(500)}`);
    const title = (await listOf(viewer)).notices[0]?.title ?? '';
    expect(title).toMatch(/^A x{118} matches “Jazz”$/u);
  });
});

describe('preferences', () => {
  it('switch a channel of a kind, for their person alone', async () => {
    const [viewer, other] = [await site.viewer(), await site.viewer()];
    await notify(viewer);
    expect(await emailsTo(viewer)).toEqual([]);
    await viewer.call(setPreference, { kind: SEARCH, channel: 'email', on: true });
    await viewer.call(setPreference, { kind: SEARCH, channel: 'app', on: false });
    for (const who of [viewer, other]) await notify(who);
    expect([(await listOf(viewer)).notices.length, (await listOf(other)).notices.length]).toEqual([1, 1]);
    expect([(await emailsTo(viewer)).length, (await emailsTo(other)).length]).toEqual([1, 0]);
    const guest = await site.visitor();
    expect((await guest.refused(getPreferences, {})).status).toBe(401);
    const refused = await guest.refused(setPreference, { kind: SEARCH, channel: 'app', on: false });
    expect(refused.status).toBe(401);
  });

  it('leave on what protects an account, and refuse what there is not', async () => {
    const viewer = await site.viewer();
    const refusedBy = async (kind: string, channel: string) =>
      (await viewer.refused(setPreference, { kind, channel, on: false })).errorType;
    expect(await refusedBy('accounts:notices.newDevice', 'app')).toBe('channel_required');
    expect(await refusedBy(SEARCH, 'sms')).toBe('kind_unknown');
    expect(await refusedBy('constructor', 'app')).toBe('kind_unknown');
    expect(await refusedBy(LIVE, 'app')).toBe('by_featured_show');
    const { kinds } = await viewer.call(getPreferences, {});
    expect(kinds.find(({ kind }) => kind === 'accounts:notices.newDevice')?.channels[0])
      .toEqual({ channel: 'app', on: true, required: true });
  });

  it('have the choice of how one learns of who goes live', async () => {
    const viewer = await site.viewer();
    const chosen = await viewer.call(setNoticeOptions, {
      featured_show_notification: 'none',
      push_discreet: false,
    });
    expect(chosen).toMatchObject({ featured_show_notification: 'none', push_discreet: false });
    expect(
      (await viewer.call(getPreferences, {})).kinds.find(({ kind }) => kind === LIVE)?.channels
        .some(({ on }) => on),
    ).toBe(false);
  });
});

describe('emails', () => {
  const subscribed = async () => {
    const viewer = await site.viewer();
    await viewer.call(setPreference, { kind: SEARCH, channel: 'email', on: true });
    await notify(viewer, '<b>Ada</b>');
    const [mail] = await emailsTo(viewer);
    if (!mail?.unsubscribe) throw new Error('the email has no way to end such emails');
    const token = /token=(?<token>[\w.-]+)/u.exec(mail.text)?.groups?.['token'] ?? '';
    return { viewer, mail, token, oneClick: new URL(mail.unsubscribe).pathname };
  };

  it('are text and HTML, with a link there and two to end them', async () => {
    const { mail } = await subscribed();
    expect(mail.subject).toBe('<b>Ada</b> matches “Jazz”');
    expect(mail.text).toMatch(/\/ada\n\n-- \n/u);
    expect(mail.html).toContain('&lt;b&gt;Ada&lt;/b&gt;');
    expect(mail.html).not.toContain('<b>Ada');
    expect(mail.html).not.toContain('<img');
  });

  it('end by one click without cookies, as mail programs send it, and only of that kind', async () => {
    const { viewer, oneClick, token } = await subscribed();
    const program = await site.visitor({ opened: false, consent: null });
    const post = (url: string) =>
      program.request({
        method: 'POST',
        url,
        payload: 'List-Unsubscribe=One-Click',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          origin: undefined,
          'sec-fetch-site': undefined,
        },
      });
    expect((await post(`${oneClick.slice(0, -3)}xyz`)).statusCode).toBe(422);
    expect((await emailsOf(viewer, token)).kinds.find(({ kind }) => kind === SEARCH)?.on).toBe(true);
    for (let times = 0; times < 2; times += 1) expect((await post(oneClick)).statusCode).toBe(200);
    expect((await emailsOf(viewer, token)).kinds.map(({ kind, on }) => [kind, on]))
      .toContainEqual([SEARCH, false]);
    await notify(viewer);
    expect(await emailsTo(viewer)).toHaveLength(1);
    expect(program.readableCookies).toBe('');
    // The same by the contract's call: the path holds the token.
    const answer = await program.call(unsubscribe, { token, body: 'List-Unsubscribe=One-Click' });
    expect(answer.body).toBe('Done. You won’t get emails of this kind any more.');
  });

  const FORM = '--974767299852498929531610\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\n'
    + 'One-Click\r\n--974767299852498929531610--\r\n';
  it.each([
    ['a form with parts', 'multipart/form-data; boundary=974767299852498929531610', FORM],
    [
      'a form whose edge reads as a card',
      'multipart/form-data; boundary=4111111111111111',
      FORM.replaceAll('974767299852498929531610', '4111111111111111'),
    ],
    ['a form', 'application/x-www-form-urlencoded; charset=UTF-8', 'List-Unsubscribe=One-Click'],
    ['no type', undefined, 'List-Unsubscribe=One-Click'],
    ['a type of its own', 'text/plain', 'One-Click'],
    ['JSON', 'application/json', '{"List-Unsubscribe":"One-Click"}'],
    ['nothing at all', undefined, ''],
    ['an empty type', '', 'List-Unsubscribe=One-Click'],
    ['half a type', 'form-data', 'List-Unsubscribe=One-Click'],
    ['half a type and a parameter', 'form-data; boundary=x', 'List-Unsubscribe=One-Click'],
  ])('end by one click that sends %s (RFC 8058)', async (_what, type, payload) => {
    const { viewer, oneClick, token } = await subscribed();
    const program = await site.visitor({ opened: false, consent: null });
    const answer = await program.request({
      method: 'POST',
      url: oneClick,
      ...(payload === '' ? {} : { payload }),
      headers: { 'content-type': type, origin: undefined, 'sec-fetch-site': undefined },
    });
    expect(answer.statusCode).toBe(200);
    expect((await emailsOf(viewer, token)).kinds.find(({ kind }) => kind === SEARCH)?.on).toBe(false);
  });

  it('are ended by nobody who only opens the address: it leads to a page with one button', async () => {
    const { viewer, oneClick, token } = await subscribed();
    const looker = await site.visitor({ opened: false, consent: null });
    const sealed = decodeURIComponent(oneClick.split('/').at(-1) ?? '');
    const answer = await looker.call(openUnsubscribe, { token: sealed });
    expect(answer.status).toBe(303);
    expect(answer.headers['location']).toBe(`/email/subscription?one=1&token=${encodeURIComponent(sealed)}`);
    expect((await looker.call(getSubscription, { token: sealed })).kind).toBe(SEARCH);
    expect((await emailsOf(viewer, token)).kinds.find(({ kind }) => kind === SEARCH)?.on).toBe(true);
  });

  /** Status codes of programs at one address that click `links` in order. */
  const clickedAt = async (address: string, links: readonly string[]): Promise<number[]> => {
    const program = await site.visitor({ opened: false, consent: null, address });
    const statuses: number[] = [];
    for (const url of links) {
      const headers = { 'origin': undefined, 'sec-fetch-site': undefined };
      statuses.push((await program.request({ method: 'POST', url, headers })).statusCode);
    }
    return statuses;
  };
  const countOf = (statuses: readonly number[], status: number): number =>
    statuses.filter((number) => number === status).length;

  it('end for a hundred people whose mail one address clicks for, within a minute', async () => {
    // A kind that is emailed by default; nobody in the crowd ever logs in.
    const kind = 'fanclubs:notices.ended';
    const linksTo = async (crowd: readonly { id: number; username: string }[]): Promise<string[]> => {
      for (const { id: personId } of crowd) {
        await site.tx((tx) =>
          site.services.notices.notify(tx, { personId, kind, values: { name: 'Ada' }, link: '/ada' })
        );
      }
      const addresses = new Set(crowd.map(({ username }) => `${username}@people.example`));
      return (await (await site.admin()).call(listOutbox, {})).mails
        .filter((mail) => mail.kind === kind && addresses.has(mail.to))
        .map(({ unsubscribe: link }) => new URL(link ?? '').pathname);
    };
    const crowd = [];
    for (let at = 0; at < 100; at += 1) {
      const username = `crowd-${at}`;
      crowd.push(
        await site.services.accounts.create(site.scope, {
          username,
          email: `${username}@people.example`,
          password: 'correct horse battery',
          passwordHash: 'none',
          birthDate: '1990-01-31',
          type: 'user',
          gender: null,
          roles: [],
        }),
      );
    }
    // The outbox lists fifty emails at a time.
    const [half, rest] = [await linksTo(crowd.slice(0, 50)), await linksTo(crowd.slice(50))];
    expect(new Set([...half, ...rest]).size).toBe(100);
    expect(countOf(await clickedAt('198.51.100.7', [...half, ...rest]), 200)).toBe(100);
    expect(await linksTo(crowd)).toEqual(rest);
  });

  it('are guessed at sixty times a minute from an address, whose real links go on working', async () => {
    const [{ oneClick }, other] = [await subscribed(), await subscribed()];
    const [text = '', mac = ''] = oneClick.split('/').at(-1)?.split('.') ?? [];
    const base = oneClick.slice(0, oneClick.lastIndexOf('/') + 1);
    const madeUp = Array.from({ length: 70 }, (_, at) => `${base}${text}${at}.${mac}`);
    const statuses = await clickedAt('198.51.100.8', madeUp);
    expect([countOf(statuses, 422), countOf(statuses, 429)]).toEqual([60, 10]);
    expect(statuses.lastIndexOf(422)).toBe(59);
    expect(await clickedAt('198.51.100.8', [oneClick, madeUp[0] ?? '', other.oneClick]))
      .toEqual([200, 429, 200]);
    // A link has one count, wherever it is clicked.
    const many = [
      ...await clickedAt('198.51.100.9', Array.from({ length: 40 }, () => oneClick)),
      ...await clickedAt('203.0.113.5', Array.from({ length: 30 }, () => oneClick)),
    ];
    expect([countOf(many, 200), countOf(many, 429)]).toEqual([59, 11]);
    expect(await clickedAt('198.51.100.9', [other.oneClick])).toEqual([200]);
  });

  const emailsOf = async (_viewer: Member, token: string) =>
    (await site.visitor()).call(getSubscription, { token });

  it('are chosen without logging in by who has the link, and by nobody else', async () => {
    const { viewer, token } = await subscribed();
    const guest = await site.visitor();
    const shown = await guest.call(getSubscription, { token });
    expect(shown.email).toBe(`${viewer.username.slice(0, 1)}•••@people.example`);
    expect(JSON.stringify(shown)).not.toContain(viewer.username);
    expect(
      (await guest.call(setSubscription, { token, kind: SEARCH, on: false })).kinds
        .find(({ kind }) => kind === SEARCH)?.on,
    ).toBe(false);
    const all = await guest.call(setSubscription, { token, on: false });
    expect(all.kinds.every(({ on }) => !on)).toBe(true);
    for (const wrong of [undefined, '', 'x.y', `${token.slice(0, -4)}aaaa`]) {
      expect((await guest.refused(getSubscription, { token: wrong })).errorType).toBe('link_invalid');
      expect((await guest.refused(setSubscription, { token: wrong, on: true })).errorType)
        .toBe('link_invalid');
    }
    const required = { token, kind: 'accounts:notices.newDevice', on: false };
    expect((await guest.refused(setSubscription, required)).errorType).toBe('kind_unknown');
    // Logged-in people need no link, and change their own preferences.
    const other = await site.viewer();
    expect((await other.call(getSubscription, {})).email).toContain('people.example');
    await other.call(setSubscription, { on: true });
    expect((await guest.call(getSubscription, { token })).kinds.every(({ on }) => !on)).toBe(true);
  });
});
