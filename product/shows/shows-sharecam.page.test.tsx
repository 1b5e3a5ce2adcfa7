import { updateProfile } from '#product/accounts/contract.ts';
import { getBalance } from '#product/ledger/contract.ts';
import { openAction } from '#product/testkit/pages/look/action-bar.ts';
import { seesToast, toastsOf } from '#product/testkit/pages/look/toasts.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { countsTones } from '#product/testkit/pages/window/tones.ts';
import { endsPrivate, privatePerformer, startsPrivate } from '#product/testkit/shows/private-show.ts';
import {
  cameraPasses,
  connectsSharecam,
  runsSharecam,
  sharecamPerformer,
  sharecamWish,
  startsSharecam,
} from '#product/testkit/shows/sharecam.ts';
import { offersTickets, sellsTickets, startsTicketShow } from '#product/testkit/shows/ticket-show.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { getShowSettings, saveShowSettings } from './contract/settings.ts';
import {
  acceptSharecam,
  declineSharecam,
  endSharecam,
  getSharecams,
  requestSharecam,
} from './contract/sharecam.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openRoom>>;
const SHARE = 'Share my camera';

/** Fakes the browser's devices, which open or fail in one way. Returns the open tracks. */
function devices(failure: string | null = null): { readonly open: Set<string> } {
  const open = new Set<string>();
  const trackOf = (kind: 'audio' | 'video') => {
    open.add(kind);
    return {
      kind,
      label: kind,
      enabled: true,
      getSettings: () => ({ deviceId: `${kind}-1` }),
      stop: () => open.delete(kind),
    };
  };
  const before = Object.getOwnPropertyDescriptor(navigator, 'mediaDevices');
  Object.defineProperty(navigator, 'mediaDevices', {
    configurable: true,
    value: {
      enumerateDevices: async () => [
        { kind: 'videoinput', deviceId: 'video-1', label: 'Front camera' },
        { kind: 'audioinput', deviceId: 'audio-1', label: 'Desk microphone' },
      ],
      getUserMedia: async () => {
        if (failure !== null) throw new DOMException('no', failure);
        const tracks = [trackOf('video'), trackOf('audio')];
        return Object.assign(new MediaStream(), {
          getTracks: () => tracks,
          getAudioTracks: () => tracks.filter(({ kind }) => kind === 'audio'),
        });
      },
    },
  });
  onTestFinished(() => {
    if (before) Object.defineProperty(navigator, 'mediaDevices', before);
    else Reflect.deleteProperty(navigator, 'mediaDevices');
  });
  return { open };
}
/** Counts the tones that were started. */
let tones = { count: 0 } as ReturnType<typeof countsTones>;
beforeEach(() => {
  tones = countsTones();
});

/** Opens the dialog with the viewer's own video. */
const asks = (page: Page, { person }: Member): Promise<HTMLElement> =>
  openAction(page, SHARE, `Share your camera with ${person.displayName}`);

