/** Every staff role requires a second step: before that, none of its rights applies. */
import { MINUTE_MS } from '#platform/time/units.ts';
import { login } from '#product/accounts/contract.ts';
import { setRole } from '#product/accounts/contract/staff-roles.ts';
import { beginTwoFactor, confirmTwoFactor } from '#product/accounts/contract/two-factor.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { generateSync } from 'otplib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { moderate, setSiteChatRules } from './contract.ts';

const PASSWORD = 'correct horse battery';
let site: TestSite;
let chief: Member;
let performer: Member;
const codeOf = (secret: string): string =>
  generateSync({ secret, epoch: Math.floor(site.clock.now().getTime() / 1000) });
async function addsApp(owner: Visitor): Promise<string> {
  const { secret } = await owner.call(beginTwoFactor, { password: PASSWORD });
  await owner.call(confirmTwoFactor, { code: codeOf(secret) });
  return secret;
}
beforeAll(async () => {
  site = await createSite({ settings: { staffNeedsSecondStep: true } });
  chief = await site.admin({ roles: ['super_admin'] });
  await addsApp(chief);
  performer = await site.performer();
});
afterAll(() => site.close());

/** A sample right of each role: site-wide blocked words, or moderating somebody else's room. */
const words = {
  tries: (who: Visitor) => who.call(setSiteChatRules, { blocked_words: ['word'] }),
  refused: async (who: Visitor) => (await who.refused(setSiteChatRules, { blocked_words: [] })).errorType,
  code: 'two_factor_required',
};
const inRoom = async () => {
  const order = {
    username: performer.username,
    subject: (await site.viewer()).username,
    action: 'ban' as const,
  };
  return {
    tries: (who: Visitor) => who.call(moderate, order),
    refused: async (who: Visitor) => (await who.refused(moderate, order)).errorType,
    code: 'moderation_forbidden',
  };
};

it.each(['site_mod', 'model_admin', 'admin', 'super_admin'] as const)(
  'the role %s opens nothing until its second step, and then in a session with it alone',
  async (role) => {
    const { tries, refused, code } = role === 'model_admin' ? await inRoom() : words;
    const member = await site.viewer();
    const enters = async (more: { code?: string } = {}): Promise<Visitor> => {
      const browser = await site.visitor({ ofAge: true });
      await browser.call(login, { login: member.username, password: PASSWORD, ...more });
      await browser.opens();
      return browser;
    };
    const second = await enters();
    await chief.call(setRole, { username: member.username, role, on: true, reason: 'a test' });
    for (const browser of [member, second]) expect(await refused(browser)).toBe(code);
    const secret = await addsApp(member);
    expect(await tries(member)).toBeTruthy();
    // The other browser has only the password, like somebody who has just learned it.
    expect(await refused(second)).toBe(code);
    const stranger = await site.visitor();
    expect((await stranger.refused(login, { login: member.username, password: PASSWORD })).errorType)
      .toBe('code_required');
    site.clock.advance(MINUTE_MS);
    expect(await tries(await enters({ code: codeOf(secret) }))).toBeTruthy();
  },
);
