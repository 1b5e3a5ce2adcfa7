import { DAY_MS } from '#platform/time/units.ts';
import { login, updateProfile } from '#product/accounts/contract.ts';
import { updateSettings } from '#product/accounts/contract/settings.ts';
import { beginTwoFactor, confirmTwoFactor } from '#product/accounts/contract/two-factor.ts';
import { cancelMembership } from '#product/billing/contract/orders.ts';
import { setDetails } from '#product/broadcast/contract.ts';
import { follow, unfollow } from '#product/messaging/contract.ts';
import { saveListingProfile } from '#product/performers/contract.ts';
import { openShop } from '#product/testkit/payments/open-shop.ts';
import type { Member, TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { generateSync } from 'otplib';
import { beforeAll, expect, it } from 'vitest';

const shop = await openShop();
const site: TestSite = shop.site;
let performer: Member;
beforeAll(async () => {
  performer = await site.performer({ live: true });
});

interface Answer {
  readonly user: Record<string, unknown> & { readonly geo: Record<string, unknown> };
  readonly [field: string]: unknown;
}
/** GET /user/current as it is on the wire. */
async function currentOf(who: Visitor): Promise<Answer> {
  const answer = await who.request({ method: 'GET', url: '/api/v1/user/current' });
  expect(answer.statusCode).toBe(200);
  return answer.json<Answer>();
}

it('a guest’s username starts with guest_; nothing of an account is said of them [A-161]', async () => {
  const guest = await site.visitor({ ofAge: true });
  const { user } = await currentOf(guest);
  expect(user['username']).toMatch(/^guest_[a-z0-9]{8}$/u);
  expect(user).toMatchObject({ id: null, email: null, type: 'user', membership: null, user_roles: [] });
  expect((await currentOf(await site.viewer())).user['username']).not.toMatch(/^guest_/u);
});

it('type is model for performers, and user for everybody else [A-162]', async () => {
  const types = await Promise.all([
    performer,
    await site.viewer(),
    await site.admin(),
    await site.visitor({ ofAge: true }),
  ].map(async (who) => (await currentOf(who)).user['type']));
  expect(types).toEqual(['model', 'user', 'user', 'user']);
});

it('membership is vip, super_vip or premium, or none [A-163]', async () => {
  const of = async (who: Member) => {
    const { user: { membership, is_premium: isPremium } } = await currentOf(who);
    return [membership, isPremium];
  };
  expect(await of(await site.viewer())).toEqual([null, false]);
  for (const level of ['premium', 'vip', 'super_vip']) {
    const member = await site.viewer();
    await shop.buys(member, `membership_${level}`);
    await shop.settle();
    expect(await of(member)).toEqual([level, true]);
  }
});

it('geo has ip, isoCode, state and locale of this request, and nobody else’s [A-164]', async () => {
  const member = await site.viewer({ region: 'US-FL', language: 'de' });
  const { user } = await currentOf(member);
  expect(user.geo).toEqual({ ip: expect.any(String) as string, isoCode: 'US', state: 'FL', locale: 'de' });
  const direct = await member.request({
    method: 'GET',
    url: '/api/v1/user/current',
    remoteAddress: '203.0.113.9',
  });
  expect(direct.json<Answer>().user.geo['ip']).toBe('203.0.113.9');
  // A forwarded address from an untrusted client is ignored.
  const forged = await member.request({
    method: 'GET',
    url: '/api/v1/user/current',
    remoteAddress: '203.0.113.9',
    headers: { 'x-forwarded-for': '198.51.100.7' },
  });
  expect(forged.json<Answer>().user.geo['ip']).toBe('203.0.113.9');
});

it('following lists whom one follows by followname, while one may perceive them [A-169]', async () => {
  const member = await site.viewer();
  const other = await site.performer({ live: true });
  expect((await currentOf(member)).user['following']).toEqual([]);
  await other.call(updateProfile, { display_name: 'Ivy of the Rain' });
  for (const { username } of [performer, other]) await member.call(follow, { username });
  expect((await currentOf(member)).user['following'])
    .toEqual([{ followname: other.username }, { followname: performer.username }]);
  await site.tx((tx) =>
    site.services.accounts.suspend(tx, other.id, {
      suspended: true,
      actorId: null,
      reason: 'left',
    })
  );
  expect((await currentOf(member)).user['following']).toEqual([{ followname: performer.username }]);
  await member.call(unfollow, { username: performer.username });
  expect((await currentOf(member)).user['following']).toEqual([]);
});

it('socialMedia has amazon, bluesky, instagram and twitter [A-175]', async () => {
  const none = { amazon: null, bluesky: null, instagram: null, twitter: null };
  expect((await currentOf(performer))['socialMedia']).toEqual(none);
  expect((await currentOf(await site.visitor({ ofAge: true })))['socialMedia']).toEqual(none);
  await performer.call(updateProfile, {
    social_media: {
      amazon: 'https://www.amazon.com/hz/wishlist/ls/1',
      bluesky: 'luna.bsky.social',
      instagram: 'luna_v',
    },
  });
  await performer.call(updateSettings, { twitter: { is_enabled: true, username: 'luna' } });
  const said = {
    amazon: 'https://www.amazon.com/hz/wishlist/ls/1',
    bluesky: 'luna.bsky.social',
    instagram: 'luna_v',
    twitter: 'luna',
  };
  expect((await currentOf(performer))['socialMedia']).toEqual(said);
  await performer.call(updateSettings, { twitter: { is_enabled: false, username: 'luna' } });
  await performer.call(updateProfile, { social_media: { instagram: '' } });
  expect((await currentOf(performer))['socialMedia']).toEqual({ ...said, twitter: null, instagram: null });
});

it('fields of later slices come from them: tags, the voyeur room, the last payment', async () => {
  await performer.call(setDetails, { title: 'Songs', tags: ['jazz', 'piano'] });
  await performer.call(saveListingProfile, { voyeur_room: 'kitchen' });
  expect((await currentOf(performer)).user).toMatchObject({
    tags: ['jazz', 'piano'],
    isVoyeurCam: true,
    has2faEnabled: false,
    two_factor_auth_type: null,
  });
  const member = await site.viewer();
  expect(await currentOf(member)).toMatchObject({ lastPayment: null, has_purchase: false });
  await shop.buys(member, '1_100');
  await shop.settle();
  expect((await currentOf(member))['lastPayment']).toEqual({
    at: site.clock.now().toISOString(),
    amount: { minor: expect.any(Number) as number, currency: 'USD' },
  });
  const password = 'correct horse battery';
  const { secret } = await member.call(beginTwoFactor, { password });
  const code = generateSync({ secret, epoch: Math.floor(site.clock.now().getTime() / 1_000) });
  await member.call(confirmTwoFactor, { code });
  const steps = { has2faEnabled: true, two_factor_auth_type: 'totp' };
  expect((await currentOf(member)).user).toMatchObject(steps);
  const stranger = await site.visitor();
  expect((await stranger.refused(login, { login: member.username, password })).errorType)
    .toBe('code_required');
});

it('membership is none again once it has ended [A-163]', async () => {
  const member = await site.viewer();
  await shop.buys(member, 'membership_vip');
  await member.call(cancelMembership, {});
  expect((await currentOf(member)).user).toMatchObject({ membership: 'vip', is_premium: true });
  await shop.passes(40 * DAY_MS);
  await member.opens();
  await member.logsIn();
  expect((await currentOf(member)).user).toMatchObject({ membership: null, is_premium: false });
});
