import { changePushProvider, registerPlayer } from '#product/notices/contract/push-provider.ts';
import { registerPush, reportPush } from '#product/notices/contract/push.ts';
import { TestPushProvider } from '#product/testkit/outside/push-provider.ts';
import { TestPushService } from '#product/testkit/outside/push-service.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { logout } from './contract.ts';
import { endDevice, listDevices } from './contract/devices.ts';

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

it('push messages of a browser end with its session, and those of no other', async () => {
  const viewer = await site.viewer();
  const phone = await site.anotherTabOf(viewer);
  await register(viewer, 'desktop');
  await register(phone, 'phone');
  await phone.call(logout, {});
  await notify(viewer);
  expect([got('desktop').length, got('phone').length]).toEqual([1, 0]);
  const tablet = await site.anotherTabOf(viewer);
  const { player_id } = await register(tablet, 'tablet');
  const { sessions } = await viewer.call(listDevices, {});
  const id = sessions.find((session) => !session.is_current)?.id ?? 0;
  await viewer.call(endDevice, { id });
  await notify(viewer);
  expect([got('desktop').length, got('tablet').length]).toEqual([2, 0]);
  // The next person to log in there registers the browser again.
  const again = await site.anotherTabOf(viewer);
  expect((await again.refused(reportPush, { player_id })).errorType).toBe('push_unknown');
});

it('so do those that a push provider delivers', async () => {
  const provider = new TestPushProvider();
  await provider.start();
  const admin = await site.admin();
  await admin.call(changePushProvider, { ...provider.settings, reason: 'as the test needs it' });
  const viewer = await site.viewer();
  const phone = await site.anotherTabOf(viewer);
  const ids = [provider.subscribe(), provider.subscribe()];
  for (const [at, who] of [viewer, phone].entries()) {
    await who.call(registerPlayer, { player_id: ids[at] ?? '', app_id: provider.appId });
  }
  await phone.call(logout, {});
  await notify(viewer);
  expect(provider.sent.flatMap((sent) => sent.include_subscription_ids)).toEqual([ids[0]]);
  await provider.close();
});
