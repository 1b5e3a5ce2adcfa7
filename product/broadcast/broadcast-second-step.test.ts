import { DAY_MS, MINUTE_MS } from '#platform/time/units.ts';
import { getCurrentUser, updateProfile } from '#product/accounts/contract.ts';
import { suspendPerson } from '#product/accounts/contract/life/people.ts';
import { addPasskey, beginPasskey } from '#product/accounts/contract/passkeys.ts';
import {
  beginTwoFactor,
  confirmTwoFactor,
  endTwoFactor,
  getTwoFactor,
} from '#product/accounts/contract/two-factor.ts';
import { changeOperatorRules, getOperatorRules } from '#product/site/contract/operator-rules.ts';
import { Authenticator } from '#product/testkit/passkey-authenticator.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { generateSync } from 'otplib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeBrowserKey } from './contract.ts';

const password = 'correct horse battery';
let site: TestSite;
let chief: Member;
beforeAll(async () => {
  site = await createSite();
  chief = await site.admin();
  await turnsOn(chief);
});
afterAll(() => site.close());

const codeOf = (secret: string): string =>
  generateSync({ secret, epoch: Math.floor(site.clock.now().getTime() / 1000) });
/** Sets up an authenticator app; returns a function that gives its current code. */
async function turnsOn(who: Member): Promise<() => string> {
  const { secret } = await who.call(beginTwoFactor, { password });
  await who.call(confirmTwoFactor, { code: codeOf(secret) });
  return () => codeOf(secret);
}
const requires = (on: boolean) =>
  chief.call(changeOperatorRules, { require_two_factor: on, reason: 'the insurer asks for it' });
const dueOf = async (who: Member) => (await who.call(getCurrentUser, {})).user.two_factor_required_by;
const REFUSED = { status: 403, errorType: 'two_factor_required' };
const dayAfter = (days: number): string => new Date(site.clock.now().getTime() + days * DAY_MS).toISOString();

describe('two-step log-in, where it is required of staff and performers', () => {
  it('is required of nobody unless the operator says so', async () => {
    expect(await chief.call(getOperatorRules, {})).toMatchObject({ require_two_factor: false });
    const [performer, admin] = [await site.performer(), await site.admin()];
    await site.passes(9 * DAY_MS);
    await performer.call(makeBrowserKey, {});
    await admin.call(getOperatorRules, {});
    expect([await dueOf(performer), await dueOf(admin)]).toEqual([null, null]);
  });

  it('closes all but a member’s calls from the eighth day on, until it is set up', async () => {
    const [performer, admin] = [await site.performer(), await site.admin()];
    const [moderator, viewer] = [await site.viewer({ roles: ['site_mod'] }), await site.viewer()];
    const key = await site.tx((tx) => site.services.broadcast.makeStreamKey(tx, performer.id));
    await requires(true);
    const due = dayAfter(7);
    for (const who of [performer, admin, moderator]) expect(await dueOf(who)).toBe(due);
    expect([await dueOf(viewer), await dueOf(chief)]).toEqual([null, null]);
    // Saving the rules again does not extend anybody's grace period.
    await site.passes(3 * DAY_MS);
    await requires(true);
    await site.passes(4 * DAY_MS - MINUTE_MS);
    await performer.call(makeBrowserKey, {});
    await admin.call(getOperatorRules, {});
    const badged = async (): Promise<readonly number[]> => {
      const people = [performer, admin, moderator, viewer, chief].map(({ person }) => person);
      return [...await site.tx((tx) => site.services.accounts.staffAmong(tx, people))];
    };
    expect(await badged()).toEqual([admin.id, moderator.id, chief.id]);
    await site.passes(MINUTE_MS);

    // Staff who count only as members have no staff badge either.
    expect(await badged()).toEqual([chief.id]);
    expect(await performer.refused(makeBrowserKey, {})).toMatchObject(REFUSED);
    expect(await site.rtmp.publishes(key)).toMatchObject({ admitted: false });
    expect(await admin.refused(getOperatorRules, {})).toMatchObject(REFUSED);
    // Nor can an admin switch the rule off, or act on people.
    expect(await admin.refused(changeOperatorRules, { require_two_factor: false, reason: 'in the way' }))
      .toMatchObject(REFUSED);
    expect(await moderator.refused(getOperatorRules, {})).toMatchObject({ errorType: 'forbidden' });
    const order = { username: viewer.username, suspended: true, reason: 'none' };
    expect(await admin.refused(suspendPerson, order)).toMatchObject(REFUSED);
    expect(await viewer.refused(makeBrowserKey, {})).toMatchObject({ errorType: 'forbidden' });
    // A new log-in does not get around it, and members' calls still work.
    expect(await (await site.anotherTabOf(performer)).refused(makeBrowserKey, {})).toMatchObject(REFUSED);
    await performer.call(updateProfile, { about: 'Back soon' });
    expect(await performer.call(getTwoFactor, {})).toMatchObject({ is_on: false });
    await chief.call(getOperatorRules, {});

    const code = await turnsOn(performer);
    await performer.call(makeBrowserKey, {});
    expect(await site.rtmp.publishes(key)).toMatchObject({ admitted: true });
    expect(await dueOf(performer)).toBeNull();
    // When the second step is turned off again, everything closes again.
    await site.passes(MINUTE_MS);
    await performer.call(endTwoFactor, { password, code: code() });
    expect(await performer.refused(makeBrowserKey, {})).toMatchObject(REFUSED);
  });

  it('is met by a passkey too, in the session that proved it', async () => {
    const admin = await site.admin();
    await site.passes(7 * DAY_MS);
    expect(await admin.refused(getOperatorRules, {})).toMatchObject(REFUSED);
    const { ticket, options } = await admin.call(beginPasskey, { password });
    const credential = new Authenticator().makes(options, 'http://localhost');
    await admin.call(addPasskey, { ticket, name: 'My key', credential });
    await admin.call(getOperatorRules, {});
    const other = await site.anotherTabOf(admin);
    expect(await other.refused(getOperatorRules, {})).toMatchObject(REFUSED);
  });

  it('leaves seven days to an account that is younger than the rule, and ends with it', async () => {
    const performer = await site.performer();
    expect(await dueOf(performer)).toBe(dayAfter(7));
    await site.passes(8 * DAY_MS);
    expect(await performer.refused(makeBrowserKey, {})).toMatchObject(REFUSED);
    await requires(false);
    await performer.call(makeBrowserKey, {});
  });

  it('is each operator’s own', async () => {
    await requires(true);
    const brand = { displayName: 'Other', sitecode: 'o', hosts: ['other.example'] };
    const other = await site.services.site.addOperator('Other', brand);
    expect((await site.services.site.settingsOf(other)).twoFactorSince).toBeNull();
  });
});
