import { deleteRecording, listRecordings } from '#product/recordings/contract.ts';
import { openAction } from '#product/testkit/pages/look/action-bar.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import {
  endsPrivate,
  mediaPasses,
  privatePerformer,
  startsPrivate,
  watches,
} from '#product/testkit/shows/private-show.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { getReceipts } from './contract/private-running.ts';
import { getPrivateRequests } from './contract/private-show.ts';
import { PERFORMER_CONSENT_VERSION, VIEWER_CONSENT_VERSION } from './rules/private.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
beforeEach(() => {
  // Its clock stays before the start of every tone, so nothing sounds.
  vi.stubGlobal(
    'AudioContext',
    class {
      readonly state = 'running';
      readonly currentTime = -1;
      close = async () => undefined;
    },
  );
});
afterAll(() => site.close());

const LONG = { timeout: 120_000 };
const offering = (isRecordingEnabled = true): Promise<Member> =>
  privatePerformer(site, {
    pricePerMinuteInToken: 60,
    isRecordingEnabled,
  });
const film = async (performer: Member, seconds: number): Promise<void> => {
  const { stream } = await site.tx((tx) => site.services.broadcast.viewOf(tx, performer.id));
  site.outputs.film(stream ?? '', seconds);
};

test('a viewer asks for a recording, the performer agrees, and both see that it runs', LONG, async () => {
  const performer = await offering();
  const viewer = await site.viewer({ tokens: 500 });
  const page = await openRoom(site, viewer, performer);
  const dialog = await openAction(
    page,
    'Ask for a private show',
    `Private show with ${performer.person.displayName}`,
  );
  await page.sees(/^The performer accepts or declines .* never your camera\. Only the two of you can/u, {
    in: dialog,
  });
  await page.press(/^Record this show for me/u, { role: 'checkbox', in: dialog });
  expect(await page.problems()).toEqual([]);
  await page.press('Send request', { in: dialog });
  await page.sees(/^Waiting for/u);
  expect(page.network.sent.join('\n')).toContain(`"recording_consent_version":${VIEWER_CONSENT_VERSION}`);
  expect((await performer.call(getPrivateRequests, {})).requests).toMatchObject([{ recording: true }]);

  const own = await openRoom(site, performer, performer);
  const list = await own.find('list', 'Private show requests');
  await own.sees('Wants a recording', { in: list });
  await own.sees(/^This show will be recorded\. By accepting, you agree to that\./u, { in: list });
  expect(await own.problems()).toEqual([]);
  // The key does not accept unseen: it focuses the button, whose description says what accepting means.
  await own.keys('{Alt>}{Shift>}[KeyA]{/Shift}{/Alt}');
  const button = await own.find('button', /^Accept/u, { in: list });
  expect(document.activeElement).toBe(button);
  expect(document.getElementById(button.getAttribute('aria-describedby') ?? '')?.textContent)
    .toMatch(/^This show will be recorded\. By accepting, you agree to that\./u);
  expect((await performer.call(getPrivateRequests, {})).requests).toHaveLength(1);
  await own.press(/^Accept/u, { in: list });
  await own.until(() =>
    own.network.sent.some((sent) => sent.includes(`"recording_consent_version":${PERFORMER_CONSENT_VERSION}`))
  );
  await own.sees('The recording starts with the show.');
  await watches(viewer, performer);
  await mediaPasses(site, performer, 2);
  await own.sees('This show is being recorded.');
  await film(performer, 12);
  const stream = (await site.tx((tx) => site.services.broadcast.viewOf(tx, performer.id))).stream;
  const [running] = site.outputs.recordings.filter((recording) => recording.stream === stream);
  site.outputs.endRecording(running?.id ?? '', 'full');
  await site.settle();
  await own.sees('This show isn’t being recorded right now.');
  await endsPrivate(viewer, performer);
  await site.settle();
  await own.find('link', 'Watch the recording');
  const library = await openPage(site, performer, '/account/recordings');
  await library.sees('Private show');
  expect(library.all('button', /while offline$/u)).toEqual([]);
});

test('the viewer watches it from the end of the show on, until it is withdrawn', LONG, async () => {
  const performer = await offering();
  const { displayName: name } = performer.person;
  const viewer = await site.viewer({ tokens: 500 });
  const page = await openRoom(site, viewer, performer);
  await startsPrivate(viewer, performer, { recording: true });
  await watches(viewer, performer);
  await mediaPasses(site, performer, 2);
  const region = await page.find('region', 'Your private show');
  await page.sees('This show is being recorded.', { in: region });
  expect(await page.problems()).toEqual([]);
  await film(performer, 12);
  await endsPrivate(viewer, performer);
  await site.settle();
  const link = await page.find('link', 'Watch the recording', { in: region });
  const [receipt] = (await viewer.call(getReceipts, {})).receipts;
  const at = `/account/shows/recordings/${receipt?.id}?mode=private`;
  expect(link.getAttribute('href')).toBe(at);

  const shows = await openPage(site, viewer, '/account/shows');
  const receipts = await shows.find('table', 'Private shows');
  await shows.press('Watch the recording', { in: receipts, role: 'link' });
  await shows.find('heading', `Recording of ${name}’s private show`);
  const [part] = (await performer.call(listRecordings, {})).recordings;
  const video = document.querySelector('video[aria-label="Recording, part 1 of 1"]');
  expect(video?.getAttribute('src'))
    .toBe(`/api/v1/shows/recordings/${receipt?.id}/${part?.id}/file?mode=private`);
  expect(await shows.problems()).toEqual([]);

  await performer.call(deleteRecording, { id: part?.id ?? 0 });
  await site.settle();
  const closed = await openPage(site, viewer, at, { mayPrint: /404/u });
  await closed.sees('The performer has withdrawn this recording. Nobody can watch it anymore.');
  const again = await openPage(site, viewer, '/account/shows');
  await again.sees('The performer has withdrawn the recording.');
  const own = await openPage(site, performer, '/account/shows');
  await own.sees('You deleted this recording.');
  const stranger = await openPage(site, await site.viewer(), at, { mayPrint: /404/u });
  await stranger.sees('This recording isn’t available to you.');
});

test('nobody is asked about a recording where none is offered', async () => {
  const performer = await offering(false);
  const page = await openRoom(site, await site.viewer({ tokens: 500 }), performer);
  await page.press('Ask for a private show');
  await page.find('button', 'Send request');
  expect(page.all('checkbox', /^Record this show/u)).toEqual([]);
});

test('nothing went wrong on the server', () => expect(site.log).toEqual([]));
