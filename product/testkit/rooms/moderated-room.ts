import type { TestSite } from '../site.ts';

/** A live room with a room moderator, a viewer, and a moderator of another room. */
export async function moderatedRoom(site: TestSite) {
  const performer = await site.performer({ live: true });
  const [moderator, viewer, stranger] = [await site.viewer(), await site.viewer(), await site.viewer()];
  await performer.moderates('moderator', moderator);
  await (await site.performer()).moderates('moderator', stranger);
  return { performer, moderator, viewer, stranger };
}
