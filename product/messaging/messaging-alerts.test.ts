import { MINUTE_MS } from '#platform/time/units.ts';
import { confirmEmail, getCurrentUser, register, updateProfile } from '#product/accounts/contract.ts';
import { confirmPhone, sendPhoneCode } from '#product/accounts/contract/phones.ts';
import { updateSettings } from '#product/accounts/contract/settings.ts';
import { listNotices, listOutbox, notificationCount } from '#product/notices/contract.ts';
import { getPreferences, setNoticeOptions } from '#product/notices/contract/preferences.ts';
import { registerPush } from '#product/notices/contract/push.ts';
import { TestPushService } from '#product/testkit/outside/push-service.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { follow, unfollow } from './contract.ts';

let site: TestSite;
const pushes = new TestPushService();
beforeAll(async () => {
  await pushes.start();
  site = await createSite({ settings: { pushAllowsLoopback: true } });
});
afterAll(async () => {
  await site.close();
  await pushes.close();
});

const titlesOf = async (who: Member): Promise<string[]> =>
  (await who.call(listNotices, {})).notices.map(({ title }) => title);
const mailsTo = async (who: Member) => {
  const { mails } = await (await site.admin()).call(listOutbox, {});
  return mails.filter(({ to, kind }) =>
    kind.startsWith('messaging:')
    && to === `${who.username}@people.example`
  );
};
const leaves = async (): Promise<void> => {
  site.engine.drop(site.engine.streams.at(-1) ?? '', 'ended');
  await site.settle();
};
const PHONE = '+31612345678';
const MASKED = '•••78';
async function confirmsPhone(who: Member): Promise<void> {
  await who.call(updateSettings, { phone: PHONE });
  await who.call(sendPhoneCode, {});
  const { mails } = await (await site.admin()).call(listOutbox, {});
  const code = /\d{6}/u.exec(mails.find(({ to }) => to === MASKED)?.text ?? '')?.[0] ?? '';
  await who.call(confirmPhone, { code });
}

it('followers learn that a performer is live, each tab counts along, others do not [A-378]', async () => {
  const performer = await site.performer({ username: 'live_star' });
  const second = await site.performer({ username: 'second_star' });
  const [fan, former, stranger] = [await site.viewer(), await site.viewer(), await site.viewer()];
  for (const who of [fan, former]) await who.call(follow, { username: 'live_star' });
  await former.call(unfollow, { username: 'live_star' });
  await fan.call(follow, { username: 'second_star' });
  const otherTab = await site.anotherTabOf(fan);
  const before = (await fan.call(getCurrentUser, {})).user.notificationUnreadCount;
  const sockets = [await site.socketOf(fan), await site.socketOf(otherTab)];
  const stranger2 = await site.socketOf(stranger);
  for (const [live, more, title] of [
    [performer, 1, 'live_star is live now'],
    [second, 2, 'second_star is live now'],
  ] as const) {
    await live.goesLive();
    for (const socket of sockets) {
      await socket.waitFor(notificationCount, ({ count }) => count === before + more);
    }
    expect((await fan.call(getCurrentUser, {})).user.notificationUnreadCount).toBe(before + more);
    expect((await titlesOf(fan))[0]).toBe(title);
  }
  for (const who of [former, stranger]) expect(await titlesOf(who)).toEqual([]);
  expect(stranger2.received(notificationCount)).toEqual([]);
});

