import { DAY_MS, MINUTE_MS } from '#platform/time/units.ts';
import { listOutbox } from '#product/notices/contract.ts';
import { getPreferences, setPreference } from '#product/notices/contract/preferences.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getCurrentUser } from './contract.ts';
import { confirmPhone, getPhone, removePhone, sendPhoneCode } from './contract/phones.ts';
import { updateSettings } from './contract/settings.ts';

const KIND = 'browse:notices.searchMatched';
let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

let numbers = 0;
const freeNumber = (): string => {
  numbers += 1;
  return `+3161234${String(numbers).padStart(4, '0')}`;
};
const outbox = async () => (await (await site.admin()).call(listOutbox, {})).mails;
const textsTo = async (number: string): Promise<string[]> =>
  (await outbox())
    .filter(({ channel, to }) => channel === 'sms' && to === `•••${number.slice(-2)}`)
    .map(({ text }) => text).toReversed();
/** The last code sent to a number. */
const codeOf = async (number: string): Promise<string> =>
  /\d{6}/u.exec((await textsTo(number)).at(-1) ?? '')?.[0] ?? '';
async function asks(who: Member, number = freeNumber()): Promise<string> {
  await who.call(updateSettings, { phone: number });
  await who.call(sendPhoneCode, {});
  return number;
}
async function confirms(who: Member, number = freeNumber()): Promise<string> {
  await asks(who, number);
  await who.call(confirmPhone, { code: await codeOf(number) });
  return number;
}
const wrongOf = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0');
const refusedBy = async (who: Member, code: string) => (await who.refused(confirmPhone, { code })).errorType;
const isConfirmed = async (who: Member) => (await who.call(getPhone, {})).confirmed;

describe('a phone number', () => {
  it(
    'is confirmed by the six digits that were sent to it, in the person’s language, and shown masked',
    async () => {
      const viewer = await site.viewer({ language: 'de' });
      const number = await asks(viewer);
      const masked = `•••${number.slice(-2)}`;
      expect(await viewer.call(getPhone, {}))
        .toEqual({ sms_offered: true, phone: masked, confirmed: false, code_sent: true });
      const [text = ''] = await textsTo(number);
      expect(text).toMatch(/^\d{6} ist dein Code\./u);
      const code = await codeOf(number);
      expect(await viewer.call(confirmPhone, { code: `${code.slice(0, 3)} ${code.slice(3)}` }))
        .toEqual({ sms_offered: true, phone: masked, confirmed: true, code_sent: false });
      expect((await viewer.call(getPreferences, {})).phone).toBe(masked);
      // Each code works once.
      expect(await refusedBy(viewer, code)).toBe('phone_code_wrong');
      expect((await viewer.refused(sendPhoneCode, {})).errorType).toBe('phone_confirmed');
    },
  );

  it('that is confirmed causes one email to its account, in its language, with what to do', async () => {
    for (const [language, subject, todo] of [
      [
        'en',
        'Phone number confirmed at Candela',
        'If this wasn’t you, remove the number and change your password right away:',
      ],
      [
        'de',
        'Telefonnummer bei Candela bestätigt',
        'Wenn du das nicht warst, entferne die Nummer und ändere sofort dein Passwort:',
      ],
    ] as const) {
      const viewer = await site.viewer({ language });
      const own = async () =>
        (await outbox()).filter(({ kind, to }) =>
          kind === 'accounts:mails.phoneConfirmed' && to === `${viewer.username}@people.example`
        );
      const number = await asks(viewer);
      const code = await codeOf(number);
      expect(await refusedBy(viewer, wrongOf(code))).toBe('phone_code_wrong');
      expect(await own()).toEqual([]);
      await viewer.call(confirmPhone, { code });
      const [email, ...more] = await own();
      expect([email?.subject, more]).toEqual([subject, []]);
      for (const part of [`•••${number.slice(-2)}`, viewer.username, todo, '/account/settings']) {
        expect(email?.text).toContain(part);
      }
      expect(email?.text).not.toContain(number);
    }
  });

  it('is E.164, and nothing is sent without one', async () => {
    const viewer = await site.viewer();
    for (const phone of ['0170 1234567', '+0170123456', '4917012345', '+49', '+49170123456789012']) {
      expect((await viewer.refused(updateSettings, { phone })).status).toBe(422);
    }
    expect((await viewer.refused(sendPhoneCode, {})).errorType).toBe('phone_missing');
  });

  it('ends with its setting, and when it is removed', async () => {
    const viewer = await site.viewer();
    await confirms(viewer);
    await viewer.call(setPreference, { kind: KIND, channel: 'sms', on: true });
    const other = freeNumber();
    await viewer.call(updateSettings, { phone: other });
    expect(await viewer.call(getPhone, {}))
      .toMatchObject({ confirmed: false, phone: `•••${other.slice(-2)}` });
    expect((await viewer.refused(setPreference, { kind: KIND, channel: 'sms', on: true })).errorType)
      .toBe('kind_unknown');
    await site.passes(MINUTE_MS);
    await confirms(viewer, other);
    expect(await viewer.call(removePhone, {})).toMatchObject({ phone: null, confirmed: false });
    expect((await viewer.call(getCurrentUser, {})).settings.phone).toBe('');
    expect((await viewer.call(getPreferences, {})).phone).toBeNull();
  });

  it('belongs to one account at a time: whoever proves it has it, and the other gets an email', async () => {
    const [before, after] = [await site.viewer(), await site.viewer()];
    const number = await confirms(before);
    await asks(after, number);
    // Asking for a code changes nothing.
    expect(await isConfirmed(before)).toBe(true);
    await after.call(confirmPhone, { code: await codeOf(number) });
    expect([await isConfirmed(before), await isConfirmed(after)]).toEqual([false, true]);
    const emails = (await outbox()).filter(({ kind }) => kind === 'accounts:mails.phoneMoved');
    expect(emails.map(({ to }) => to)).toEqual([`${before.username}@people.example`]);
    expect(emails[0]?.text).not.toContain(number);
  });

  it('is in the copy of one’s data, without its code', async () => {
    const viewer = await site.viewer();
    const number = await confirms(viewer);
    const rows = await site.tx(async (tx) => {
      const { ownRows } = await import('./store/life/own-rows.ts');
      const part = ownRows.find(({ table }) => table === 'accounts.phones');
      return part?.read?.(tx, viewer.id, { offset: 0, limit: 5 });
    });
    expect(rows).toMatchObject([{ number }]);
  });
});

