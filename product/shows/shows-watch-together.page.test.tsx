import { deleteRecording } from '#product/recordings/contract.ts';
import { toastsOf } from '#product/testkit/pages/look/toasts.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import {
  endsPrivate,
  mediaPasses,
  privatePerformer,
  startsPrivate,
} from '#product/testkit/shows/private-show.ts';
import { watchableShow } from '#product/testkit/shows/watching.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { endPrivate } from './contract/private-running.ts';
import { checkPrivate } from './contract/private-show.ts';
import { stopWatching, watchTogether } from './contract/private-watching.ts';
import { getShowSettings, saveShowSettings } from './contract/settings.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openRoom>>;
/** Whether the browser lets videos play before the first click. */
let mayPlay = true;
beforeEach(() => {
  mayPlay = true;
  // A DOM has no media: the video counts as loaded, and plays.
  const { prototype } = HTMLMediaElement;
  vi.spyOn(prototype, 'readyState', 'get').mockReturnValue(4);
  const play = Reflect.get(prototype, 'play');
  vi.spyOn(prototype, 'play').mockImplementation(async function plays(this: HTMLMediaElement) {
    if (!mayPlay && this.getAttribute('aria-label') === VIDEO) {
      throw new DOMException('not yet', 'NotAllowedError');
    }
    await play.call(this);
  });
  return () => void vi.restoreAllMocks();
});

const VIDEO = 'Video you’re watching together';
const TITLE = 'Watching together';
const videoOf = (): HTMLVideoElement | null =>
  document.querySelector<HTMLVideoElement>(`video[aria-label="${VIDEO}"]`);
/** Position of the video on the page in whole seconds, and whether it plays. */
const seen = (): readonly [number | null, boolean] => {
  const video = videoOf();
  return [video && Math.round(video.currentTime), video?.paused === false];
};
const region = (page: Page): Promise<HTMLElement> => page.find('region', TITLE);
/** Media reaches the viewer: the show runs. */
async function running(options: Parameters<typeof watchableShow>[1] = {}) {
  const show = await watchableShow(site, options);
  await mediaPasses(site, show.performer, 1);
  return show;
}
const startsWith = (performer: Member, id: number, more: object = {}) =>
  performer.call(watchTogether, { id, ...more });

