import { saveRoomSettings } from '#product/rooms/contract/controls.ts';
import { startGroupGoal } from '#product/shows/contract/group-goal.ts';
import { clubOwner, posts } from '#product/testkit/fan-club.ts';
import { formsOf, showsAtField, type FittingForm, type FormCase } from '#product/testkit/pages/forms.ts';
import { privatePerformer } from '#product/testkit/shows/private-show.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

type Sends = Awaited<ReturnType<FormCase['entry']>>['sends'];
type Page = Parameters<Sends>[0];

/** Where the screens of browsing and of rooms have their forms (spec 2). */
const FOLDERS = [
  'accounts/web/sign-in',
  'browse/web',
  'broadcast/web',
  'fanclubs/web',
  'messaging/web',
  'performers/web',
  'room-moderation/web',
  'rooms/web',
  'screens/web/performer',
  'screens/web/room',
  'screens/web/swipe',
  'shows/web',
  'tips/web',
];

const as = (who: 'viewer' | 'performer' | 'admin') =>
(at: string, sends: Sends): FormCase['entry'] =>
async (
  site,
) => ({ visitor: await site[who](), at, sends });
const [viewer, performer, admin] = [as('viewer'), as('performer'), as('admin')];
/** A viewer in the room of a performer who is live. */
const inRoom =
  (sends: Sends, opens = (site: TestSite): Promise<Member> => site.performer({ live: true })) =>
  async (site: TestSite) => {
    const { username } = await opens(site);
    return { visitor: await site.viewer({ tokens: 1_000 }), at: `/${username}`, sends };
  };
/** A performer who is live, with the tools beside the video. */
const onAir = (sends: Sends): FormCase['entry'] => async (site) => ({
  visitor: await site.performer({ live: true }),
  at: '/go-live',
  sends,
});
const fills =
  (field: string, text: string, button: string | RegExp, region?: string): Sends => async (page) => {
    const part = region === undefined ? {} : { in: await page.find('region', region) };
    await page.fill(field, text, part);
    await page.press(button, part);
  };
const tab = async (page: Page, name: string): Promise<void> => page.press(name, { role: 'tab' });

const guest = (at: string, sends: Sends): FormCase['entry'] => async (site) => ({
  visitor: await site.visitor({ ofAge: true }),
  at,
  sends,
});