describe('nobody confirms a number by', () => {
  it('guessing: five wrong codes end the right one', async () => {
    const viewer = await site.viewer();
    const number = await asks(viewer);
    const code = await codeOf(number);
    for (let tries = 0; tries < 5; tries += 1) {
      expect(await refusedBy(viewer, wrongOf(code))).toBe('phone_code_wrong');
    }
    expect(await refusedBy(viewer, code)).toBe('phone_code_wrong');
    expect(await isConfirmed(viewer)).toBe(false);
    // The new code works, the one before it does not.
    await site.passes(MINUTE_MS);
    await viewer.call(sendPhoneCode, {});
    expect(await refusedBy(viewer, code)).toBe('phone_code_wrong');
    await viewer.call(confirmPhone, { code: await codeOf(number) });
  });

  it('a code that is ten minutes old', async () => {
    const [early, late] = [await site.viewer(), await site.viewer()];
    const [first, second] = [await asks(early), await asks(late)];
    await site.passes(10 * MINUTE_MS - 1);
    await early.call(confirmPhone, { code: await codeOf(first) });
    await site.passes(1);
    expect(await refusedBy(late, await codeOf(second))).toBe('phone_code_wrong');
  });

  it('a code that went to another number of theirs, or to somebody else', async () => {
    const [thief, owner] = [await site.viewer(), await site.viewer()];
    const own = await asks(thief);
    const code = await codeOf(own);
    const number = freeNumber();
    await thief.call(updateSettings, { phone: number });
    expect(await refusedBy(thief, code)).toBe('phone_code_wrong');
    await asks(owner, number);
    expect(await refusedBy(thief, await codeOf(number))).toBe('phone_code_wrong');
    expect(await isConfirmed(thief)).toBe(false);
    expect(await isConfirmed(owner)).toBe(false);
  });

  it('being a guest, or suspended', async () => {
    const guest = await site.visitor({ ofAge: true });
    const suspended = await site.viewer();
    const number = await asks(suspended);
    const code = await codeOf(number);
    await site.tx((tx) =>
      site.services.accounts.suspend(tx, suspended.id, {
        suspended: true,
        actorId: null,
        reason: 'test',
      })
    );
    for (const who of [guest, suspended]) {
      for (const [one, input] of [
        [getPhone, {}],
        [sendPhoneCode, {}],
        [confirmPhone, { code }],
        [removePhone, {}],
      ] as const) {
        expect([401, 403]).toContain((await who.refused(one, input as never)).status);
      }
    }
    expect(await textsTo(number)).toHaveLength(1);
  });
});

describe('texts are not pumped', () => {
  it('by one person: a minute between codes, five a day, whatever the number', async () => {
    const viewer = await site.viewer();
    const sent: string[] = [await asks(viewer)];
    const soon = await viewer.refused(sendPhoneCode, {});
    expect([soon.errorType, soon.status]).toEqual(['phone_codes_limited', 429]);
    for (let more = 0; more < 4; more += 1) {
      await site.passes(MINUTE_MS);
      sent.push(await asks(viewer));
    }
    await site.passes(MINUTE_MS);
    const number = freeNumber();
    await viewer.call(updateSettings, { phone: number });
    expect((await viewer.refused(sendPhoneCode, {})).errorType).toBe('phone_codes_limited');
    expect(await textsTo(number)).toEqual([]);
    await site.passes(DAY_MS);
    await viewer.call(sendPhoneCode, {});
  });

  it('at one number: five a day, whoever asks', async () => {
    const number = freeNumber();
    for (let each = 0; each < 5; each += 1) await asks(await site.viewer(), number);
    const sixth = await site.viewer();
    await sixth.call(updateSettings, { phone: number });
    expect((await sixth.refused(sendPhoneCode, {})).errorType).toBe('phone_codes_limited');
    expect(await textsTo(number)).toHaveLength(5);
  });

  it('from one address: ten an hour, whoever asks', async () => {
    const address = '127.0.99.7';
    for (let each = 0; each < 10; each += 1) await asks(await site.viewer({ address }));
    const next = await site.viewer({ address });
    const number = freeNumber();
    await next.call(updateSettings, { phone: number });
    expect((await next.refused(sendPhoneCode, {})).errorType).toBe('phone_codes_limited');
    expect(await textsTo(number)).toEqual([]);
  });
});

it('without a sender nothing is offered and nothing confirmed', async () => {
  const without = await createSite({ settings: { sms: null } });
  const viewer = await without.viewer();
  await viewer.call(updateSettings, { phone: freeNumber() });
  expect((await viewer.call(getPhone, {})).sms_offered).toBe(false);
  expect((await viewer.refused(sendPhoneCode, {})).errorType).toBe('sms_absent');
  expect((await viewer.refused(confirmPhone, { code: '123456' })).errorType).toBe('sms_absent');
  await without.close();
});
