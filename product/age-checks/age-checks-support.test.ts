import { DAY_MS } from '#platform/time/units.ts';
import { getCurrentUser } from '#product/accounts/contract.ts';
import { getEntry } from '#product/compliance/contract.ts';
import { listOutbox } from '#product/notices/contract.ts';
import { openAgeCheckedSite } from '#product/testkit/age-checks/age-checks.ts';
import type { Member } from '#product/testkit/site.ts';
import { describe, expect, it } from 'vitest';
import {
  askSupport,
  decideSupportCheck,
  finishCheck,
  getAgeVerification,
  listSupportChecks,
} from './contract.ts';

const { site } = await openAgeCheckedSite();
const REGION = 'US-FL';
const REASON = 'passport and a picture of today, seen in the ticket';

const waitingIdOf = async (admin: Member, { username }: Member): Promise<number> => {
  const { checks } = await admin.call(listSupportChecks, {});
  return checks.find((check) => check.username === username)?.id ?? 0;
};
const mailsTo = async (admin: Member, { person }: Member) => {
  await site.settle();
  return (await admin.call(listOutbox, {})).mails.filter(({ to }) => to === person.email);
};
const gateOf = async (member: Member): Promise<string> => (await member.call(getEntry, {})).gate;
const methodsOf = async (member: Member) =>
  (await member.call(getCurrentUser, {})).user.ageVerification.methods;

describe('a check by support', () => {
  it('is pending until somebody decides, and then opens the gate of its person', async () => {
    const [member, admin] = [await site.viewer({ region: REGION, language: 'de' }), await site.admin()];
    expect(await methodsOf(member)).toEqual({ yoti: null, zendesk: null });
    await member.call(askSupport, { message: 'I have no phone with a camera.' });
    expect(await methodsOf(member)).toEqual({ yoti: null, zendesk: 'pending' });
    expect((await member.call(getAgeVerification, {})).pending)
      .toEqual({ kind: 'support', since: site.clock.now().toISOString() });
    expect(await member.call(finishCheck, {})).toEqual({ state: 'pending', gate: 'verify' });
    expect((await member.refused(askSupport, { message: 'Again.' })).errorType).toBe('too_many_attempts');
    const id = await waitingIdOf(admin, member);
    const decided = await admin.call(decideSupportCheck, { id, decision: 'verify', reason: REASON });
    expect(decided).toMatchObject({
      username: member.username,
      decision: 'verified',
      decided_by: admin.username,
      message: null,
    });
    expect(await methodsOf(member)).toEqual({ yoti: null, zendesk: 'verified' });
    expect(await member.call(finishCheck, {})).toEqual({ state: 'verified', gate: 'open' });
    expect(await gateOf(member)).toBe('open');
    const [mail] = await mailsTo(admin, member);
    expect(mail?.subject).toMatch(/^Dein Alter ist bei .+ bestätigt$/u);
    expect(mail?.text).toContain('http://localhost/verify-age');
  });

  it('that is refused opens nothing, and says so by email', async () => {
    const [member, admin] = [await site.viewer({ region: REGION }), await site.admin()];
    await member.call(askSupport, { message: 'Here is my library card.' });
    const id = await waitingIdOf(admin, member);
    await admin.call(decideSupportCheck, { id, decision: 'refuse', reason: REASON });
    expect(await methodsOf(member)).toEqual({ yoti: null, zendesk: 'failed' });
    expect((await member.refused(finishCheck, {})).errorType).toBe('no_check');
    expect(await gateOf(member)).toBe('verify');
    expect((await mailsTo(admin, member))[0]?.subject).toMatch(/^We couldn’t verify your age at/u);
    const { checks } = await admin.call(listSupportChecks, { decided: true });
    expect(checks.find((check) => check.id === id)).toMatchObject({ decision: 'refused', message: null });
    await site.passes(30 * DAY_MS);
    const later = await site.admin();
    expect((await later.call(listSupportChecks, { decided: true })).checks.some((check) => check.id === id))
      .toBe(false);
  });

  it('is decided once, by admins, and by nobody about themselves', async () => {
    const [admin, other] = [await site.admin({ region: REGION }), await site.admin()];
    await admin.call(askSupport, { message: 'Please verify me.' });
    const id = await waitingIdOf(other, admin);
    const decision = { id, decision: 'verify', reason: REASON } as const;
    expect((await admin.refused(decideSupportCheck, decision)).errorType).toBe('own_support_check');
    expect(await gateOf(admin)).toBe('verify');
    const member = await site.viewer({ region: REGION });
    expect((await member.refused(decideSupportCheck, decision)).status).toBe(403);
    expect((await member.refused(listSupportChecks, {})).status).toBe(403);
    await other.call(decideSupportCheck, { ...decision, decision: 'refuse' });
    expect((await other.refused(decideSupportCheck, decision)).errorType).toBe('support_check_unknown');
    expect((await other.refused(decideSupportCheck, { ...decision, id: 999_999 })).errorType)
      .toBe('support_check_unknown');
  });

  it('is for members, and only where the region accepts it', async () => {
    const guest = await site.visitor({ region: REGION });
    expect((await guest.refused(askSupport, { message: 'Hello' })).status).toBe(401);
    const french = await site.viewer({ region: 'FR' });
    expect((await french.refused(askSupport, { message: 'Hello' })).errorType).toBe('check_unavailable');
    const member = await site.viewer({ region: REGION });
    for (const message of ['', '  ', 'x'.repeat(1_001), 'a\u202Eb']) {
      expect((await member.refused(askSupport, { message })).errorType).toBe('invalid_input');
    }
  });
});