const CASES: readonly FormCase[] = [
  {
    form: 'accounts/web/sign-in/login-form.tsx login',
    field: 'Username or email',
    entry: guest('/login', async (page) => page.press('Log in', { in: await page.find('main') })),
  },
  {
    form: 'accounts/web/sign-in/register-form.tsx register',
    field: 'Username',
    entry: guest('/register', async (page) => {
      await page.fill('Email', 'nowhere', { in: await page.find('main') });
      await page.press('Sign up', { in: await page.find('main') });
    }),
  },
  {
    form: 'accounts/web/sign-in/forgot-form.tsx requestPasswordReset',
    field: /mail/u,
    entry: guest('/forgot-password', async (page) =>
      page.click(
        page.all('button', undefined, { in: await page.find('main') }).at(-1) as HTMLElement,
      )),
  },
  {
    form: 'browse/web/likes/most-liked-page.tsx giveLike',
    field: 'Performer’s username',
    entry: viewer('/most-liked', fills('Performer’s username', '', 'Like')),
  },
  {
    form: 'browse/web/search/saved.tsx saveSearch',
    field: 'Name of this search',
    entry: viewer('/search?q=blonde', fills('Name of this search', ' ', 'Save search')),
  },
  {
    form: 'broadcast/web/details-form.tsx setDetails',
    field: 'Tags',
    entry: performer('/go-live', fills('Tags', 'no!way', 'Save topic')),
  },
  {
    form: 'fanclubs/web/own/club-form.tsx saveOwnClub',
    field: 'Tokens a month',
    entry: performer('/account/fanclub', async (page) => {
      await page.fill('Tokens a month', '0', { in: await page.find('group', 'Supporter') });
      await page.press('Save fan club');
    }),
  },
  {
    form: 'fanclubs/web/posts/composer.tsx publishPost',
    field: 'Your post',
    entry: async (site) => ({
      visitor: await clubOwner(site),
      at: '/account/fanclub',
      sends: (page) => page.press('Publish post'),
    }),
  },
  {
    form: 'fanclubs/web/posts/edit-form.tsx editPost',
    field: 'Your post',
    entry: async (site) => {
      const visitor = await clubOwner(site);
      await posts(visitor, 'Hello');
      return {
        visitor,
        at: '/account/fanclub',
        sends: async (page) => {
          await page.press('Edit');
          const dialog = await page.find('dialog', 'Edit post');
          await page.fill('Your post', '', { in: dialog });
          await page.press('Save post', { in: dialog });
        },
      };
    },
  },
  {
    form: 'messaging/web/own-note.tsx saveNote',
    field: /^Your note on/u,
    entry: async (site) => {
      const { username } = await site.performer();
      return {
        visitor: await site.viewer(),
        at: `/${username}/bio`,
        sends: (page) => page.press('Save note'),
      };
    },
  },
  {
    form: 'performers/web/prices-form.tsx saveListingProfile',
    field: 'Private show',
    entry: performer('/account/listing', fills('Private show', '0', 'Save prices')),
  },
  {
    form: 'performers/web/schedule-form.tsx saveListingProfile',
    field: 'Until',
    entry: performer('/account/listing', async (page) => {
      await page.press('Add time');
      const time = await page.find('group', 'Time 1');
      await page.fill('From', '08:00', { in: time });
      await page.fill('Until', '08:10', { in: time });
      await page.press('Save schedule');
    }),
  },
  {
    form: 'room-moderation/web/actions/action-dialog.tsx moderate',
    field: 'Reason',
    entry: async (site) => {
      const [owner, guest] = [await site.performer({ live: true }), await site.viewer()];
      await site.says(await guest.joins(owner), 'hello');
      return {
        visitor: owner,
        at: `/${owner.username}`,
        sends: async (page) => {
          await page.until(() => expect(page.network.hasJoined(owner.username)).toBe(true));
          await page.press(/^Users\b/u);
          const named = new RegExp(`^${guest.person.displayName}`, 'u');
          await expect.poll(async () => {
            await site.passes(5_000);
            return page.all('list', 'In this room')
              .flatMap((list) => page.all('button', named, { in: list }));
          }).toHaveLength(1);
          await page.press(named, { in: await page.find('list', 'In this room') });
          await page.press('Ban', { in: await page.find('dialog') });
          await page.press('Ban', { in: await page.find('dialog', /^Ban /u) });
        },
      };
    },
  },
  {
    form: 'room-moderation/web/panel/rules-form.tsx fields',
    field: 'Blocked words',
    entry: admin('/admin/blocked-words', fills('Blocked words', 'w'.repeat(41), 'Save words')),
  },
  {
    form: 'screens/web/performer/streaming-page.tsx setPublicRecording',
    field: 'Tokens per minute',
    entry: performer('/account/streaming', fills('Tokens per minute', '-5', 'Save')),
  },
  {
    form: 'screens/web/room/entry/password-form.tsx enterPassword',
    field: 'Room password',
    entry: inRoom(fills('Room password', 'not that', 'Enter room'), async (site) => {
      const owner = await site.performer({ live: true });
      await owner.call(saveRoomSettings, { username: owner.username, camPassword: 'candle light' });
      return owner;
    }),
  },
  {
    form: 'screens/web/room/panels/room-settings.tsx saveRoomSettings',
    field: 'Room password',
    entry: onAir(async (page) => {
      await page.press('Room');
      await fills('Room password', 'a', 'Set password')(page);
    }),
  },
  {
    form: 'screens/web/swipe/card/tip-row.tsx fields',
    field: 'Tokens',
    entry: async (site) => {
      await site.performer({ live: true });
      return {
        visitor: await site.viewer(),
        at: '/swipe',
        width: 390,
        sends: async (page) => {
          const form = await page.find('form', /^Tip /u);
          await page.fill('Tokens', '0', { in: form });
          await page.press('Tip', { in: form });
        },
      };
    },
  },
  {
    form: 'shows/web/account/offer-sections.tsx saveShowSettings',
    field: 'Minimum duration (minutes)',
    entry: performer('/account/shows', fills('Minimum duration (minutes)', '-1', 'Save', 'What you offer')),
  },
  {
    form: 'shows/web/account/offer-sections.tsx setDiscount',
    field: 'Discount (percent)',
    entry: async (site) => ({
      visitor: await privatePerformer(site),
      at: '/account/shows',
      sends: fills('Discount (percent)', '0', 'Start discount'),
    }),
  },
  {
    form: 'shows/web/account/sharecam-section.tsx saveShowSettings',
    field: 'Price per minute in public (tokens)',
    entry: performer(
      '/account/shows',
      fills('Price per minute in public (tokens)', '0', 'Save', 'Viewers’ cameras'),
    ),
  },
  {
    form: 'shows/web/account/spying.tsx saveShowSettings',
    field: 'Spying price per minute (tokens)',
    entry: performer('/account/shows', fills('Spying price per minute (tokens)', '0', 'Save spying')),
  },
  {
    form: 'shows/web/goals/goal-panel.tsx giveToGroupGoal',
    field: 'Tokens to chip in',
    entry: inRoom(async (page) => {
      await page.press('Group goal');
      await fills('Tokens to chip in', '0', 'Chip in')(page);
    }, async (site) => {
      const owner = await site.performer({ live: true });
      await owner.call(startGroupGoal, { title: 'A song', tokens: 500, minutes: 30 });
      return owner;
    }),
  },
  {
    form: 'shows/web/goals/own-goal.tsx startGroupGoal',
    field: 'Tokens needed',
    entry: onAir(async (page) => {
      await page.press('Group goal');
      await page.fill('What’s the goal?', 'A song');
      await fills('Tokens needed', '0', 'Start group goal')(page);
    }),
  },
  {
    form: 'shows/web/tickets/performer/offer-form.tsx offerTicketShow',
    field: 'Ticket price (tokens)',
    entry: onAir(async (page) => {
      await page.press('Ticket show');
      await page.fill('What’s the show about?', 'Fire and feathers');
      await fills('Ticket price (tokens)', '0', 'Announce show')(page);
    }),
  },
  {
    form: 'shows/web/private/viewer/request-dialog.tsx fields',
    field: 'End at my limit (tokens)',
    entry: inRoom(async (page) => {
      await page.press('Ask for a private show');
      await fills('End at my limit (tokens)', '1', 'Send request')(page);
    }, privatePerformer),
  },
  {
    form: 'tips/web/tip-rules.tsx saveTipRules',
    field: 'Tokens per day',
    entry: admin('/admin/ledger', fills('Tokens per day', 'many', 'Save limit')),
  },
  {
    form: 'tips/web/room/split-proposal.tsx startSplit',
    field: 'Total tokens',
    entry: inRoom(async (page) => {
      await page.press('Tip menu');
      await fills('Total tokens', '1', 'Propose split')(page);
    }),
  },
  {
    form: 'tips/web/tip-form.tsx fields',
    field: 'Tokens',
    entry: inRoom(async (page) => {
      await page.press('Tip menu');
      const panel = await page.find('dialog', /^Tip /u);
      await page.fill('Tokens', '0', { in: panel });
      await page.press('Tip', { in: panel });
    }),
  },
  {
    form: 'tips/web/tip-panel.tsx fields',
    field: 'Tokens',
    entry: inRoom(async (page) => {
      const form = await page.find('form', /^Tip /u);
      await page.fill('Tokens', '0', { in: form });
      await page.press('Tip', { in: form });
    }),
  },
  {
    form: 'tips/web/tools/goal-editor.tsx addGoal',
    field: 'Tokens',
    entry: onAir(async (page) => {
      await tab(page, 'Goals');
      await page.fill('What happens at the goal', 'A song');
      await fills('Tokens', '0', 'Add goal')(page);
    }),
  },
  {
    form: 'tips/web/tools/menu-editor.tsx saveTipMenu',
    field: 'Item 1',
    entry: onAir(async (page) => {
      await tab(page, 'Menu');
      await page.press('Add item');
      await page.press('Save menu');
    }),
  },
];

