import { logout } from '#product/accounts/contract.ts';
import { declareAge } from '#product/compliance/contract.ts';
import { hidePerformer } from '#product/messaging/contract.ts';
import { servesDocuments } from '#product/testkit/pages/documents.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let site: TestSite;
let performer: Member;
beforeAll(async () => {
  site = await createSite();
  await servesDocuments(site);
  performer = await site.performer({ live: true });
});
afterAll(() => site.close());

/** A document as browsers request it: compressed; and twice, since a cached one is sent differently. */
async function documentOf(visitor: Visitor, url = '/girls', cookie?: string) {
  const ask = async () => {
    const { statusCode, headers, rawPayload } = await visitor.request({
      method: 'GET',
      url,
      headers: { 'accept-encoding': 'gzip', ...(cookie === undefined ? {} : { cookie }) },
    });
    expect(statusCode).toBe(200);
    return { isShared: headers['cache-control'] !== 'no-store', html: gunzipSync(rawPayload).toString() };
  };
  const first = await ask();
  const second = await ask();
  expect(second.isShared).toBe(first.isShared);
  return second;
}
const tileOf = ({ username }: Member): string => `href="/${username}"`;

describe('documents of people who come and go', () => {
  test('are a member\'s own from log-in on, and everybody\'s after log-out [A-160]', async () => {
    const viewer = await site.viewer();
    const browser = await site.anotherTabOf(viewer);
    await browser.call(logout, {});
    await browser.opens();
    await browser.call(declareAge, { of_age: true });
    const before = browser.headers['cookie'] ?? '';
    expect(await documentOf(browser)).toMatchObject({ isShared: true });
    await browser.logsIn();
    const during = browser.headers['cookie'] ?? '';
    const own = await documentOf(browser);
    expect([own.isShared, own.html.includes(viewer.username)]).toEqual([false, true]);
    // The guest's cookies never affect the member's document.
    const old = await documentOf(await site.visitor(), '/girls', before);
    expect([old.isShared, old.html.includes(viewer.username)]).toEqual([true, false]);
    await browser.call(logout, {});
    const after = await documentOf(await site.visitor(), '/girls', during);
    expect([after.isShared, after.html.includes(viewer.username)]).toEqual([true, false]);
  });

  test('end for a member who is suspended, though others were shown the same page', async () => {
    const [viewer, other] = [await site.viewer(), await site.viewer()];
    for (const one of [viewer, other]) expect((await documentOf(one)).html).toContain(one.username);
    await site.tx((tx) =>
      site.services.accounts.suspend(tx, viewer.id, {
        suspended: true,
        actorId: null,
        reason: 'fraud',
      })
    );
    const { isShared, html } = await documentOf(viewer);
    expect([isShared, html.includes(viewer.username)]).toEqual([true, false]);
    expect((await documentOf(other)).html).toContain(other.username);
  });

  test('hide from each member whom that member hid, and from nobody else', async () => {
    const [hiding, other, guest] = [
      await site.viewer(),
      await site.viewer(),
      await site.visitor({ ofAge: true }),
    ];
    await hiding.call(hidePerformer, { username: performer.username });
    for (const _round of ['as first asked', 'as remembered']) {
      expect((await documentOf(hiding)).html).not.toContain(tileOf(performer));
      for (const one of [other, guest]) {
        const { html } = await documentOf(one);
        expect(html).toContain(tileOf(performer));
        expect(html).not.toContain(hiding.username);
      }
    }
  });

  test('show a visitor who is not past the gate nothing, whatever others were shown', async () => {
    const [passed, fresh] = [await site.visitor({ ofAge: true }), await site.visitor()];
    expect((await documentOf(passed)).html).toContain(tileOf(performer));
    expect((await documentOf(fresh)).html).not.toContain(tileOf(performer));
    await fresh.call(declareAge, { of_age: true });
    expect((await documentOf(fresh)).html).toContain(tileOf(performer));
  });
});
