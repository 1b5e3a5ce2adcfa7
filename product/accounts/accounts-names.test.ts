import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSite, type TestSite } from '../testkit/site.ts';
import { getCurrentUser, register, updateProfile } from './contract.ts';
import { changeUsername } from './contract/life/username.ts';
import { posesAsStaff } from './rules/life/posing.ts';

const PASSWORD = 'a horse of another colour';
let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const signsUp = async (username: string): Promise<string> => {
  const visitor = await site.visitor();
  const answer = await visitor.refused(register, {
    username, email: `${crypto.randomUUID()}@people.example`, password: PASSWORD, birth_date: '1990-05-05',
    type: 'user', accept_terms: true,
  }).catch(() => ({ errorType: 'signed_up' }));
  return answer.errorType;
};

describe('a name that poses as staff', () => {
  it.each([
    'Support', 'SUPPORT', 'Candela', 'Candela Support', 'candela-team', 'Ana (Admin)', 'S u p p o r t',
    's.u.p.p.o.r.t',
    'Аdmin', 'adm1n', '$upport', 'ＡＤＭＩＮ', 'Modérateur', 'MyAdmin', 'Cаndеlа Team', 'Support24', 'Süpport',
  ])('%s is refused', (name) => {
    expect(posesAsStaff(name, 'Candela')).toBe(true);
  });
  it.each([
    'Ana Lune', 'Supporter', 'Candy', 'Administrata', 'Stafford', 'Ms. Moss', 'A B C', 'مرحبا', 'Systemic',
  ])('%s is fine', (name) => {
    expect(posesAsStaff(name, 'Candela')).toBe(false);
  });
});

describe('names that people choose', () => {
  it('are shown cleaned, and refused where they show nothing, are an address or pose as staff', async () => {
    const viewer = await site.viewer();
    const called = async (display_name: string): Promise<string> => {
      await viewer.call(updateProfile, { display_name });
      return (await viewer.call(getCurrentUser, {})).user.display_name;
    };
    expect(await called('  Ana\u202E \uFFFE  e\u0301va ')).toBe('Ana éva');
    expect(await called(`x${'\u0335'.repeat(20)}`)).toBe('x\u0335\u0335');
    for (const refused of [
      ' ', '\u3164', '\u200B\u2060', '\u0301', 'Candela Support', 'https://evil.example', 'Ana evil.example',
    ]) {
      const { errorType } = await viewer.refused(updateProfile, { display_name: refused });
      expect([refused, errorType]).toEqual([refused, 'display_name_refused']);
    }
    // One from before stays, so that the rest of the profile can be saved.
    await site.tx((tx) => sql`
      update accounts.people set display_name = 'evil.example' where id = ${viewer.id}`.execute(tx.sql()));
    await viewer.call(updateProfile, { display_name: 'evil.example', about: 'Hello' });
    const moderator = await site.viewer({ roles: ['site_mod'] });
    await moderator.call(updateProfile, { display_name: 'Candela Support' });
  });

  it('are no usernames of staff, and differ from every other by more than separators', async () => {
    for (const name of ['candela-help', 'the-admin', 'support_24', 'candelateam']) {
      expect([name, await signsUp(name)]).toEqual([name, 'username_taken']);
    }
    expect(await signsUp('velvet-moon')).toBe('signed_up');
    for (const name of ['velvetmoon', 'velvet_moon', 'vel-vet-moon', 'velvet--moon', 'velvetmoon_']) {
      expect([name, await signsUp(name)]).toEqual([name, 'username_taken']);
    }
    const viewer = await site.viewer();
    for (const username of ['velvetmoon', 'ad-min']) {
      expect((await viewer.refused(changeUsername, { username })).errorType).toBe('username_taken');
    }
  });
});