it(
  'featured_show_notification takes email, sms, web or none, and decides how a follower learns [A-200]',
  async () => {
    const performer = await site.performer({ username: 'chosen_star' });
    const fans: Member[] = [];
    for (const choice of ['email', 'sms', 'web', 'none'] as const) {
      const fan = await site.viewer();
      const { settings } = await fan.call(updateSettings, {
        featured_show_notification: choice,
      });
      if (choice === 'sms') await confirmsPhone(fan);
      expect(settings.featured_show_notification).toBe(choice);
      await fan.call(registerPush, pushes.subscription(choice));
      await fan.call(follow, { username: 'chosen_star' });
      fans.push(fan);
    }
    const [email, sms, web, none] = fans as [Member, Member, Member, Member];
    const wrong = await email.refused(updateSettings, { featured_show_notification: 'letter' });
    expect(wrong.status).toBe(422);
    const other = await email.refused(setNoticeOptions, { featured_show_notification: 'letter' as never });
    expect(other.status).toBe(422);
    await performer.goesLive();
    const title = 'chosen_star is live now';
    for (const who of [email, sms, web]) expect(await titlesOf(who)).toEqual([title]);
    expect(await titlesOf(none)).toEqual([]);
    const { mails } = await (await site.admin()).call(listOutbox, {});
    const ours = mails.filter(({ kind }) => kind === 'messaging:notices.wentLive');
    expect(
      ours.filter(({ to }) => to === `${email.username}@people.example` || to === MASKED)
        .map(({ channel, to }) => [channel, to]).toSorted(),
    ).toEqual([
      ['email', `${email.username}@people.example`],
      ['sms', MASKED],
    ]);
    for (const who of [sms, web, none]) {
      expect(ours.filter(({ to }) => to === `${who.username}@people.example`)).toEqual([]);
    }
    expect(pushes.received.map(({ path }) => path)).toEqual(['web']);
  },
);

it('nobody is notified twice of one broadcast, nor of one that soon begins again', async () => {
  const performer = await site.performer({ username: 'often_star' });
  const fan = await site.viewer();
  await fan.call(follow, { username: 'often_star' });
  for (const [minutes, count] of [[0, 1], [10, 1], [31, 2]] as const) {
    await site.passes(minutes * MINUTE_MS);
    await performer.goesLive();
    expect(await titlesOf(fan)).toHaveLength(count);
    await leaves();
  }
  expect(await mailsTo(fan)).toHaveLength(2);
});

it('whoever blocks the place where a follower last logged in is not shown there', async () => {
  const performer = await site.performer({ username: 'blocks_star' });
  const [here, there] = [await site.viewer(), await site.viewer()];
  for (const who of [here, there]) await who.call(follow, { username: 'blocks_star' });
  await site.anotherTabOf(here, { region: 'DE' });
  await site.anotherTabOf(there, { region: 'NL' });
  await site.tx((tx) => site.services.compliance.blockRegions(tx, performer.id, ['NL']));
  await performer.goesLive();
  expect(await titlesOf(here)).toContain('blocks_star is live now');
  expect(await titlesOf(there)).not.toContain('blocks_star is live now');
});

it('a restart between two batches loses nobody and notifies nobody twice', async () => {
  const performer = await site.performer({ username: 'many_star' });
  const fans = [await site.viewer(), await site.viewer()];
  for (const fan of fans) await fan.call(follow, { username: 'many_star' });
  await performer.goesLive();
  const { rows: [notice] } = await site.tx((tx) =>
    sql<{ once: string }>`
    select once from notices.notices where person_id = ${fans[0]?.id ?? 0}`.execute(tx.sql())
  );
  // The state after a process died between a batch and recording it: the same batch is due again.
  await site.tx((tx) =>
    tx.schedule({
      kind: 'messaging.alerts',
      key: String(performer.id),
      at: tx.now,
      payload: { performerId: performer.id, once: notice?.once, afterId: 0 },
    })
  );
  await site.settle();
  for (const fan of fans) expect(await titlesOf(fan)).toEqual(['many_star is live now']);
});

const FORM = '--974767299852498929531610\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\n'
  + 'One-Click\r\n--974767299852498929531610--\r\n';
