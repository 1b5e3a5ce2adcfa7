import { DAY_MS, MINUTE_MS } from '#platform/time/units.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { runStuffing } from '#product/testkit/stuffing.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getAuthState, login, requestPasswordReset } from './contract.ts';

const PASSWORD = 'correct horse battery';
let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const codesTo = ({ person: { email } }: Member): Promise<readonly string[]> => site.loginCodesOf(email);
let networks = 0;
/** A new browser, in a network of its own. */
const elsewhere = (): Promise<Visitor> => site.visitor({ address: `203.0.${networks += 1}.9` });
const nameOf = ({ username }: Member) => ({ login: username, password: PASSWORD });
/** The refusal of a log-in with this code. */
const refusedFor = async (browser: Visitor, owner: Member, code: string): Promise<string> =>
  (await browser.refused(login, { ...nameOf(owner), code })).errorType;
const isIn = async (browser: Visitor): Promise<boolean> => {
  await browser.opens();
  return (await browser.call(getAuthState, {})).authenticated;
};

describe('a right password in a new browser on a new network', () => {
  it('opens no session without the code that is sent to the owner', async () => {
    const owner = await site.viewer();
    const browser = await elsewhere();
    expect(await browser.refused(login, nameOf(owner))).toMatchObject({
      errorType: 'email_code_required',
      status: 401,
      message: 'We don’t know this browser yet. Enter the code we’ve sent to your email address.',
    });
    expect(await isIn(browser)).toBe(false);
    const [code, ...rest] = await codesTo(owner);
    expect(rest).toEqual([]);
    await browser.call(login, { ...nameOf(owner), code: ` ${code?.slice(0, 3)} ${code?.slice(3)} ` });
    expect(await isIn(browser)).toBe(true);
    // The network is known from now on.
    const other = await site.visitor({ address: `203.0.${networks}.77` });
    await other.call(login, nameOf(owner));
  });

  it('is no riddle: five wrong codes, ten minutes or one use end a code', async () => {
    const owner = await site.viewer();
    const browser = await elsewhere();
    await browser.refused(login, nameOf(owner));
    const [first = ''] = await codesTo(owner);
    const wrong = first === '000000' ? '000001' : '000000';
    for (let at = 0; at < 5; at += 1) {
      expect(await refusedFor(browser, owner, wrong)).toBe('email_code_wrong');
    }
    expect(await refusedFor(browser, owner, first)).toBe('email_code_wrong');
    expect((await browser.refused(login, nameOf(owner))).errorType).toBe('email_code_required');
    const [second = ''] = await codesTo(owner);
    expect(await codesTo(owner)).toHaveLength(2);
    site.clock.advance(11 * MINUTE_MS);
    expect(await refusedFor(browser, owner, second)).toBe('email_code_wrong');
    site.clock.advance(15 * MINUTE_MS);
    await browser.refused(login, nameOf(owner));
    const [third = ''] = await codesTo(owner);
    await browser.call(login, { ...nameOf(owner), code: third });
    const thief = await elsewhere();
    expect(await refusedFor(thief, owner, third)).toBe('email_code_wrong');
  });

  it('gets its code, however many links to a new password a stranger asked for', async () => {
    const owner = await site.viewer();
    for (let times = 0; times < 6; times += 1) {
      await (await elsewhere()).call(requestPasswordReset, { email: owner.person.email });
      await site.settle();
    }
    const browser = await elsewhere();
    await browser.refused(login, nameOf(owner));
    const [code = 'no code'] = await codesTo(owner);
    await browser.call(login, { ...nameOf(owner), code });
    expect(await isIn(browser)).toBe(true);
    // Codes have a limit too.
    for (let times = 0; times < 6; times += 1) {
      site.clock.advance(2 * MINUTE_MS);
      await (await elsewhere()).refused(login, nameOf(owner));
    }
    expect(await codesTo(owner)).toHaveLength(5);
  });

  it('sends one email a minute, and none for a wrong password', async () => {
    const owner = await site.viewer();
    const browser = await elsewhere();
    await browser.refused(login, { ...nameOf(owner), password: 'not the password' });
    expect(await codesTo(owner)).toEqual([]);
    await browser.refused(login, nameOf(owner));
    await browser.refused(login, nameOf(owner));
    expect(await codesTo(owner)).toHaveLength(1);
    site.clock.advance(MINUTE_MS);
    await browser.refused(login, nameOf(owner));
    expect(await codesTo(owner)).toHaveLength(2);
  });

  it('needs the code of this person: another’s is wrong', async () => {
    const [owner, thief] = [await site.viewer(), await site.viewer()];
    const browser = await elsewhere();
    await browser.refused(login, nameOf(thief));
    await browser.refused(login, nameOf(owner));
    const [own = ''] = await codesTo(thief);
    const [right] = await codesTo(owner);
    if (own === right) return;
    expect(await refusedFor(browser, owner, own)).toBe('email_code_wrong');
  });
});

describe('nobody else is asked', () => {
  it('a known browser on a new network, and a new browser on a known network', async () => {
    const owner = await site.viewer();
    await (await site.visitor({ address: '127.1.0.254' })).call(login, nameOf(owner));
    const traveller = await site.viewer();
    const { statusCode } = await traveller.request({
      method: 'POST',
      url: '/api/v1/auth/login',
      remoteAddress: '203.0.250.9',
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify(nameOf(traveller)),
    });
    expect(statusCode).toBe(200);
    expect(await codesTo(owner)).toEqual([]);
    expect(await codesTo(traveller)).toEqual([]);
  });

  it('but a network unused for ninety days is new again', async () => {
    const owner = await site.viewer();
    site.clock.advance(91 * DAY_MS);
    const browser = await site.visitor({ address: '127.1.0.253' });
    expect((await browser.refused(login, nameOf(owner))).errorType).toBe('email_code_required');
  });

  it('on a site whose emails reach nobody', async () => {
    const mute = await createSite({ settings: { asksLoginCodes: false } });
    const owner = await mute.viewer();
    const stranger = await mute.visitor({ address: '203.0.113.9' });
    expect(await stranger.call(login, nameOf(owner))).toMatchObject({ status: 1 });
    await mute.close();
  });
});

it('a list of stolen passwords gets no session, and real people do', async () => {
  const { entered, asked, guessed, real } = await runStuffing(
    { pairs: 400, addresses: 20, valid: 8, real: 30 },
    'small',
  );
  expect({ entered, asked, guessed }).toEqual({ entered: 0, asked: 8, guessed: 0 });
  expect(real.entered).toBe(real.tried);
  expect(real.withCode).toBeGreaterThan(0);
});
