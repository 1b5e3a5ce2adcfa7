import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { topicPersonChannel, type AnyEvent, type PayloadOf } from '../platform/contract/event.ts';
import { friendRequested } from '../product/messaging/contract.ts';
import { chatBanned, chatKicked, highlightedMessage, moderated } from '../product/rooms/contract.ts';
import { roomTopic } from '../product/rooms/rules.ts';
import { mediaChanged } from '../product/shop/contract.ts';
import {
  privateDeclined, privateEnded, privateFailed, privateStarted, sharecamDeclined, spyEnded,
} from '../product/shows/contract.ts';
import { DEFAULT_SCOPE } from '../product/site/rules.ts';
import { EXTRAS } from '../product/testkit/demo/cast.ts';
import { findings } from './axe.ts';
import { openDemoSite, type DemoSite } from './demo-site.ts';
import { expectMoving, goLive } from './stage.ts';

const ROOM = '/demo_performer';
const [OTHER = ''] = EXTRAS;

let demoSite: DemoSite;
let performerId: number;
beforeAll(async () => {
  demoSite = await openDemoSite();
  performerId = await demoSite.idOf('demo_performer');
  const performer = await demoSite.visit({ as: 'demo_performer' });
  await goLive(performer.page);
});
afterAll(() => demoSite.close());

type Send = <E extends AnyEvent>(event: E, payload: PayloadOf<E>) => Promise<void>;
/** Says something to one viewer of the room alone, as the slices do whose events these are. */
async function toViewer(username: string): Promise<Send> {
  const channel = topicPersonChannel(roomTopic(performerId), await demoSite.idOf(username));
  return (event, payload) => demoSite.tx((tx) => tx.send(channel, event, payload));
}

const face = (page: Page, status: string) => page.locator(`[data-stream-status=${status}]`);
const landsOn = (page: Page, path: string): Promise<void> =>
  expect.poll(() => new URL(page.url()).pathname, { timeout: 10_000 }).toBe(path);

const STARTED: PayloadOf<typeof privateStarted> = {
  username: 'demo_viewer', broadcaster: 'demo_performer', cost_per_minute: 60, prepaid_seconds: 0,
  remaining_seconds: 600, duration: 0, tokens_charged: 0, freeSpyPreviewDuration: 0, type: 'private',
  source: 'room', stream: null,
};

/** What one asked for and did not get: a toast each, and tokens where those were missing. */
async function showsRefusals(page: Page, send: Send): Promise<void> {
  await send(privateDeclined, { username: 'demo_performer' });
  await page.getByText('demo_performer declined your private chat request.').waitFor();
  await send(privateFailed, { errorType: 'busy', error: 'She is busy.' });
  await page.getByText('Failed to start private').waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
  await send(privateFailed, { errorType: 'not_enough_tokens', error: 'Too few tokens.' });
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

/** Into a show and out of it, by its end and by the end of spying; who is not in it stays outside. */
async function showsShows(page: Page, send: Send, outside: Page): Promise<void> {
  await demoSite.services.broadcast.move(DEFAULT_SCOPE, performerId, 'private');
  await face(page, 'private').waitFor();
  await send(sharecamDeclined, { model_display_name: 'Demo Performer' });
  const toast = page.getByText('"Demo Performer" declined your ShareCam request.');
  // Held by the pointer, it goes only when the page is cleared for the show.
  await toast.hover();
  await send(privateStarted, STARTED);
  await toast.waitFor({ state: 'detached' });
  await face(page, 'private').waitFor({ state: 'detached' });
  await send(spyEnded, {});
  await page.getByText('The spy chat has ended, sending you back to public chat.').waitFor();
  await face(page, 'private').waitFor();
  await send(privateStarted, STARTED);
  await face(page, 'private').waitFor({ state: 'detached' });
  await face(outside, 'private').waitFor();
  await send(privateEnded, { reason_ended: null, fanclub_refund: null });
  await face(page, 'connected').getByText('Demo Performer is connecting').waitFor();
  await demoSite.services.broadcast.move(DEFAULT_SCOPE, performerId, 'public');
  await expectMoving(page);
}

/** What is said in the room itself: a moderation, an error, an alert. */
async function showsChat(page: Page, send: Send): Promise<void> {
  await send(moderated, {
    id: 1_000_000, type: 'silenced', action: 'add', username: null, display_name: null, removed: [],
  });
  await page.getByText('A user was silenced.').waitFor();
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill('/no_such_thing');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('Unknown command.').waitFor();
  await send(highlightedMessage, {
    username: 'demo_performer', display_name: 'Demo Performer', message: 'Thank you',
  });
  const alert = page.getByRole('dialog', { name: 'Message from "Demo Performer"' });
  await alert.getByText('Thank you').waitFor();
  await alert.getByRole('button', { name: 'OK' }).click();
}

/** A friend request shows a notice to its receiver, and nothing to others. */
async function showsFriends(page: Page, send: Send): Promise<void> {
  const asked = page.getByText('Wants to be your friend');
  await send(friendRequested, { user: { username: OTHER } });
  await send(sharecamDeclined, { model_display_name: 'Someone' });
  await page.getByText('"Someone" declined your ShareCam request.').waitFor();
  expect(await asked.count()).toBe(0);
  await send(friendRequested, { user: { username: 'demo_viewer' } });
  await asked.waitFor();
  expect(await findings(page)).toEqual([]);
}

it('each event to a viewer changes the page, and is shown [B-387]', async () => {
  const { page, context } = await demoSite.visit({ as: 'demo_viewer', path: ROOM });
  const other = await demoSite.visit({ as: OTHER, path: ROOM });
  const [send, sendToOther] = [await toViewer('demo_viewer'), await toViewer(OTHER)];
  await Promise.all([expectMoving(page), expectMoving(other.page)]);
  await showsRefusals(page, send);
  await showsShows(page, send, other.page);
  await showsFriends(page, send);
  await showsChat(page, send);
  const requestedAgain = page.waitForRequest(/\/chat\/react\/demo_performer/u);
  await send(mediaChanged, {});
  await requestedAgain;
  await send(chatBanned, { room: 'demo_performer', reason: null, until: null });
  await page.getByText('You have been banned from this room.').waitFor();
  await landsOn(page, '/');
  await sendToOther(chatKicked, {
    room: 'demo_performer', reason: 'Be kind', until: new Date(Date.now() + 60_000).toISOString(),
  });
  await other.page.getByText('Be kind').waitFor();
  await landsOn(other.page, '/');
  await Promise.all([context.close(), other.context.close()]);
});