describe('a viewer who shares their camera', () => {
  test(
    'sees it first, and who sees it and what it costs; nothing is sent before she accepts [B-113, B-347]',
    async () => {
      const { open } = devices();
      const performer = await sharecamPerformer(site);
      const name = performer.person.displayName;
      const viewer = await site.viewer({ tokens: 100 });
      const page = await openRoom(site, viewer, performer);
      const dialog = await asks(page, performer);
      await page.sees(`Only ${name} sees and hears you. Nobody else can, and nothing is recorded.`, {
        in: dialog,
      });
      await page.sees('30 tokens', { in: dialog });
      await page.sees('($3.00)', { in: dialog });
      await page.sees('3 min 20 s', { in: dialog });
      expect(await page.problems()).toEqual([]);
      expect([...open]).toEqual(['video', 'audio']);
      // The viewer confirms to be an adult; without that no request is sent.
      await page.press('Send request', { in: dialog });
      await page.sees('Confirm your age first.', { in: dialog });
      expect((await performer.call(getSharecams, {})).requests).toEqual([]);
      await page.click(await page.field(/^I’m at least 18 years old/u, { in: dialog }));
      await page.press('Send request', { in: dialog });
      await page.sees(`Waiting for ${name} to answer. Your video isn’t sent yet.`);
      expect((await performer.call(getSharecams, {})).requests)
        .toMatchObject([{ username: viewer.username, mode: 'public', cost_per_minute: 30 }]);
      await performer.call(acceptSharecam, { username: viewer.username });
      await page.sees(`${name} accepted. Your camera is connecting.`);
      const { stream } = await connectsSharecam(viewer, performer);
      await cameraPasses(site, stream, 3);
      await page.sees(`${name} sees you.`);
      expect(await page.problems()).toEqual([]);
      await page.press('Stop sharing');
      await page.sees('You stopped sharing your camera.');
      expect([site.engine.streams.includes(stream), open.size]).toEqual([false, 0]);
      await page.find('button', SHARE);
    },
  );

  test('learns that she declines, in these words [B-348, B-395]', async () => {
    devices();
    const performer = await sharecamPerformer(site);
    const viewer = await site.viewer({ tokens: 100 });
    const page = await openRoom(site, viewer, performer);
    const dialog = await asks(page, performer);
    await page.click(await page.field(/^I’m at least 18 years old/u, { in: dialog }));
    await page.press('Send request', { in: dialog });
    await page.find('button', 'Withdraw request');
    await performer.call(updateProfile, { display_name: 'Ivy of the Rain' });
    await performer.call(declineSharecam, { username: viewer.username });
    await seesToast(page, 'news', '"Ivy of the Rain" declined your ShareCam request.');
    expect(toastsOf(page)).toHaveLength(1);
    await page.find('button', SHARE);
    expect(page.all('button', 'Withdraw request')).toEqual([]);
  });

  test('sees why the camera does not work', async () => {
    const performer = await sharecamPerformer(site);
    for (const [failure, text] of [
      ['NotAllowedError', /is blocking this site from using your camera/u],
      ['NotFoundError', /can’t find a camera/u],
      ['NotReadableError', /Another program is using your camera/u],
    ] as const) {
      devices(failure);
      const page = await openRoom(site, await site.viewer({ tokens: 100 }), performer);
      const dialog = await asks(page, performer);
      await page.sees(text, { in: dialog });
      expect(page.all('button', 'Send request', { in: dialog })[0]?.hasAttribute('disabled')).toBe(true);
    }
  });

  test('buys what is missing, and a guest is asked to log in', async () => {
    devices();
    const performer = await sharecamPerformer(site);
    const page = await openRoom(site, await site.viewer({ tokens: 12 }), performer);
    const dialog = await asks(page, performer);
    await page.sees('You need 18 more tokens to start.', { in: dialog });
    expect(page.all('button', 'Send request', { in: dialog })).toEqual([]);
    const guest = await openRoom(site, await site.visitor({ ofAge: true }), performer);
    await guest.press(SHARE);
    await guest.sees('Log in to share your camera. You stay in this room.');
  });

  test(
    'can share in public and in a ticket show, and neither in a private show nor unallowed [B-275]',
    async () => {
      devices();
      const performer = await privatePerformer(site);
      await performer.call(saveShowSettings, {
        sharecam: { isAllowedInPublic: true, isAllowedInPrivate: false },
      });
      await site.settle();
      const [viewer, other] = [await site.viewer({ tokens: 500 }), await site.viewer({ tokens: 500 })];
      const page = await openRoom(site, viewer, performer);
      await page.find('button', SHARE);
      await startsPrivate(other, performer);
      await page.gone('button', SHARE);
      await endsPrivate(other, performer);
      await page.find('button', SHARE);
      await offersTickets(performer);
      await sellsTickets(performer, viewer);
      await startsTicketShow(performer);
      await page.sees('You’re in the ticket show.');
      await page.find('button', SHARE);
      await performer.call(saveShowSettings, { sharecam: { isAllowedInPublic: false } });
      await page.gone('button', SHARE);
    },
  );

  test('has no way to share in the show of somebody else, nor where it is not allowed [B-274]', async () => {
    const performer = await privatePerformer(site);
    await performer.call(saveShowSettings, { sharecam: { isAllowedInPrivate: true } });
    const other = await site.viewer({ tokens: 300 });
    const before = await openRoom(site, other, performer);
    await before.find('button', SHARE);
    const viewer = await site.viewer({ tokens: 300 });
    await startsPrivate(viewer, performer);
    await before.gone('button', SHARE);
    const own = await openRoom(site, viewer, performer);
    await own.find('button', SHARE);
    await performer.call(saveShowSettings, { sharecam: { isAllowedInPrivate: false } });
    await own.gone('button', SHARE);
  });

  test('shares for free in the own private show, and stops it by leaving the room', async () => {
    const { open } = devices();
    const performer = await privatePerformer(site);
    await performer.call(saveShowSettings, { sharecam: { isAllowedInPrivate: true } });
    const viewer = await site.viewer({ tokens: 300 });
    await startsPrivate(viewer, performer);
    const page = await openRoom(site, viewer, performer);
    const dialog = await asks(page, performer);
    await page.sees('Free', { in: dialog });
    await page.click(await page.field(/^I’m at least 18 years old/u, { in: dialog }));
    await page.press('Send request', { in: dialog });
    await page.find('button', 'Withdraw request');
    await performer.call(acceptSharecam, { username: viewer.username });
    await page.find('button', 'Stop sharing');
    await page.press('Men', { role: 'link', in: await page.find('banner') });
    await page.until(async () => expect((await performer.call(getSharecams, {})).running).toEqual([]));
    expect(open.size).toBe(0);
  });
});

