import { DAY_MS, MINUTE_MS } from '#platform/time/units.ts';
import { TestPushProvider } from '#product/testkit/outside/push-provider.ts';
import { TestPushService } from '#product/testkit/outside/push-service.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { getPreferences, setNoticeOptions } from './contract/preferences.ts';
import {
  changePushProvider,
  getPushProvider,
  getPushWorker,
  registerPlayer,
  removePushProvider,
} from './contract/push-provider.ts';
import { endPush, registerPush, reportPush } from './contract/push.ts';

let site: TestSite;
let admin: Member;
const provider = new TestPushProvider();
const own = new TestPushService();
beforeAll(async () => {
  await provider.start();
  await own.start();
  site = await createSite({ settings: { pushAllowsLoopback: true } });
  admin = await site.admin();
});
afterAll(async () => {
  await site.close();
  await provider.close();
  await own.close();
});
beforeEach(async () => {
  await admin.call(changePushProvider, { ...provider.settings, reason: 'as the test needs it' });
  provider.answers.length = 0;
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
const app = { app_id: provider.appId };
/** Registers a browser that subscribed at the provider. */
const register = async (who: Member): Promise<string> => {
  const id = provider.subscribe();
  await who.call(registerPlayer, { player_id: id, ...app });
  return id;
};
const sentTo = (id: string) => provider.sent.filter((sent) => sent.include_subscription_ids.includes(id));

it('a notice goes to the browser by the provider’s API, with app and key [A-396, C-356]', async () => {
  const viewer = await site.viewer();
  const id = await register(viewer);
  await viewer.call(setNoticeOptions, { push_discreet: false });
  await notify(viewer);
  expect(sentTo(id)).toEqual([{
    app_id: provider.appId,
    target_channel: 'push',
    include_subscription_ids: [id],
    headings: { en: 'Ada matches “Jazz”' },
    contents: { en: 'Ada just went live and matches your saved search “Jazz”.' },
    web_url: 'http://localhost/ada',
    ttl: 14_400,
    idempotency_key: expect.stringMatching(/^[0-9a-f-]{36}$/u),
  }]);
  const { push_browsers: count, push_provider: shown } = await viewer.call(getPreferences, {});
  const { script, origins } = provider.settings;
  expect([count, shown]).toEqual([1, { script, origins, app_id: provider.appId }]);
});

it('the provider gets discreet words unless the person wants more, and nothing of who it is', async () => {
  const viewer = await site.viewer();
  const id = await register(viewer);
  await notify(viewer);
  const [sent] = sentTo(id);
  expect(sent).toMatchObject({
    headings: { en: 'New notification' },
    contents: { en: 'Open to see what’s new.' },
  });
  expect(JSON.stringify(sent)).not.toContain(viewer.username);
});

it('what fails for a time is tried again with the same id, what is refused for good is not', async () => {
  const viewer = await site.viewer();
  const id = await register(viewer);
  provider.answers.push(503, 429);
  await notify(viewer);
  expect(sentTo(id)).toEqual([]);
  await site.passes(MINUTE_MS);
  await site.passes(5 * MINUTE_MS);
  expect(sentTo(id)).toHaveLength(1);
  provider.answers.push(400);
  await notify(viewer);
  await site.passes(60 * MINUTE_MS);
  expect([sentTo(id).length, provider.answers]).toEqual([1, []]);
  expect((await viewer.call(getPreferences, {})).push_browsers).toBe(1);
});

it('a browser that the provider knows no longer is deleted', async () => {
  const viewer = await site.viewer();
  const [gone, there] = [await register(viewer), await register(viewer)];
  provider.unsubscribe(gone);
  await notify(viewer);
  expect([sentTo(gone).length, sentTo(there).length]).toEqual([0, 1]);
  expect((await viewer.call(getPreferences, {})).push_browsers).toBe(1);
  expect((await viewer.refused(reportPush, { player_id: gone })).errorType).toBe('push_unknown');
  await viewer.call(reportPush, { player_id: there });
});

it('browsers of the own push wait while there is a provider, and the provider’s after it', async () => {
  const viewer = await site.viewer();
  const byProvider = await register(viewer);
  const { player_id: byUs } = await viewer.call(registerPush, own.subscription('mine'));
  const counts = () => [own.received.length, sentTo(byProvider).length];
  await notify(viewer);
  expect(counts()).toEqual([0, 1]);
  expect((await viewer.refused(reportPush, { player_id: byUs })).errorType).toBe('push_unknown');
  // A message waits for a provider that is removed meanwhile.
  provider.answers.push(503);
  await notify(viewer);
  await admin.call(removePushProvider, { reason: 'we send them ourselves' });
  await notify(viewer);
  await site.passes(60 * MINUTE_MS);
  expect(counts()).toEqual([1, 1]);
  expect((await viewer.refused(reportPush, { player_id: byProvider })).errorType).toBe('push_unknown');
  expect((await viewer.refused(registerPlayer, { player_id: byProvider, ...app })).errorType)
    .toBe('no_push_provider');
});

it('the worker file stands on the site’s own origin, and may do what its provider needs', async () => {
  const guest = await site.visitor();
  const get = () => guest.request({ url: `${getPushWorker.path}?appId=x&sdkVersion=160500` });
  const { script, worker } = provider.settings;
  const api = 'https://api.push.example';
  await admin.call(changePushProvider, { ...provider.settings, origins: [api], reason: 'another host' });
  const answer = await get();
  expect([answer.statusCode, answer.body]).toEqual([200, `importScripts("${worker}");\n`]);
  const sources = `'self' ${new URL(script).origin} ${api}`;
  expect(answer.headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'no-cache',
    'content-security-policy': `default-src 'none'; script-src ${sources}; connect-src ${sources}`,
  });
  await admin.call(removePushProvider, { reason: 'none any more' });
  expect((await get()).statusCode).toBe(404);
});

it('the key is stored encrypted, is in no answer and no log, and goes to no other address', async () => {
  const { api_key: key, ...settings } = provider.settings;
  const change = { ...settings, reason: 'a new contract' };
  const read = JSON.stringify(await admin.call(getPushProvider, {}));
  expect([read.includes(settings.script), read.includes(key)]).toEqual([true, false]);
  const { rows } = await site.tx((tx) =>
    sql<{ api_key: string }>`select * from notices.push_providers`.execute(tx.sql())
  );
  expect(JSON.stringify(rows)).not.toContain(key);
  const audited = await site.tx((tx) => sql`select * from platform.audit`.execute(tx.sql()));
  const written = JSON.stringify(audited.rows);
  expect([written.includes('notices.changePushProvider'), written.includes(key)]).toEqual([true, false]);
  // The key is retained when other fields change, and asked for when it would go elsewhere.
  await admin.call(changePushProvider, { ...change, worker: `${settings.script}?worker` });
  for (const other of [{ api_url: 'https://api.push.example/x' }, { app_id: 'another-app' }]) {
    expect((await admin.refused(changePushProvider, { ...change, ...other })).errorType)
      .toBe('api_key_missing');
  }
  const viewer = await site.viewer();
  const id = await register(viewer);
  await notify(viewer);
  expect(sentTo(id)).toHaveLength(1);
  provider.answers.push(401);
  await notify(viewer);
  expect(site.log.join('\n')).not.toContain(key);
});

it('only admins choose a provider, only https ones with a public address, outside of a demo', async () => {
  const guest = await site.visitor();
  const change = { ...provider.settings, reason: 'mine now' };
  const moderator = await site.viewer({ roles: ['site_mod'] });
  for (const who of [await site.viewer(), await site.performer(), moderator]) {
    for (const call of [changePushProvider, removePushProvider, getPushProvider]) {
      expect((await who.refused(call, call === getPushProvider ? {} : change)).status).toBe(403);
    }
  }
  expect((await guest.refused(getPushProvider, {})).status).toBe(401);
  const player = { player_id: provider.subscribe(), ...app };
  expect((await guest.refused(registerPlayer, player)).status).toBe(401);
  expect(
    (await (await site.viewer()).refused(registerPlayer, {
      player_id: provider.subscribe(),
      app_id: 'another-app',
    })).errorType,
  ).toBe('player_invalid');
  const strict = await createSite({
    settings: {
      mode: 'production',
      publicUrl: 'http://cam.example',
      geoFallback: 'BR',
    },
  });
  const its = await strict.admin({ host: 'cam.example' });
  for (const api of [provider.settings.api_url, 'https://10.0.0.1/x', 'https://api.example:8443/x']) {
    expect((await its.refused(changePushProvider, { ...change, api_url: api })).errorType)
      .toBe('api_address_invalid');
  }
  await strict.close();
});

it('a registration ends with the person’s word, unreported, and when it is another’s', async () => {
  const viewer = await site.viewer();
  const [ended, shared] = [await register(viewer), await register(viewer)];
  await viewer.call(endPush, { player_id: ended });
  const other = await site.viewer();
  await other.call(registerPlayer, { player_id: shared, ...app });
  await notify(viewer);
  expect([ended, shared].flatMap(sentTo)).toEqual([]);
  await notify(other);
  expect(sentTo(shared)).toHaveLength(1);
  await site.passes(61 * DAY_MS);
  await notify(await site.memberOf(other.username));
  expect(sentTo(shared)).toHaveLength(1);
  const later = await site.memberOf(viewer.username);
  const many: string[] = [];
  for (let at = 0; at < 11; at += 1) {
    await site.passes(1_000);
    many.push(await register(later));
  }
  await notify(later);
  expect(many.map((id) => sentTo(id).length)).toEqual([0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
});
