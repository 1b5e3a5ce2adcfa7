/** A tile shows a staff name while the role counts, and not a moment longer. */
import { updateProfile } from '#product/accounts/contract.ts';
import { addPasskey, beginPasskey, removePasskey } from '#product/accounts/contract/passkeys.ts';
import { beginTwoFactor, confirmTwoFactor, endTwoFactor } from '#product/accounts/contract/two-factor.ts';
import { changeOperatorRules } from '#product/site/contract/operator-rules.ts';
import { Authenticator } from '#product/testkit/passkey-authenticator.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { generateSync } from 'otplib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { browseLive } from './contract.ts';

const password = 'correct horse battery';
const WEEK_MS = 7 * 24 * 60 * 60 * 1000;
let site: TestSite;
let guest: Visitor;
let chief: Member;
let performer: Member;
beforeAll(async () => {
  site = await createSite();
  guest = await site.visitor({ ofAge: true });
  chief = await site.admin();
  await setsUp(chief);
  performer = await site.performer({ roles: ['site_mod'], live: true });
  await performer.call(updateProfile, { display_name: 'Candela Team' });
});
afterAll(() => site.close());

const appCode = (secret: string): string =>
  generateSync({ secret, epoch: Math.floor(site.clock.now().getTime() / 1000) });
/** Sets up the second step of somebody's log-in; returns a function that shows its code. */
async function setsUp(who: Member): Promise<() => string> {
  const { secret } = await who.call(beginTwoFactor, { password });
  await who.call(confirmTwoFactor, { code: appCode(secret) });
  return () => appCode(secret);
}
const requires = (isRequired: boolean): Promise<unknown> =>
  chief.call(changeOperatorRules, { require_two_factor: isRequired, reason: 'the insurer asks for it' });
/** The name on the tile, once facts are delivered. */
async function nameOnTile(): Promise<string | undefined> {
  await site.settle();
  const { userList } = await guest.call(browseLive, { path: '' });
  return userList.find(({ username }) => username === performer.username)?.displayName;
}

it('follows the rule, the day that it begins to count, and the second step', async () => {
  expect(await nameOnTile()).toBe('Candela Team');
  await requires(true);
  await site.passes(WEEK_MS - 1_000);
  expect(await nameOnTile()).toBe('Candela Team');
  await site.passes(1_000);
  expect(await nameOnTile()).toBe(performer.username);
  // The rule is removed, and returns a week later.
  await requires(false);
  expect(await nameOnTile()).toBe('Candela Team');
  await requires(true);
  await site.passes(WEEK_MS);
  expect(await nameOnTile()).toBe(performer.username);

  performer = await site.memberOf(performer.username);
  const code = await setsUp(performer);
  expect(await nameOnTile()).toBe('Candela Team');
  await site.passes(60_000);
  await performer.call(endTwoFactor, { password, code: code() });
  expect(await nameOnTile()).toBe(performer.username);
  const { ticket, options } = await performer.call(beginPasskey, {});
  const credential = new Authenticator().makes(options, 'http://localhost');
  const { passkeys: [key] } = await performer.call(addPasskey, { ticket, name: 'A key', credential });
  expect(await nameOnTile()).toBe('Candela Team');
  await performer.call(removePasskey, { id: key?.id ?? 0 });
  expect(await nameOnTile()).toBe(performer.username);
});

it('nothing went wrong on the server', () => expect(site.log).toEqual([]));