describe('a performer who is shown cameras', () => {
  test('accepts and declines requests, and stops a camera', async () => {
    const performer = await sharecamPerformer(site);
    const [first, second] = [await site.viewer({ tokens: 100 }), await site.viewer({ tokens: 100 })];
    const page = await openRoom(site, performer, performer);
    expect(page.all('heading', 'Viewers’ cameras')).toEqual([]);
    await first.call(requestSharecam, sharecamWish(performer));
    await page.find('button', `Accept ${first.username}`);
    await page.until(() => expect(tones.count).toBeGreaterThan(0));
    await page.press(`Accept ${first.username}`);
    await page.find('list', 'Viewers’ cameras');
    await second.call(requestSharecam, sharecamWish(performer));
    expect(await page.problems()).toEqual([]);
    await page.press(`Decline ${second.username}`);
    await page.until(async () => expect((await performer.call(getSharecams, {})).requests).toEqual([]));
    const { stream } = await connectsSharecam(first, performer);
    await cameraPasses(site, stream, 4);
    await page.sees('2 tokens');
    await page.press(`Stop ${first.username}’s camera`);
    await page.until(() => expect(page.all('list', 'Viewers’ cameras')).toEqual([]));
    expect(site.engine.streams).not.toContain(stream);
    expect((await first.call(getBalance, {})).tokens).toBe(98);
  });

  test('opens the card of a viewer from their request and from their picture', async () => {
    const performer = await sharecamPerformer(site);
    const viewer = await site.viewer({ tokens: 100 });
    await viewer.joins(performer);
    const page = await openRoom(site, performer, performer);
    await viewer.call(requestSharecam, sharecamWish(performer));
    await page.find('button', `Accept ${viewer.username}`);
    const seesCard = async (): Promise<void> => {
      await page.press(viewer.username);
      const card = await page.find('dialog', viewer.person.displayName);
      await page.sees(`@${viewer.username}`, { in: card });
      await page.press('Close', { in: card });
    };
    await seesCard();
    await page.press(`Accept ${viewer.username}`);
    await page.find('list', 'Viewers’ cameras');
    await seesCard();
  });

  test('has them in the console too, and learns when a viewer stops', async () => {
    const performer = await sharecamPerformer(site);
    const viewer = await site.viewer({ tokens: 100 });
    const page = await openPage(site, performer, '/go-live');
    await page.find('heading', 'Private show requests');
    expect(page.shows('Viewers’ cameras')).toBe(false);
    await startsSharecam(viewer, performer);
    await page.find('list', 'Viewers’ cameras');
    await viewer.call(endSharecam, { username: performer.username });
    await page.sees(`The camera of ${viewer.username} is off.`);
    expect(page.all('list', 'Viewers’ cameras')).toEqual([]);
  });

  test('has receipts of what they paid, as their viewers have', async () => {
    const { viewer, performer, stream } = await runsSharecam(site, { tokens: 500 });
    await cameraPasses(site, stream, 70);
    await viewer.call(endSharecam, { username: performer.username });
    await site.settle();
    for (const [who, other] of [[viewer, performer], [performer, viewer]] as const) {
      const page = await openPage(site, who, '/account/shows');
      const row = (await page.find('table', 'Camera receipts')).querySelector('tbody tr');
      expect(row?.textContent).toContain(other.username);
      expect(row?.textContent).toMatch(/1 min 10 s.*30 tokens.*35/u);
      expect(row?.textContent.includes('You stopped sharing your camera.')).toBe(who === viewer);
      await page.press(other.username, { in: row as HTMLElement });
      await page.sees(`@${other.username}`, { in: await page.find('dialog') });
      expect(await page.problems()).toEqual([]);
    }
  });

  test('chooses on the page of shows where they are taken, and for how much', async () => {
    const performer = await site.performer();
    const page = await openPage(site, performer, '/account/shows');
    const region = await page.find('region', 'Viewers’ cameras');
    await page.click(await page.field(/^Allow in public/u, { in: region }));
    await page.fill('Price per minute in public (tokens)', '15', { in: region });
    await page.press('Save', { in: region });
    await page.sees('Saved');
    expect((await performer.call(getShowSettings, {})).sharecam)
      .toEqual({ isAllowedInPrivate: false, isAllowedInPublic: true, pricePerMinuteInPublicInToken: 15 });
    expect(await page.problems()).toEqual([]);
  });
});
