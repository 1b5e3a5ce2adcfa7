import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY_MS } from '#platform/time/units.ts';
import { requestDeletion } from '#product/accounts/contract/life/deletion.ts';
import { servesDocuments } from '#product/testkit/pages/documents.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
  await servesDocuments(site);
});
afterAll(() => site.close());

test('the room and the page of a performer who was erased answer that they are gone', async () => {
  const performer = await site.performer({ username: 'gone-for-good' });
  const documentOf = async (url: string) => {
    // Another visitor each time: who declared their age long ago is asked again.
    const visitor = await site.visitor({ ofAge: true });
    const { statusCode, body } = await visitor.request({ method: 'GET', url });
    return [statusCode, /<h1[^>]*>([^<]*)</u.exec(body)?.[1]];
  };
  await performer.call(requestDeletion, {
    username: 'gone-for-good', password: 'correct horse battery',
  });
  await site.settle();
  // For thirty days nothing says that there was somebody.
  expect(await documentOf('/gone-for-good')).toEqual(await documentOf('/nobody-ever'));
  site.clock.advance(31 * DAY_MS);
  await site.settle();
  // The room offers others that are live, as whenever there is none.
  expect(await documentOf('/gone-for-good')).toEqual([410, 'This room can’t be opened']);
  expect(await documentOf('/gone-for-good/bio')).toEqual([410, 'This page is gone']);
  // Who mistyped an address did not ask for a room.
  expect(await documentOf('/nobody-ever')).toEqual([404, 'Page not found']);
  expect((await documentOf('/nobody-ever/bio'))[0]).toBe(404);
});
