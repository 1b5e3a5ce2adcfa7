import { DAY_MS } from '#platform/time/units.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { rowsOf } from '#product/testkit/store/rows.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeOperatorRules } from './contract/operator-rules.ts';
import {
  listRedirectKeys,
  makeRedirectKey,
  verifyRedirect,
  withdrawRedirectKey,
} from './contract/redirects.ts';

let site: TestSite;
let admin: Member;
beforeAll(async () => {
  site = await createSite();
  admin = await site.admin();
  await allows('partner.example');
});
afterAll(() => site.close());

const allows = (...hosts: string[]) =>
  admin.call(changeOperatorRules, { redirect_hosts: hosts, reason: 'a new partner' });
/** Makes a key; the key itself, from its address. */
async function makes(target: string, more: { readonly days?: number; readonly uses?: number } = {}) {
  const { id, url } = await admin.call(makeRedirectKey, {
    target,
    note: 'spring mailing',
    days: more.days ?? 30,
    max_uses: more.uses ?? null,
  });
  return { id, key: url.split('/redir/')[1] ?? '' };
}
/** The answer as it stands on the wire, of a browser with an address of its own. */
async function verifies(key: string): Promise<unknown> {
  const { statusCode, body } = await (await site.visitor()).request({
    method: 'GET',
    url: `/api/v1/redir/${encodeURIComponent(key)}/verify`,
  });
  return statusCode === 200 ? JSON.parse(body) : statusCode;
}
const NOWHERE = { verified: false, target: null, host: null };

describe('a redirect key', () => {
  it('is verified for anybody, and says where it leads [C-285]', async () => {
    expect(verifyRedirect).toMatchObject({ method: 'GET', path: '/redir/:key/verify' });
    const [path, other] = [await makes('/girls?x=1'), await makes('https://partner.example/offer')];
    expect(path.key).toMatch(/^[\w-]{43}$/u);
    expect(await verifies(path.key)).toEqual({ verified: true, target: '/girls?x=1', host: null });
    expect(await verifies(other.key))
      .toEqual({ verified: true, target: 'https://partner.example/offer', host: 'partner.example' });
    expect(await verifies('unknown')).toEqual({ ...NOWHERE });
  });

  it('that is unknown, expired, used up, withdrawn or without its host is answered alike', async () => {
    const [old, once, gone, hostless] = [
      await makes('/girls', { days: 1 }),
      await makes('/girls', { uses: 1 }),
      await makes('/girls'),
      await makes('https://partner.example/'),
    ];
    await verifies(once.key);
    await admin.call(withdrawRedirectKey, { id: gone.id, reason: 'sent by mistake' });
    await allows();
    await site.passes(DAY_MS);
    const answers = [];
    for (const key of [old.key, once.key, gone.key, hostless.key, 'x', `${old.key}x`, 'y'.repeat(200)]) {
      answers.push(await verifies(key));
    }
    expect(answers).toEqual(answers.map(() => NOWHERE));
    const { keys } = await admin.call(listRedirectKeys, {});
    expect(keys.slice(0, 4).map(({ state }) => state))
      .toEqual(['host_removed', 'withdrawn', 'used_up', 'expired']);
    await allows('partner.example');
    expect(await verifies(hostless.key)).toMatchObject({ verified: true });
  });

  it('has as many uses as it was given, however many follow it at once', async () => {
    const { key, id } = await makes('/girls', { uses: 3 });
    const answers = await Promise.all(Array.from({ length: 8 }, () => verifies(key)));
    expect(answers.filter((answer) => JSON.stringify(answer).includes('true'))).toHaveLength(3);
    const { keys } = await admin.call(listRedirectKeys, {});
    expect(keys.find((one) => one.id === id)).toMatchObject({ uses: 3, max_uses: 3, state: 'used_up' });
  });

  it('is made for no other site than those on the list', async () => {
    for (const target of [
      'https://evil.example/',
      'https://sub.partner.example/',
      'https://partner.example.evil.example/',
      'https://partner.example@evil.example/',
      '//evil.example',
      '/\\evil.example',
      'http://partner.example/',
      'javascript:alert(1)',
    ]) {
      const { errorType } = await admin.refused(makeRedirectKey, {
        target,
        note: '',
        days: 1,
        max_uses: null,
      });
      expect([target, errorType]).toEqual([target, 'redirect_target_refused']);
    }
  });

  it('is stored as a digest, and neither in the list, the log nor the audit log', async () => {
    const { key, id } = await makes('/girls');
    await verifies(key);
    const stored = await site.tx((tx) =>
      rowsOf<{ row: string }>(tx, 'select to_jsonb(k)::text as row from site.redirect_keys k')
    );
    const audited = await site.tx((tx) =>
      rowsOf<{ row: string }>(
        tx,
        `select to_jsonb(a)::text as row from platform.audit a where subject = 'redirect:${id}'`,
      )
    );
    expect(audited).toHaveLength(1);
    const { keys } = await admin.call(listRedirectKeys, {});
    const everything = [...stored, ...audited].map(({ row }) => row).join('\n') + JSON.stringify(keys)
      + site.log.join('\n');
    expect(everything).not.toContain(key);
    // Where a key leads cannot be changed afterwards.
    await expect(site.tx((tx) => rowsOf(tx, 'update site.redirect_keys set target = \'/other\'')))
      .rejects.toThrow(/permission denied/u);
  });

  it('is tried 30 times a minute by one address', async () => {
    const visitor = await site.visitor();
    const statuses = [];
    for (let nth = 0; nth < 31; nth += 1) {
      statuses.push((await visitor.request({ url: `/api/v1/redir/guess${nth}/verify` })).statusCode);
    }
    expect([...new Set(statuses.slice(0, 30)), statuses[30]]).toEqual([200, 429]);
  });

  it('is made, listed and withdrawn by admins alone', async () => {
    const { id } = await makes('/girls');
    for (const person of [await site.visitor(), await site.viewer(), await site.performer()]) {
      const requests = [
        { url: '/api/v1/admin/redirects' },
        {
          method: 'POST',
          url: '/api/v1/admin/redirects',
          payload: { target: '/girls', note: '', days: 1, max_uses: null },
        },
        { method: 'POST', url: `/api/v1/admin/redirects/${id}/withdraw`, payload: { reason: 'because' } },
      ] as const;
      for (const request of requests) {
        expect((await person.request(request)).statusCode).toBeOneOf([401, 403]);
      }
    }
    expect((await admin.refused(withdrawRedirectKey, { id: 1_000_000, reason: 'because' })).errorType)
      .toBe('redirect_unknown');
  });
});
