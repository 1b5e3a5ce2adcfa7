import { DAY_MS, MINUTE_MS } from '#platform/time/units.ts';
import { TestPushService } from '#product/testkit/outside/push-service.ts';
import { SECRET } from '#product/testkit/site-options.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { getPreferences, setNoticeOptions } from './contract/preferences.ts';
import { endPush, getPush, registerPush, reportPush } from './contract/push.ts';

let site: TestSite;
const service = new TestPushService();
beforeAll(async () => {
  await service.start();
  site = await createSite({ settings: { pushAllowsLoopback: true } });
});
afterAll(async () => {
  await site.close();
  await service.close();
});

const notify = async (who: Member): Promise<void> => {
  await site.tx((tx) =>
    site.services.notices.notify(tx, {
      personId: who.id,
      kind: 'browse:notices.searchMatched',
      values: { name: 'Ada', search: 'Jazz' },
      link: '/ada',
    })
  );
  await site.settle();
};
const got = (name: string) => service.received.filter(({ path }) => path === name);
const register = (who: Member, name: string) => who.call(registerPush, service.subscription(name));

it('a registered browser gets what happened, encrypted and signed by the site', async () => {
  const viewer = await site.viewer();
  const { public_key: key } = await viewer.call(getPush, {});
  await register(viewer, 'plain');
  await viewer.call(setNoticeOptions, { push_discreet: false });
  await notify(viewer);
  const [push, ...more] = got('plain');
  expect(more).toEqual([]);
  expect(push?.message).toEqual({
    title: 'Ada matches “Jazz”',
    body: 'Ada just went live and matches your saved search “Jazz”.',
    link: '/ada',
  });
  expect(push?.headers).toMatchObject({ 'content-encoding': 'aes128gcm', ttl: '14400' });
  expect(push?.headers.authorization).toContain(`k=${key}`);
  expect(push?.claims.aud).toBe(new URL(service.subscription('x').endpoint).origin);
  expect(push?.encrypted.toString('latin1')).not.toContain('Ada');
});

it('a discreet message, as everybody has it at first, names nobody and nothing of the site', async () => {
  const viewer = await site.viewer();
  await register(viewer, 'discreet');
  await notify(viewer);
  expect(got('discreet')[0]?.message)
    .toEqual({ title: 'New notification', body: 'Open to see what’s new.', link: '/ada' });
});

it('a registration that is gone is deleted; one that fails for a time is tried again', async () => {
  const viewer = await site.viewer();
  await register(viewer, 'gone');
  service.answers.push(410);
  await notify(viewer);
  expect((await viewer.call(getPreferences, {})).push_browsers).toBe(0);
  await register(viewer, 'slow');
  service.answers.push(503, 429);
  await notify(viewer);
  expect(got('slow')).toEqual([]);
  await site.passes(MINUTE_MS);
  await site.passes(5 * MINUTE_MS);
  expect(got('slow')).toHaveLength(1);
  await site.passes(60 * MINUTE_MS);
  expect(got('slow')).toHaveLength(1);
});

it(
  'POST /onesignal_subscribed takes the player_id of one’s own registration, which ends unreported [A-368]',
  async () => {
    const [viewer, other, guest] = [await site.viewer(), await site.viewer(), await site.visitor()];
    const { player_id: id } = await register(viewer, 'reported');
    const post = async (who: Pick<Member, 'request'>, body: unknown) => {
      const response = await who.request({
        method: 'POST',
        url: '/api/v1/onesignal_subscribed',
        payload: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      });
      return [response.statusCode, response.json<{ success?: boolean; errorType?: string }>()] as const;
    };
    expect(await post(viewer, { player_id: id })).toEqual([200, { success: true }]);
    expect((await post(viewer, {}))[0]).toBe(422);
    expect((await post(other, { player_id: 'made-up' }))[1].errorType).toBe('push_unknown');
    expect((await post(guest, { player_id: id }))[0]).toBe(401);
    await site.passes(59 * DAY_MS);
    const later = await site.memberOf(viewer.username);
    await later.call(reportPush, { player_id: id });
    await site.passes(59 * DAY_MS);
    await notify(viewer);
    expect(got('reported')).toHaveLength(1);
    await site.passes(2 * DAY_MS);
    await notify(viewer);
    expect(got('reported')).toHaveLength(1);
  },
);

it('a registration does not survive that somebody else uses its browser', async () => {
  const [former, next] = [await site.viewer(), await site.viewer()];
  const { player_id: id } = await register(former, 'handed-on');
  // The former person's session ran out: nobody logged out.
  expect((await next.refused(reportPush, { player_id: id })).errorType).toBe('push_unknown');
  await notify(former);
  expect(got('handed-on')).toEqual([]);
  expect((await former.refused(reportPush, { player_id: id })).errorType).toBe('push_unknown');
});

it('a registration is its person’s alone to end, goes with the browser; the oldest gives way', async () => {
  const [viewer, other] = [await site.viewer(), await site.viewer()];
  const { player_id: id } = await register(viewer, 'mine');
  await other.call(endPush, { player_id: id });
  expect((await viewer.call(getPreferences, {})).push_browsers).toBe(1);
  // Somebody else logs in with the same browser.
  await register(other, 'mine');
  await notify(viewer);
  expect(got('mine')).toEqual([]);
  await viewer.call(endPush, { player_id: id });
  for (let at = 0; at < 11; at += 1) {
    await site.passes(1_000);
    await register(viewer, `many${at}`);
  }
  expect((await viewer.call(getPreferences, {})).push_browsers).toBe(10);
  await notify(viewer);
  expect([got('many0').length, got('many1').length, got('many10').length]).toEqual([0, 1, 1]);
});

it('no address leads requests of the site to where they must not go', async () => {
  const strict = await createSite();
  const stranger = await strict.viewer();
  const keys = service.subscription('x');
  const wrong = [
    'http://push.example/x',
    'https://10.0.0.1/x',
    'https://[::1]/x',
    'https://[::ffff:127.0.0.1]/x',
    'https://me@push.example/x',
    'https://push.example:8443/x',
    'https://intranet/x',
    'https://x.internal/x',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'https://push.example/x#y',
    '',
    keys.endpoint,
    'https://127.0.0.1/x',
    'https://localhost/x',
    'https://2130706433/x',
  ];
  for (const endpoint of wrong) {
    expect((await stranger.refused(registerPush, { ...keys, endpoint })).errorType).toBe('endpoint_invalid');
  }
  const guest = await site.visitor();
  expect((await guest.refused(getPush, {})).status).toBe(401);
  expect((await guest.refused(registerPush, keys)).status).toBe(401);
  await strict.close();
});

it('the keys are made at the first start, stay, and are stored encrypted', async () => {
  const rows = await site.tx((tx) =>
    sql<{ private_key: string; public_key: string }>`select * from notices.push_keys`.execute(tx.sql())
  );
  const [stored, ...more] = rows.rows;
  expect(more).toEqual([]);
  expect(Buffer.from(stored?.public_key ?? '', 'base64url')).toHaveLength(65);
  // The 32-byte key alone would be 43 characters of base64url; the stored text is longer, and lacks it.
  expect(stored?.private_key.length).toBeGreaterThan(43);
  expect(stored?.private_key).not.toContain(SECRET);
  const viewer = await site.viewer();
  const [first, second] = [await viewer.call(getPush, {}), await viewer.call(getPush, {})];
  expect(first).toEqual(second);
});