const FITTING: readonly FittingForm[] = [
  { form: 'browse/web/search/words-form.tsx fields', because: 'any words can be searched for' },
  { form: 'browse/web/seo/seo-experiment.tsx changeSeoExperiment', because: 'a form of the back office' },
  { form: 'performers/web/bio-form.tsx updateProfile', because: 'any words fit, and no more can be typed' },
  { form: 'performers/web/languages-form.tsx updateProfile', because: 'a list of what can be chosen' },
  {
    form: 'performers/web/places/blocked-places.tsx saveBlockedRegions',
    because: 'a list of what can be chosen',
  },
  { form: 'performers/web/profile-form.tsx saveListingProfile', because: 'lists of what can be chosen' },
  {
    form: 'shows/web/sharecam/viewer/share-dialog.tsx fields',
    because: 'it has one box to tick: shows-sharecam.page.test.tsx',
  },
  {
    form: 'rooms/web/chat/input/input.tsx fields',
    because: 'no more can be typed; what is refused is in the notes below it: rooms-lines.page.test.tsx',
  },
  { form: 'tips/web/tip-history.tsx fields', because: 'a filter: what fits nothing finds nothing' },
];

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

test('each form of these screens has a case here [B-291]', () => {
  expect([...CASES, ...FITTING].map(({ form }) => form).toSorted()).toEqual(formsOf(FOLDERS));
});
test.each(CASES.map((item) => [item.form, item] as const))(
  '%s shows what does not fit at its field [B-291]',
  (_form, item) => showsAtField(site, item),
);
