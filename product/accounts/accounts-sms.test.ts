import { openSms, SmsUnsubscribed } from '#platform/outgoing/sms.ts';
import { DAY_MS, MINUTE_MS } from '#platform/time/units.ts';
import { listNotices, listOutbox } from '#product/notices/contract.ts';
import { getPreferences, setNoticeOptions, setPreference } from '#product/notices/contract/preferences.ts';
import { channelsFor, channelsOf } from '#product/notices/rules.ts';
import { TestSmsProvider } from '#product/testkit/outside/sms-provider.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { confirmPhone, removePhone, sendPhoneCode } from './contract/phones.ts';
import { updateSettings } from './contract/settings.ts';

const SEARCH = 'browse:notices.searchMatched';
const FROM = '+15550100200';
const provider = new TestSmsProvider();
let url = '';
beforeAll(async () => {
  url = await provider.start();
});
afterAll(() => provider.close());

let numbers = 0;
const freeNumber = (): string => {
  numbers += 1;
  return `+4915112345${String(numbers).padStart(3, '0')}`;
};
/** Saves and confirms somebody's number. @param codeOf the newest text message to a number */
async function confirms(
  who: Member,
  codeOf: (number: string) => Promise<string>,
  number = freeNumber(),
): Promise<string> {
  await who.call(updateSettings, { phone: number });
  await who.call(sendPhoneCode, {});
  const code = /\d{6}/u.exec(await codeOf(number))?.[0] ?? '';
  expect(await who.call(confirmPhone, { code })).toMatchObject({ confirmed: true });
  return number;
}
const notifies = (site: TestSite, { id: personId }: Member, name = 'luna') =>
  site.tx((tx) =>
    site.services.notices.notify(tx, {
      personId,
      kind: SEARCH,
      values: { name, search: 'Jazz' },
      link: `/${name}`,
    })
  );
const choosesSms = (who: Member) => who.call(setPreference, { kind: SEARCH, channel: 'sms', on: true });

describe.each([
  { name: 'the outbox of a demo', sms: () => 'outbox' as const, arrived: outboxOf },
  { name: 'a provider', sms: () => ({ url, from: FROM }), arrived: receivedOf },
])('$name', ({ sms, arrived }) => {
  let site: TestSite;
  beforeAll(async () => {
    site = await createSite({ settings: { sms: sms() } });
  });
  afterAll(() => site.close());
  const newest = async (number: string) => (await arrived(site, number)).at(-1) ?? '';

  it('takes a notice to the confirmed number of whoever chose it, once, and discreetly', async () => {
    const viewer = await site.viewer();
    const number = await confirms(viewer, newest);
    const before = await arrived(site, number);
    await notifies(site, viewer, 'unchosen');
    expect(await arrived(site, number)).toEqual(before);
    await choosesSms(viewer);
    await notifies(site, viewer);
    await site.settle();
    expect((await arrived(site, number)).slice(before.length)).toEqual(['You have a new notification.']);
    await viewer.call(setNoticeOptions, { push_discreet: false });
    await notifies(site, viewer, 'cleo');
    await site.settle();
    expect(await newest(number)).toMatch(/^cleo matches “Jazz”\nhttps?:\/\/\S+\/cleo$/u);
  });

  it('takes nothing of a unit of work that rolls back, and nothing to somebody suspended', async () => {
    const viewer = await site.viewer();
    const number = await confirms(viewer, newest);
    await choosesSms(viewer);
    const before = (await arrived(site, number)).length;
    await expect(site.tx(async (tx) => {
      await site.services.notices.notify(tx, {
        personId: viewer.id,
        kind: SEARCH,
        values: { name: 'luna', search: 'Jazz' },
        link: '/luna',
      });
      throw new Error('rolled back');
    })).rejects.toThrow('rolled back');
    await site.tx((tx) =>
      site.services.accounts.suspend(tx, viewer.id, {
        suspended: true,
        actorId: null,
        reason: 'test',
      })
    );
    await notifies(site, viewer);
    await site.settle();
    expect(await arrived(site, number)).toHaveLength(before);
  });
});

async function outboxOf(site: TestSite, number: string): Promise<string[]> {
  const { mails } = await (await site.admin()).call(listOutbox, {});
  // Admins see only the last digits.
  expect(mails.filter(({ to }) => to.includes(number))).toEqual([]);
  return mails.filter(({ channel, to }) => channel === 'sms' && to === `•••${number.slice(-2)}`)
    .map(({ text }) => text).toReversed();
}
async function receivedOf(site: TestSite, number: string): Promise<string[]> {
  await site.settle();
  return provider.to(number);
}

