import type { LiveClient, RoomConnection } from '#platform/contract/sockets/socket-client.ts';
import { chatHistory, chatMessage, sayInChat } from '#product/rooms/contract.ts';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Client } from './client.ts';
import { openStage, type ProgramStage } from './stage.ts';

const ROOM = 'demo_performer';
const KILLS = 2;
/** Messages between two kills, and after the last. */
const SAID_EACH = 6;
/** A message is sent again after this, as by a person who sees no line; staff may send two a second. */
const AGAIN_MS = 3_000;
const JOURNEY_MS = 240_000;

let stage: ProgramStage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

/** A person in the room without a page, and all messages they received. */
class Talker {
  readonly live: LiveClient;
  readonly room: RoomConnection;
  /** Messages in order of arrival: from the history, then one by one. */
  readonly received: { readonly id: number; readonly message: string }[] = [];

  private constructor(live: LiveClient) {
    this.live = live;
    this.room = live.join(ROOM);
    this.room.on(chatHistory, ({ messages }) => this.received.splice(0, this.received.length, ...messages));
    this.room.on(chatMessage, (message) => void this.received.push(message));
    live.start();
  }

  static async enters(username: string): Promise<Talker> {
    const talker = new Talker(await (await Client.logIn(stage.origin, username)).live());
    await talker.#waitsFor(() => talker.room.phase() === 'joined', AGAIN_MS * 10);
    return talker;
  }

  /** Sends a message until it comes back, which may take a restart of the site. */
  async insists(message: string): Promise<void> {
    const isReceived = (): boolean => this.received.some((item) => item.message === message);
    while (!isReceived()) {
      this.room.send(sayInChat, { message });
      await this.#waitsFor(isReceived, AGAIN_MS);
    }
  }

  leaves(): void {
    this.live.stop();
  }

  async #waitsFor(isTrue: () => boolean, mostMs: number): Promise<void> {
    const until = Date.now() + mostMs;
    while (!isTrue() && Date.now() < until) {
      await new Promise((done) => setTimeout(done, 20));
    }
  }
}

/** Ids of the messages on a page, top to bottom. */
const shownOn = (page: Page): Promise<number[]> =>
  page.getByRole('list', { name: 'Chat' }).locator('li[data-message]')
    .evaluateAll((lines) => lines.map((line) => Number((line as HTMLElement).dataset['message'])));

it('viewers of a killed gateway miss no message and see none twice [C-173]', async () => {
  const viewerPage = await stage.visit({ as: 'demo_viewer', path: `/${ROOM}` });
  const phone = await stage.visit({ path: `/${ROOM}`, phone: true });
  const [host, admin] = [await Talker.enters('demo_performer'), await Talker.enters('demo_admin')];
  const said: string[] = [];
  for (let round = 0; round <= KILLS; round += 1) {
    for (let at = 0; at < SAID_EACH; at += 1) {
      const text = `round ${round}, sentence ${at}`;
      said.push(text);
      await (at % 2 === 0 ? host : admin).insists(text);
      // In the middle of a conversation, just before the next message is sent.
      if (at === SAID_EACH / 2 && round < KILLS) stage.killSite();
    }
  }
  expect(stage.output.match(/the site ended \(SIGKILL\)/gu)).toHaveLength(KILLS);

  const last = said.at(-1) as string;
  for (const { page } of [viewerPage, phone]) {
    await page.getByRole('list', { name: 'Chat' }).getByText(last, { exact: false }).waitFor();
  }
  // A viewer who joins late gets the room's own log: everybody else has the same, in the same order.
  const late = await Talker.enters('demo_viewer');
  await expect.poll(() => late.received.at(-1)?.message).toBe(last);
  const expected = late.received.map(({ id }) => id);
  expect(new Set(late.received.map(({ message }) => message))).toEqual(new Set(said));
  expect(new Set(expected).size).toBe(expected.length);
  for (const talker of [host, admin]) expect(talker.received.map(({ id }) => id)).toEqual(expected);
  for (const { page } of [viewerPage, phone]) expect(await shownOn(page)).toEqual(expected);
  for (const talker of [host, admin, late]) talker.leaves();
}, JOURNEY_MS);
