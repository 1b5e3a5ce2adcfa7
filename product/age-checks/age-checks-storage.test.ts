import { cardNumberFor } from '#platform/payments/simulators/checkout/test-cards.ts';
import { DAY_MS } from '#platform/time/units.ts';
import { personalData } from '#product/accounts/extension-points.ts';
import { openAgeCheckedSite } from '#product/testkit/age-checks/age-checks.ts';
import type { Member } from '#product/testkit/site.ts';
import { tablesWith } from '#product/testkit/store/every-row.ts';
import { rowsOf } from '#product/testkit/store/rows.ts';
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  askSupport,
  decideSupportCheck,
  finishCheck,
  getCardToken,
  getIncodeVerificationUrl,
  getYotiUrl,
  listSupportChecks,
  verifyByCard,
} from './contract.ts';

const { site, providers } = await openAgeCheckedSite({ anonymous: [] });
const REGION = 'US-TX';
/** What somebody types or shows in a check, and nowhere else. */
const TYPED = {
  address: '17 Zephyr Lane',
  birth_date: '1971-03-29',
  city: 'Quixoticville',
  email: 'xanthippe@elsewhere.example',
  first_name: 'Xanthippe',
  last_name: 'Featherstonehaugh',
  zip: '73399',
} as const;
const WORDS = 'my passport says brontosaurus';

/** A card check, with a purchase or without one; its token. */
async function checksCard(member: Member): Promise<string> {
  const { access_token: bearer, url, fields } = await member.call(getCardToken, {});
  const number = cardNumberFor(null);
  const typed = { nameOnCard: 'X', cardNumber: number, expMonth: '12', expYear: '30', cvv2: '123' };
  const made = await fetch(url, {
    method: 'POST',
    body: JSON.stringify({ ...fields, ...typed }),
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
  });
  const { paymentTokenId: token } = (await made.json()) as { paymentTokenId: string };
  await member.call(verifyByCard, {
    ...TYPED,
    country: 'US',
    state: 'TX',
    payment_token: token,
    card: { exp_month: '12', exp_year: '30', first6: number.slice(0, 6), last4: number.slice(-4) },
    do_purchase: 0,
  });
  return token;
}

describe('what is stored of a check', () => {
  it('is none of what people showed or typed, a day later, in any table or file', async () => {
    const [guest, member, admin] = [
      await site.visitor({ region: REGION }),
      await site.viewer({ region: REGION }),
      await site.admin(),
    ];
    const { url: yoti } = await guest.call(getYotiUrl, { type: 'TYPE_DOC_SCAN' });
    const { url: incode } = await (await site.visitor({ region: REGION })).call(getIncodeVerificationUrl, {});
    const reference = new URL(yoti).searchParams.get('sessionId') ?? '';
    const interview = new URL(incode).searchParams.get('interviewId') ?? '';
    // While a check is under way, the site knows what the provider knows it by.
    expect((await site.tx((tx) => tablesWith(tx, [reference]))).tables).toEqual(['age_checks.attempts']);
    await providers.finishes(yoti, 44);
    await providers.settle();
    expect((await site.tx((tx) => tablesWith(tx, [reference]))).tables).toEqual([]);
    await guest.call(finishCheck, {});
    // Nobody finishes this one.
    await providers.finishes(incode, 44);
    const token = await checksCard(member);
    const { token: incodeToken } = await tokensOfIncode();
    const asking = await site.viewer({ region: REGION });
    await asking.call(askSupport, { message: WORDS });
    const { checks } = await admin.call(listSupportChecks, {});
    await admin.call(decideSupportCheck, { id: checks[0]?.id ?? 0, decision: 'verify', reason: 'examined' });
    await site.passes(DAY_MS);
    const artefacts = [
      reference,
      interview,
      incodeToken,
      token,
      WORDS,
      cardNumberFor(null),
      ...Object.values(TYPED),
    ];
    const { tables, read } = await site.tx((tx) => tablesWith(tx, artefacts));
    expect(tables).toEqual([]);
    expect(read).toBeGreaterThan(100);
    expect(await site.tx((tx) => rowsOf(tx, 'select id from age_checks.attempts'))).toEqual([]);
    for (const { id } of await site.blobs.list(null, 10_000)) {
      const text = Buffer.from(await site.blobs.get(id) ?? new Uint8Array()).toString('latin1');
      expect(artefacts.filter((artefact) => text.includes(artefact))).toEqual([]);
    }
    expect(readdirSync(site.folder)).toEqual([]);
    expect(artefacts.filter((artefact) => site.log.join().includes(artefact))).toEqual([]);
  });

  it('is, of a proof, its worth and its times alone', async () => {
    const columns = await site.tx((tx) =>
      rowsOf<{ name: string }>(
        tx,
        `select column_name as name from information_schema.columns
         where table_schema = 'age_checks' and table_name = 'proofs' order by ordinal_position`,
      )
    );
    expect(columns.map(({ name }) => name)).toEqual([
      'operator_id',
      'id',
      'person_id',
      'provider',
      'method',
      'liveness',
      'is_anonymous',
      'minimum_age',
      'proved_at',
      'expires_at',
    ]);
    expect(
      await site.tx((tx) =>
        rowsOf(tx, 'select provider, method, liveness, minimum_age from age_checks.proofs order by id')
      ),
    ).toEqual([
      { provider: 'yoti', method: 'id_document', liveness: 'passive', minimum_age: 18 },
      { provider: 'ccbill', method: 'credit_card', liveness: 'none', minimum_age: 18 },
      { provider: 'support', method: 'id_document', liveness: 'passive', minimum_age: 18 },
    ]);
    await site.passes(365 * DAY_MS);
    expect(await site.tx((tx) => rowsOf(tx, 'select id from age_checks.proofs'))).toEqual([]);
  });

  it('is in the copy of a member’s data, and goes when they are erased', async () => {
    const member = await site.viewer({ region: REGION });
    const { url } = await member.call(getYotiUrl, { type: 'TYPE_DIGITAL_ID' });
    await providers.finishes(url, 30);
    await providers.settle();
    await member.call(askSupport, { message: WORDS });
    const own = site.extensions.all(personalData).flat().filter(({ table }) =>
      table.startsWith('age_checks.')
    );
    const copies = await site.tx((tx) =>
      Promise.all(own.map(async ({ read }) => read?.(tx, member.id, { offset: 0, limit: 10 })))
    );
    expect(copies).toEqual([
      [expect.objectContaining({ provider: 'yoti', method: 'digital_id', minimum_age: 18 })],
      [expect.objectContaining({ kind: 'yoti_digital_id', state: 'verified' })],
      [expect.objectContaining({ message: WORDS, decision: null })],
    ]);
    const erased = {
      id: member.id,
      names: [member.username],
      displayName: member.username,
      email: member.person.email,
      isEmailConfirmed: true,
      pseudonym: 'gone',
    };
    await site.tx(async (tx) => {
      for (const { erase } of own) await erase?.(tx, erased, 100);
    });
    const { tables } = await site.tx((tx) => tablesWith(tx, [WORDS, `"person_id": ${member.id},`]));
    expect(tables.filter((table) => table.startsWith('age_checks.'))).toEqual([]);
  });
});

/** The token of the newest session at Incode, which reads its result. */
async function tokensOfIncode(): Promise<{ readonly token: string }> {
  const [row] = await site.tx((tx) =>
    rowsOf<{ reference: string }>(
      tx,
      'select reference from age_checks.attempts where reference is not null',
    )
  );
  return { token: row?.reference ?? '' };
}