describe('a viewer', () => {
  test('learns in the room that videos can be watched together there, while they can [B-268]', async () => {
    const performer = await privatePerformer(site);
    const page = await openRoom(site, await site.viewer({ tokens: 300 }), performer);
    await page.find('button', 'Ask for a private show');
    const text = `In a private show you can watch ${performer.person.displayName}’s videos with them.`;
    expect(page.shows(text)).toBe(false);
    await performer.call(saveShowSettings, { private: { isWatchPornTogetherEnabled: true } });
    await page.sees(text);
    expect(await page.problems()).toEqual([]);
    const another = await site.viewer({ tokens: 300 });
    await startsPrivate(another, performer);
    await page.until(() => expect(page.shows(text)).toBe(false));
    await endsPrivate(another, performer);
    await page.sees(text);
  });

  test('follows the video, has its volume and no other control, and hides it', async () => {
    const { performer, viewer, id } = await running();
    const page = await openRoom(site, viewer, performer, { width: 320 });
    await page.find('region', 'Your private show');
    expect(page.all('region', TITLE)).toEqual([]);
    await startsWith(performer, id, { position_ms: 20_000 });
    const panel = await region(page);
    const { displayName: name } = performer.person;
    await page.sees(`You’re watching a video with ${name}.`, { in: panel });
    await page.sees(`${name} started a video.`);
    expect(videoOf()?.getAttribute('src')).toBe(`/api/v1/private/${performer.username}/watching/${id}/file`);
    expect(videoOf()?.hasAttribute('controls')).toBe(false);
    await page.until(() => expect(seen()).toEqual([20, true]));
    const names = page.all('button', undefined, { in: panel })
      .map((element) => element.textContent || element.getAttribute('aria-label'));
    expect(names).toEqual(['Hide video', 'Mute the video']);
    expect(await page.problems()).toEqual([]);
    // The clock advances; a DOM’s video does not, and is moved to where it should be.
    await mediaPasses(site, performer, 8);
    await page.until(() => expect(seen()).toEqual([28, true]));
    await page.sees('0:28 / 1:00', { in: panel });
    await startsWith(performer, id, { is_playing: false });
    await page.sees('The video is paused.', { in: panel });
    await page.until(() => expect(seen()).toEqual([28, false]));
    await startsWith(performer, id, { is_playing: true, position_ms: 5_000 });
    await page.until(() => expect(seen()).toEqual([5, true]));
    await page.press('Mute the video', { in: panel });
    expect(videoOf()?.muted).toBe(true);
    await page.press('Unmute the video', { in: panel });
    expect(videoOf()?.muted).toBe(false);
    await page.press('Mute the video', { in: panel });
    await page.press('Hide video', { in: panel });
    expect(videoOf()).toBeNull();
    await page.press('Show video', { in: panel });
    await page.until(() => expect(seen()).toEqual([5, true]));
    expect(videoOf()?.muted).toBe(true);
    await performer.call(stopWatching, {});
    await page.gone('region', TITLE);
    await page.sees(`${name} stopped the video.`);
    await page.find('region', 'Your private show');
    // The next video stays muted, so that nobody is startled.
    await startsWith(performer, id);
    await region(page);
    await page.until(() => expect(videoOf()?.muted).toBe(true));
  });

  test('moves nothing that is a little beside its place', async () => {
    const { performer, viewer, id } = await running();
    const page = await openRoom(site, viewer, performer);
    await startsWith(performer, id, { position_ms: 10_000 });
    await page.until(() => expect(seen()).toEqual([10, true]));
    const video = videoOf();
    if (!video) throw new Error('a video is shown');
    video.currentTime = 10.9;
    await site.passes(500);
    expect(video.currentTime).toBe(10.9);
    video.currentTime = 12.5;
    await site.passes(500);
    expect(video.currentTime).toBe(11);
  });

  test('begins where the browser loads nothing by itself, and jumps little while it loads', async () => {
    const { performer, viewer, id } = await running();
    const loaded = vi.spyOn(HTMLMediaElement.prototype, 'readyState', 'get').mockReturnValue(0);
    const page = await openRoom(site, viewer, performer);
    await startsWith(performer, id, { position_ms: 3_000 });
    await page.until(() => expect(seen()).toEqual([0, true]));
    loaded.mockReturnValue(1);
    await site.passes(1_500);
    expect(seen()).toEqual([0, true]);
    await site.passes(1_000);
    expect(videoOf()?.currentTime).toBeGreaterThan(5);
  });

  test('who comes late, or loads the page again, is where the other one is', async () => {
    const { performer, viewer, id } = await running();
    await startsWith(performer, id);
    await mediaPasses(site, performer, 14);
    mayPlay = false;
    const page = await openRoom(site, viewer, performer);
    const panel = await region(page);
    const join = await page.find('button', 'Play', { in: panel });
    expect(seen()[1]).toBe(false);
    expect(await page.problems()).toEqual([]);
    await mediaPasses(site, performer, 3);
    mayPlay = true;
    await page.click(join);
    await page.until(() => expect(seen()).toEqual([17, true]));
    expect(page.all('button', 'Play', { in: panel })).toEqual([]);
  });

  test('learns that it was deleted, and sees nothing of it after the show [C-118]', async () => {
    const { performer, viewer, id } = await running();
    const page = await openRoom(site, viewer, performer);
    await startsWith(performer, id);
    await region(page);
    await performer.call(deleteRecording, { id });
    await page.gone('region', TITLE);
    await page.sees('The video you were watching together was deleted.');
    expect(toastsOf(page)).toHaveLength(1);
    const second = await running();
    const other = await openRoom(site, second.viewer, second.performer);
    await startsWith(second.performer, second.id);
    await region(other);
    await second.performer.call(endPrivate, { username: second.viewer.username });
    await other.gone('region', TITLE);
    expect((await second.viewer.call(checkPrivate, { username: second.performer.username })).running)
      .toBeNull();
  });

  test('learns that the video cannot be read, and tries again', async () => {
    const { performer, viewer, id } = await running();
    const page = await openRoom(site, viewer, performer);
    await startsWith(performer, id);
    const panel = await region(page);
    const video = videoOf();
    video?.dispatchEvent(new Event('error'));
    await page.sees('The video can’t be played right now.', { in: panel });
    await page.press('Play again', { in: panel });
    await page.until(() => expect(videoOf() !== null && videoOf() !== video).toBe(true));
    expect(page.shows('The video can’t be played right now.')).toBe(false);
    // Each change makes the page try once more, without a click.
    for (const change of [{ is_playing: false }, { is_playing: true }, { position_ms: 30_000 }]) {
      const broken = videoOf();
      broken?.dispatchEvent(new Event('error'));
      await page.sees('The video can’t be played right now.', { in: panel });
      await page.idle();
      expect(videoOf()).toBe(broken);
      await startsWith(performer, id, change);
      await page.until(() => expect(videoOf() !== null && videoOf() !== broken).toBe(true));
      expect(page.shows('The video can’t be played right now.')).toBe(false);
    }
  });
});

