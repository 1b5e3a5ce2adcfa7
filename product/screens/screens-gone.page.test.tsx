import { DAY_MS } from '#platform/time/units.ts';
import { requestDeletion } from '#product/accounts/contract/life/deletion.ts';
import { servesDocuments } from '#product/testkit/pages/documents.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
  await servesDocuments(site);
});
afterAll(() => site.close());

test('the room and the page of a performer who was erased answer that they are gone', async () => {
  const performer = await site.performer({ username: 'gone-for-good' });
  const documentOf = async (url: string) => {
    // A new visitor each time: one whose age declaration is old is asked again.
    const visitor = await site.visitor({ ofAge: true });
    const { statusCode, body } = await visitor.request({ method: 'GET', url });
    return [statusCode, /<h1[^>]*>([^<]*)</u.exec(body)?.[1]];
  };
  await performer.call(requestDeletion, {
    username: 'gone-for-good',
    password: 'correct horse battery',
  });
  await site.settle();
  // For thirty days nothing reveals that the account existed.
  expect(await documentOf('/gone-for-good')).toEqual(await documentOf('/nobody-ever'));
  site.clock.advance(31 * DAY_MS);
  await site.settle();
  // The room suggests other live performers, like any room that is gone.
  expect(await documentOf('/gone-for-good')).toEqual([410, 'This room can’t be opened']);
  expect(await documentOf('/gone-for-good/bio')).toEqual([410, 'This page is gone']);
  // A mistyped address was not meant as a room.
  expect(await documentOf('/nobody-ever')).toEqual([404, 'Page not found']);
  expect((await documentOf('/nobody-ever/bio'))[0]).toBe(404);
});
