import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deleteNote, readNote, saveNote } from './contract/notes.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

test('a viewer writes a note on the page about a performer, changes it, and deletes it [A-363]', async () => {
  const [performer, viewer] = [await site.performer({ live: true }), await site.viewer()];
  const { username, person: { displayName: name } } = performer;
  const url = `/api/v1/user/${username}/notes`;
  const none = await viewer.request({ url });
  expect([none.statusCode, none.json()]).toEqual([200, { username, note: '', updated_at: null }]);
  const page = await openPage(site, viewer, `/${username}/bio`);
  await page.fill(`Your note on ${name}`, 'Likes chess.\nMet in May.');
  expect(page.network.sent).toContain(`GET ${url}`);
  await page.press('Save note');
  await page.sees('Note saved');
  expect(await page.problems()).toEqual([]);
  const saved = await viewer.request({ url });
  expect(saved.json()).toEqual({
    username,
    note: 'Likes chess.\nMet in May.',
    updated_at: site.clock.now().toISOString(),
  });
  const again = await openPage(site, viewer, `/${username}/bio`);
  expect(await again.field(`Your note on ${name}`)).toHaveProperty('value', 'Likes chess.\nMet in May.');
  await again.fill(`Your note on ${name}`, 'Likes go.');
  await site.passes(60_000);
  await again.press('Save note');
  await again.sees('Note saved');
  expect((await viewer.request({ url })).json())
    .toEqual({ username, note: 'Likes go.', updated_at: site.clock.now().toISOString() });
  await again.press('Delete note');
  await again.gone('button', 'Delete note');
  expect(await again.field(`Your note on ${name}`)).toHaveProperty('value', '');
  expect(await viewer.call(readNote, { username })).toEqual({ username, note: '', updated_at: null });
});

test('a performer writes a note on a viewer from the list of who is in the room', async () => {
  const [performer, viewer] = [await site.performer({ live: true }), await site.viewer()];
  await viewer.joins(performer);
  const { username, person: { displayName: name } } = viewer;
  const page = await openRoom(site, performer, performer);
  await page.press(/^Users/u);
  await page.press(new RegExp(`^${name}`, 'u'), { in: await page.find('list', 'In this room') });
  const card = await page.find('dialog', name);
  await page.fill(`Your note on ${name}`, 'Tips on Fridays.', { in: card });
  await page.press('Save note', { in: card });
  await page.sees('Note saved');
  expect(await page.problems()).toEqual([]);
  expect(await performer.call(readNote, { username })).toMatchObject({ note: 'Tips on Fridays.' });
  // The person in the note and everybody else see only notes of their own.
  expect(await viewer.call(readNote, { username: performer.username })).toMatchObject({ note: '' });
  expect(await (await site.performer()).call(readNote, { username })).toMatchObject({ note: '' });
});

test(
  'guests write none, viewers none on viewers, and nobody on themselves or on whom they cannot perceive',
  async () => {
    const [performer, viewer, other] = [await site.performer(), await site.viewer(), await site.viewer()];
    const note = 'A note';
    const guest = await site.visitor({ ofAge: true });
    expect((await guest.refused(readNote, { username: performer.username })).status).toBe(401);
    expect((await guest.refused(saveNote, { username: performer.username, note })).status).toBe(401);
    expect((await guest.refused(deleteNote, { username: performer.username })).status).toBe(401);
    const closed = await site.performer({ cleared: false });
    for (const username of [other.username, viewer.username, closed.username, 'nobody_here']) {
      expect((await viewer.refused(readNote, { username })).errorType).toBe('note_subject_unknown');
      expect((await viewer.refused(saveNote, { username, note })).errorType).toBe('note_subject_unknown');
      expect((await viewer.refused(deleteNote, { username })).errorType).toBe('note_subject_unknown');
    }
    const { username } = performer;
    expect((await viewer.refused(saveNote, { username, note: 'x'.repeat(501) })).status).toBe(422);
    expect((await viewer.refused(saveNote, { username, note: ' ' })).status).toBe(422);
    await viewer.call(saveNote, { username, note });
    await site.tx((tx) =>
      site.services.accounts.suspend(tx, performer.id, {
        suspended: true,
        actorId: null,
        reason: 'fraud',
      })
    );
    // The author may still read and delete it.
    expect(await viewer.call(readNote, { username })).toMatchObject({ note });
    await viewer.call(deleteNote, { username });
    expect((await viewer.refused(readNote, { username })).errorType).toBe('note_subject_unknown');
  },
);
