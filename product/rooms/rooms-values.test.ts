import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { API_BASE } from '../../platform/contract/client/client.ts';
import { createSite, type TestSite } from '../testkit/site.ts';
import { getRoom, moderated } from './contract.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

interface Schema {
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}
interface Answer { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
interface Operation { readonly responses: Readonly<Record<string, Answer>> }
interface Description { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> }

/** The values that the described answer of a room allows for a field of its chat. */
async function valuesOf(field: 'status' | 'mode'): Promise<readonly string[]> {
  const guest = await site.visitor();
  const description = (await guest.request({ url: `${API_BASE}/openapi.json` })).json<Description>();
  const path = Object.keys(description.paths).find((one) => one.endsWith('/chat/react/{username}')) ?? '';
  const answer = description.paths[path]?.['get']?.responses['200']?.content['application/json']?.schema;
  return (answer?.properties?.['chat']?.properties?.[field]?.enum ?? []).toSorted();
}

describe('the described room', () => {
  it('has a chat status of either document and no other', async () => {
    expect(await valuesOf('status')).toEqual([
      'connected', 'limited', 'offline', 'online', 'online_ai', 'private', 'reconnecting', 'standby',
    ]);
  });

  it('has a chat mode of either document and no other [B-191, C-111]', async () => {
    expect(await valuesOf('mode')).toEqual(['limited', 'private', 'public', 'spy']);
  });
});

it('a restriction is banned, kicked, moderator or silenced [C-112]', async () => {
  const performer = await site.performer({ live: true });
  const owner = await performer.joins(performer);
  for (const action of ['ban', 'kick', 'moderator', 'silence'] as const) {
    const subject = await site.viewer();
    await subject.joins(performer);
    await performer.moderates(action, subject);
    await site.settle();
    await owner.waitFor(moderated, ({ username }) => username === subject.username);
    if (action === 'kick') continue;
    await performer.moderates(`un${action}`, subject);
    await site.settle();
    await owner.waitFor(moderated, (one) => one.username === subject.username && one.action === 'remove');
  }
  const types = new Set(owner.received(moderated).map(({ type }) => type));
  expect([...types].toSorted()).toEqual(['banned', 'kicked', 'moderator', 'silenced']);
});

it('a room says that its stream has up to 4 renditions [B-427]', async () => {
  const performer = await site.performer({ live: true });
  const room = await (await site.viewer()).call(getRoom, { username: performer.username });
  expect(room).toMatchObject({ stream: { quality_renditions: 4 } });
});

it('who broadcasts is live in their own room, and only performers broadcast [B-003]', async () => {
  const [performer, other] = [await site.performer(), await site.performer()];
  const viewer = await site.viewer();
  const statusOf = async ({ username }: { readonly username: string }): Promise<string> =>
    (await viewer.call(getRoom, { username })).chat.status;
  await performer.goesLive();
  await site.settle();
  expect([await statusOf(performer), await statusOf(other)]).toEqual(['online', 'offline']);
  await expect(viewer.goesLive()).rejects.toThrow();
  expect(await statusOf(other)).toBe('offline');
});