describe('a provider', () => {
  let site: TestSite;
  beforeAll(async () => {
    site = await createSite({ settings: { sms: { url, from: FROM } } });
  });
  afterAll(() => site.close());
  const newest = async (number: string) => (await receivedOf(site, number)).at(-1) ?? '';

  it('gets the account, the sender and the text as its interface names them', async () => {
    const number = await confirms(await site.viewer(), newest);
    expect(provider.received.at(-1)).toMatchObject({ to: number, from: FROM, service: null });
    const service = `MG${'0a'.repeat(16)}`;
    await openSms({ url, from: service }).send({ to: number, text: 'Grüße & more' });
    expect(provider.received.at(-1)).toEqual({ to: number, text: 'Grüße & more', from: null, service });
    expect(provider.strangers).toBe(0);
    await expect(openSms({ url: url.replace('pass', 'guess'), from: FROM }).send({ to: number, text: 'x' }))
      .rejects.toThrow('401');
    provider.stopped.add(number);
    await expect(openSms({ url, from: FROM }).send({ to: number, text: 'x' }))
      .rejects.toThrow(SmsUnsubscribed);
  });

  it(
    'that is busy delays a text and loses none; one it refuses for good ends, and no log has the number',
    async () => {
      const viewer = await site.viewer();
      const number = await confirms(viewer, newest);
      await choosesSms(viewer);
      const before = provider.to(number).length;
      provider.refusals.push({ status: 429, code: 20_429 });
      await notifies(site, viewer);
      await site.settle();
      expect(provider.to(number)).toHaveLength(before);
      await site.passes(MINUTE_MS);
      expect(provider.to(number)).toHaveLength(before + 1);
      expect(site.log).toEqual([]);
      provider.refusals.push({ status: 400, code: 21_614 });
      await notifies(site, viewer, 'cleo');
      await site.passes(30 * MINUTE_MS);
      expect(provider.to(number)).toHaveLength(before + 1);
      expect(site.log).toHaveLength(1);
      expect(site.log[0]).not.toContain(number.slice(1));
    },
  );

  it('that says somebody answered STOP ends text messages, and those of who goes live', async () => {
    const viewer = await site.viewer();
    const number = await confirms(viewer, newest);
    await choosesSms(viewer);
    await viewer.call(setNoticeOptions, { featured_show_notification: 'sms' });
    provider.stopped.add(number);
    await notifies(site, viewer);
    await site.settle();
    const { kinds, featured_show_notification: featured } = await viewer.call(getPreferences, {});
    expect(featured).toBe('web');
    expect(kinds.flatMap(({ channels }) => channels.filter(({ channel, on }) => channel === 'sms' && on)))
      .toEqual([]);
    provider.stopped.delete(number);
    const before = provider.to(number).length;
    await notifies(site, viewer, 'cleo');
    await site.settle();
    expect(provider.to(number)).toHaveLength(before);
    expect((await viewer.call(listNotices, {})).notices).toHaveLength(2);
  });

  it('gets nothing for a number that was removed while the text waited', async () => {
    const viewer = await site.viewer();
    const number = await confirms(viewer, newest);
    await choosesSms(viewer);
    const before = provider.to(number).length;
    provider.refusals.push({ status: 503, code: 0 });
    await notifies(site, viewer);
    await site.settle();
    await viewer.call(removePhone, {});
    await site.passes(30 * MINUTE_MS);
    expect(provider.to(number)).toHaveLength(before);
  });

  it('gets no notice that could not be sent for an hour', async () => {
    const viewer = await site.viewer();
    const number = await confirms(viewer, newest);
    await choosesSms(viewer);
    const before = provider.to(number).length;
    await notifies(site, viewer, 'late');
    await site.passes(59 * MINUTE_MS);
    expect(provider.to(number)).toHaveLength(before + 1);
    await notifies(site, viewer, 'too-late');
    await site.passes(61 * MINUTE_MS);
    expect(provider.to(number)).toHaveLength(before + 1);
  });

  it('gets 20 notices a day for a number, each counted once however often it is tried', async () => {
    const viewer = await site.viewer();
    const number = await confirms(viewer, newest);
    await choosesSms(viewer);
    const before = provider.to(number).length;
    provider.refusals.push({ status: 503, code: 0 }, { status: 503, code: 0 });
    await notifies(site, viewer, 'thrice');
    await site.settle();
    await site.passes(MINUTE_MS);
    await site.passes(3 * MINUTE_MS);
    expect(provider.to(number)).toHaveLength(before + 1);
    for (let each = 0; each < 21; each += 1) await notifies(site, viewer, `name${each}`);
    await site.settle();
    expect(provider.to(number)).toHaveLength(before + 20);
    await site.passes(DAY_MS);
    await notifies(site, viewer, 'tomorrow');
    await site.settle();
    expect(provider.to(number)).toHaveLength(before + 21);
  });
});

describe('the channel sms', () => {
  const kind = { name: SEARCH, channels: ['app', 'email'], usual: ['app'] } as const;

  it('is there for a confirmed number alone, and off until it is chosen', () => {
    expect(channelsOf(kind, false)).toEqual(['app', 'email']);
    expect(channelsOf(kind, true)).toEqual(['app', 'email', 'sms']);
    const of = (chosen: boolean | null, hasSms: boolean) =>
      channelsFor(kind, {
        chosen: new Map(chosen === null ? [] : [['sms', chosen]]),
        featuredShow: 'sms',
        hasSms,
      });
    expect(of(null, true)).toEqual(['app']);
    expect(of(true, true)).toEqual(['app', 'sms']);
    expect(of(false, true)).toEqual(['app']);
    expect(of(true, false)).toEqual(['app']);
  });

  it('cannot be chosen without a confirmed number, nor where the operator has no sender', async () => {
    for (const sms of ['outbox', null] as const) {
      const site = await createSite({ settings: { sms } });
      const viewer = await site.viewer();
      await viewer.call(updateSettings, { phone: freeNumber() });
      const { kinds, sms_offered: isOffered, phone } = await viewer.call(getPreferences, {});
      expect([isOffered, phone]).toEqual([sms !== null, null]);
      expect(kinds.flatMap(({ channels }) => channels.map(({ channel }) => channel))).not.toContain('sms');
      const refused = await viewer.refused(setPreference, { kind: SEARCH, channel: 'sms', on: true });
      expect(refused.errorType).toBe('kind_unknown');
      await site.close();
    }
  });
});