describe('a performer', () => {
  test('turns it on in her settings, with what it means', async () => {
    const performer = await privatePerformer(site);
    const page = await openPage(site, performer, '/account/shows');
    const offer = await page.find('region', 'What you offer');
    await page.sees(/^During a private show you can play one of your public recordings/u, { in: offer });
    await page.click(await page.field(/^Watch your videos together/u, { in: offer }));
    await page.press('Save', { in: offer });
    await page.until(async () =>
      expect((await performer.call(getShowSettings, {})).private.isWatchPornTogetherEnabled).toBe(true)
    );
    expect(await page.problems()).toEqual([]);
  });

  test.each(['room', 'console'] as const)('chooses, plays, pauses, moves and stops in the %s', async (at) => {
    const { performer, viewer, id } = await running({ seconds: 60.4 });
    const page = at === 'room'
      ? await openRoom(site, performer, performer, { width: 320 })
      : await openPage(site, performer, '/go-live');
    const watched = async () =>
      (await viewer.call(checkPrivate, { username: performer.username })).running?.watch_together ?? null;
    const panel = await region(page);
    await page.press('Watch a video together', { in: panel });
    const dialog = await page.find('dialog', 'Choose a video');
    const list = await page.find('list', 'Your public recordings', { in: dialog });
    expect(await page.problems()).toEqual([]);
    await page.press(/^Recording from .*1:00$/u, { in: list });
    await page.gone('dialog', 'Choose a video');
    expect(await watched()).toMatchObject({ id, is_playing: true });
    await page.sees(/^The video starts muted on your side/u, { in: panel });
    expect(videoOf()?.muted).toBe(true);
    await page.until(() => expect(seen()).toEqual([0, true]));
    expect(await page.problems()).toEqual([]);
    await page.press('Pause', { in: panel });
    await page.until(async () => expect(await watched()).toMatchObject({ is_playing: false }));
    await page.until(() => expect(seen()).toEqual([0, false]));
    const position = await page.find('slider', 'Position', { in: panel });
    position.focus();
    await page.keys('{End}');
    await site.passes(300);
    await page.until(async () => expect(await watched()).toMatchObject({ position_ms: 60_400 }));
    await page.sees('1:00 / 1:00', { in: panel });
    await page.press('Play', { in: panel });
    await page.until(async () => expect(await watched()).toMatchObject({ position_ms: 0, is_playing: true }));
    // Choosing the video that is already set plays it from the beginning, like any other choice.
    await startsWith(performer, id, { position_ms: 30_000, is_playing: false });
    await page.sees('The video is paused.', { in: panel });
    await page.press('Choose another video', { in: panel });
    await page.press(/^Recording from .*1:00$/u, { in: await page.find('dialog', 'Choose a video') });
    await page.gone('dialog', 'Choose a video');
    expect(await watched()).toMatchObject({ position_ms: 0, is_playing: true });
    await page.press('Stop watching', { in: panel });
    await page.until(async () => expect(await watched()).toBeNull());
    const next = await page.find('button', 'Watch a video together', { in: panel });
    expect(page.focused).toBe(next);
    expect(videoOf()).toBeNull();
  });

  test('moves it once for a key that is held, and where it was let go', async () => {
    const { performer, viewer, id } = await running();
    const page = await openRoom(site, performer, performer);
    await startsWith(performer, id, { is_playing: false });
    const position = await page.find('slider', 'Position', { in: await region(page) });
    const isAt = (ms: number) =>
      page.until(async () =>
        expect((await viewer.call(checkPrivate, { username: performer.username })).running?.watch_together)
          .toMatchObject({ position_ms: ms })
      );
    const moves = () => page.network.sent.filter((text) => /^POST .*\/shows\/watching /u.test(text));
    const press = async () => {
      await page.keys('{ArrowRight}');
      await site.passes(100);
    };
    position.focus();
    for (let step = 0; step < 6; step += 1) await press();
    await site.passes(300);
    await isAt(30_000);
    expect(moves()).toHaveLength(1);
    // While one move is under way the next one waits, and the newest wins.
    const release = page.network.holds(/\/shows\/watching$/u);
    await press();
    await site.passes(300);
    expect(moves()).toHaveLength(2);
    for (let step = 0; step < 2; step += 1) {
      await press();
      await site.passes(300);
    }
    expect(moves()).toHaveLength(2);
    release();
    await isAt(35_000);
    await page.idle();
    await site.passes(300);
    await isAt(45_000);
    expect(moves()).toHaveLength(3);
  });

  test('without a recording is led to where they are, and without the setting sees nothing', async () => {
    const { performer, id } = await running();
    await performer.call(deleteRecording, { id });
    const page = await openRoom(site, performer, performer);
    await page.press('Watch a video together', { in: await region(page) });
    const dialog = await page.find('dialog', 'Choose a video');
    await page.sees(/^You have no public recordings yet\./u, { in: dialog });
    await page.find('link', 'Recordings', { in: dialog });
    const off = await running({ isOffered: false });
    const other = await openRoom(site, off.performer, off.performer);
    await other.find('region', 'Your private show');
    await other.idle();
    expect(other.all('region', TITLE)).toEqual([]);
  });

  test.each(['room', 'console'] as const)('begins nothing in the %s after she turned it off', async (at) => {
    const { performer, id } = await running();
    const page = at === 'room'
      ? await openRoom(site, performer, performer)
      : await openPage(site, performer, '/go-live');
    const panel = await region(page);
    await startsWith(performer, id);
    await page.find('button', 'Choose another video', { in: panel });
    const turn = (isOn: boolean) =>
      performer.call(saveShowSettings, { private: { isWatchPornTogetherEnabled: isOn } });
    await turn(false);
    await page.gone('button', 'Choose another video');
    // The performer still controls the video that is being watched.
    await page.press('Pause', { in: panel });
    await page.sees('The video is paused.', { in: panel });
    await page.press('Stop watching', { in: panel });
    await page.gone('region', TITLE);
    await turn(true);
    await page.find('button', 'Watch a video together', { in: await region(page) });
  });

  test('learns that what she chose was deleted elsewhere', async () => {
    const { performer, id } = await running();
    const page = await openRoom(site, performer, performer);
    await startsWith(performer, id);
    await page.find('button', 'Stop watching', { in: await region(page) });
    await performer.call(deleteRecording, { id });
    await page.sees('The video you were watching together was deleted.');
    await page.gone('button', 'Stop watching');
  });
});

test('nothing went wrong on the server', () => expect(site.log).toEqual([]));