it.each([
  ['a form with parts', 'multipart/form-data; boundary=974767299852498929531610', FORM],
  ['nothing at all', undefined, ''],
])('emails of who goes live end by one click that sends %s (RFC 8058)', async (_what, type, payload) => {
  const performer = await site.performer();
  const [fan, other] = [await site.viewer(), await site.viewer()];
  for (const who of [fan, other]) await who.call(follow, { username: performer.username });
  await performer.goesLive();
  const [mail, ...more] = await mailsTo(fan);
  expect(more).toEqual([]);
  const program = await site.visitor({ opened: false, consent: null });
  const answer = await program.request({
    method: 'POST',
    url: new URL(mail?.unsubscribe ?? '').pathname,
    ...(payload === '' ? {} : { payload }),
    headers: { 'content-type': type, 'origin': undefined, 'sec-fetch-site': undefined },
  });
  expect(answer.statusCode).toBe(200);
  const choiceOf = async (who: Member) => (await who.call(getPreferences, {})).featured_show_notification;
  // The list of the site still says who goes live, as where somebody chose to be notified there.
  expect([await choiceOf(fan), await choiceOf(other)]).toEqual(['web', 'email']);
  await leaves();
  await site.passes(31 * MINUTE_MS);
  await performer.goesLive();
  expect([(await mailsTo(fan)).length, (await mailsTo(other)).length]).toEqual([1, 2]);
  expect(await titlesOf(fan)).toHaveLength(2);
});

it('an address that nobody confirmed gets no alert by email, and nothing a performer typed', async () => {
  const victim = 'victim@people.example';
  const performer = await site.performer({ username: 'prize_star' });
  await performer.call(updateProfile, { display_name: 'WIN a prize' });
  const spammer = await site.visitor({ ofAge: true });
  await spammer.call(register, {
    username: 'aims_at_others',
    email: victim,
    password: 'a horse of another colour',
    birth_date: '1990-05-05',
    type: 'user',
    accept_terms: true,
  });
  await spammer.opens();
  await spammer.call(setNoticeOptions, { featured_show_notification: 'email' });
  await spammer.call(follow, { username: 'prize_star' });
  const sent = async () => {
    const { mails } = await (await site.admin()).call(listOutbox, {});
    return mails.filter(({ to }) => to === victim).toReversed();
  };
  const before = await sent();
  expect(before.map(({ kind }) => kind)).toEqual(['accounts:mails.welcome']);
  await performer.goesLive();
  await leaves();
  // The alert exists: the list on the site has it.
  const title = 'WIN a prize is live now';
  expect((await spammer.call(listNotices, {})).notices.map((notice) => notice.title)).toEqual([title]);
  expect(await sent()).toEqual(before);
  expect(JSON.stringify(await sent())).not.toContain('WIN');
  const token = /token=(\S+)/u.exec(before[0]?.text ?? '')?.[1] ?? '';
  await (await site.visitor()).call(confirmEmail, { token });
  await site.passes(31 * MINUTE_MS);
  await performer.goesLive();
  const last = (await sent()).at(-1);
  expect([last?.kind, last?.subject]).toEqual(['messaging:notices.wentLive', title]);
});

it('an alert is in the language of who gets it, whoever goes live: by email, push and text', async () => {
  const performer = await site.performer({ username: 'etoile', language: 'fr' });
  const fans: Member[] = [];
  for (const choice of ['email', 'web', 'sms'] as const) {
    const fan = await site.viewer({ language: 'de-AT,de;q=0.9' });
    if (choice === 'sms') await confirmsPhone(fan);
    if (choice === 'web') await fan.call(registerPush, pushes.subscription('german'));
    await fan.call(setNoticeOptions, { featured_show_notification: choice });
    await fan.call(follow, { username: 'etoile' });
    fans.push(fan);
  }
  await performer.goesLive();
  const [email] = fans as [Member, Member, Member];
  const [mail] = await mailsTo(email);
  expect(mail?.subject).toBe('etoile ist jetzt live');
  expect(mail?.text).toContain('etoile ist gerade live gegangen.');
  expect(mail?.text).toContain('Du bekommst diese E-Mail, weil du Mitglied bei ');
  const received = pushes.received.filter(({ path }) => path === 'german');
  expect(received.map(({ message }) => message)).toEqual([{
    title: 'Neue Benachrichtigung',
    body: 'Öffnen und sehen, was es Neues gibt.',
    link: '/etoile',
  }]);
  const { mails } = await (await site.admin()).call(listOutbox, {});
  const texts = mails.filter(({ channel, kind }) => channel === 'sms' && kind.startsWith('messaging:'));
  expect(texts[0]?.text).toBe('Du hast eine neue Benachrichtigung.');
});
