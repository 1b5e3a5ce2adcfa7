import { uuidV4 } from '#platform/data/ids.ts';
import { getCurrentUser } from '#product/accounts/contract.ts';
import {
  updateSettings,
  type SettingsInput,
  type SettingsView,
} from '#product/accounts/contract/settings.ts';
import { getHome } from '#product/browse/contract/home.ts';
import { getLimits } from '#product/ledger/contract/limits.ts';
import { getListingProfile, saveListingProfile } from '#product/performers/contract.ts';
import { getChatRules, moderate, setChatRules } from '#product/room-moderation/contract.ts';
import { setInvisibleMode } from '#product/rooms/contract/controls.ts';
import { getShowSettings, saveShowSettings } from '#product/shows/contract/settings.ts';
import { postsSettings, settingsOf } from '#product/testkit/people/settings.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { sendTip } from '#product/tips/contract.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let site: TestSite;
let viewer: Member;
let performer: Member;
beforeAll(async () => {
  site = await createSite();
  viewer = await site.viewer();
  performer = await site.performer({ live: true });
});
afterAll(() => site.close());

/** Saves a setting and reads it back. */
async function saved<Key extends keyof SettingsView>(
  who: Member,
  change: SettingsInput,
  key: Key,
): Promise<SettingsView[Key]> {
  const { settings } = await who.call(updateSettings, change);
  expect((await settingsOf(who))[key]).toEqual(settings[key]);
  return settings[key];
}
/** Saves each good value of a setting and reads it back; bad ones are refused. Returns the last value. */
async function takes(
  who: Member,
  key: keyof SettingsInput,
  good: readonly unknown[],
  bad: readonly unknown[],
): Promise<unknown> {
  for (const value of good) {
    expect([key, await saved(who, { [key]: value } as SettingsInput, key as keyof SettingsView)])
      .toEqual([key, value]);
  }
  for (const value of bad) {
    expect([value, (await postsSettings(who, { [key]: value })).status]).toEqual([value, 422]);
  }
  return (await settingsOf(who))[key as keyof SettingsView];
}

describe('settings of the chat', () => {
  it('chat_user_sort is tokens or username; font_size one of five, 11px at first [A-182]', async () => {
    expect(await takes(viewer, 'chat_user_sort', ['username', 'tokens'], ['name', '', null])).toBe('tokens');
    expect(
      await takes(viewer, 'font_size', ['9px', '10px', '11px', '14px', '18px'], ['12px', 11, '11', null]),
    ).toBe('18px');
    expect((await settingsOf(await site.viewer())).font_size).toBe('11px');
  });

  it('text_color is #333333, and font_size 11px, of who chose none [A-180, A-183]', async () => {
    const fresh = await settingsOf(await site.viewer());
    expect([fresh.text_color, fresh.font_size]).toEqual(['#333333', '11px']);
    expect(
      await takes(viewer, 'text_color', ['#ff0000', '#00FF7f'], ['red', '#fff', '#12345g', 'url(x)', null]),
    ).toBe('#00FF7f');
  });

  it('font_family is one of the typefaces that chats have [A-181]', async () => {
    expect(
      await takes(viewer, 'font_family', ['serif', 'mono', 'wide', 'sans'], [
        'Comic Sans',
        'sans;color:red',
        null,
      ]),
    ).toBe('sans');
  });

  it('volume_tip is a percent, 70 of who chose none [A-187]', async () => {
    expect((await settingsOf(await site.viewer())).volume_tip).toBe(70);
    expect(await takes(viewer, 'volume_tip', [0, 100, 35], [-1, 101, 0.5, '50', null])).toBe(35);
  });

  it('calm_mode is off of who chose nothing, and on or off', async () => {
    expect((await settingsOf(await site.viewer())).calm_mode).toBe(false);
    expect(await takes(viewer, 'calm_mode', [false, true], ['YES', 1, null])).toBe(true);
  });

  it('chat_emoticons and show_home are saved as YES or NO [A-184]', async () => {
    for (const key of ['chat_emoticons', 'show_home'] as const) {
      for (const word of ['NO', 'YES'] as const) expect(await saved(viewer, { [key]: word }, key)).toBe(word);
      for (const wrong of ['yes', 'no', '', 1, null]) {
        expect((await postsSettings(viewer, { [key]: wrong })).status).toBe(422);
      }
    }
  });

  it('booleans of five settings are YES and NO before they are saved', async () => {
    const words = [
      'chat_emoticons',
      'hide_linked_accounts',
      'sell_snapchat',
      'show_home',
      'video_player_floating_enabled',
    ] as const;
    for (const [isOn, word] of [[false, 'NO'], [true, 'YES']] as const) {
      await postsSettings(viewer, Object.fromEntries(words.map((key) => [key, isOn])));
      const stored = await site.tx(async (tx) =>
        (await site.services.accounts.findById(tx, viewer.id)) as unknown as { settings: object }
      );
      const expected = Object.fromEntries(words.map((key) => [key, word]));
      expect(stored.settings).toMatchObject(expected);
      expect(await settingsOf(viewer)).toMatchObject(expected);
    }
    // Other settings stay booleans.
    expect(await saved(viewer, { dark_mode_enabled: false }, 'dark_mode_enabled')).toBe(false);
  });

  it('chat_notice and cam2cam can be read and saved; cam2cam is what the listing says [A-185]', async () => {
    expect(await takes(viewer, 'chat_notice', ['tips', 'notices', 'none', 'all'], ['some', true, null])).toBe(
      'all',
    );
    expect((await settingsOf(performer)).cam2cam).toBe(false);
    for (const isOn of [true, false]) {
      expect(await saved(performer, { cam2cam: isOn }, 'cam2cam')).toBe(isOn);
      expect((await performer.call(getListingProfile, {})).offers_cam2cam).toBe(isOn);
    }
    expect((await postsSettings(performer, { cam2cam: 'YES' })).status).toBe(422);
  });
});

describe('settings of a performer’s room', () => {
  it(
    'chat_allowed takes all, tip_anytime, tip_recent and tokens, and decides who may chat [A-178]',
    async () => {
      expect(
        await takes(performer, 'chat_allowed', ['tip_anytime', 'tip_recent', 'tokens', 'all'], [
          'nobody',
          '',
          null,
        ]),
      ).toBe('all');
      const { username } = performer;
      const poor = await site.viewer();
      const speaking = async () => (await poor.call(getChatRules, { username })).speaking;
      expect((await speaking()).why).not.toBe('tokens');
      await performer.call(updateSettings, { chat_allowed: 'tokens' });
      expect(await speaking()).toMatchObject({ allowed: false, why: 'tokens' });
      const rich = await site.viewer({ tokens: 50 });
      expect((await rich.call(getChatRules, { username })).speaking.why).not.toBe('tokens');
      // One value, whichever call sets it.
      await performer.call(setChatRules, { username, chat_allowed: 'tip_recent' });
      expect((await settingsOf(performer)).chat_allowed).toBe('tip_recent');
      const why = async () => (await rich.call(getChatRules, { username })).speaking.why;
      for (const asked of ['tip_recent', 'tip_anytime'] as const) {
        await performer.call(updateSettings, { chat_allowed: asked });
        expect(await why()).toBe(asked);
      }
      await rich.tips(performer, 5);
      for (const [when, of] of [[0, [null, null]], [24 * 3_600_000 + 1, ['tip_recent', null]]] as const) {
        await site.passes(when);
        for (const [at, asked] of (['tip_recent', 'tip_anytime'] as const).entries()) {
          await performer.call(updateSettings, { chat_allowed: asked });
          expect([when, asked, await why()]).toEqual([when, asked, of[at]]);
        }
      }
      await performer.call(updateSettings, { chat_allowed: 'all' });
    },
  );

  it('mod_expire is 14 days at first, and how long a moderator is one who is named [A-186]', async () => {
    const { username } = performer;
    expect((await settingsOf(performer)).mod_expire).toBe(14);
    const until = async () => {
      const { username: subject } = await site.viewer();
      const named = await performer.call(moderate, { username, subject, action: 'moderator' });
      return (Date.parse(named.until ?? '') - site.clock.now().getTime()) / 86_400_000;
    };
    expect(await until()).toBe(14);
    expect(await takes(performer, 'mod_expire', [365, 1, 3], [0, 366, 1.5, '7', null])).toBe(3);
    expect(await until()).toBe(3);
    // Another preset of chat rules only concerns what may be said.
    await performer.call(setChatRules, { username, preset: 'careful' });
    expect((await settingsOf(performer)).mod_expire).toBe(3);
  });

  it('private_cost is 30 tokens a minute at first; spy_cost is a price or none [A-188, A-450]', async () => {
    expect(await settingsOf(performer)).toMatchObject({ private_cost: 30, spy_cost: null });
    expect(await takes(performer, 'private_cost', [1, 999, 45], [0, 1_000, 4.5, '30', null])).toBe(45);
    expect(await takes(performer, 'spy_cost', [1, 999, null, 12], [0, 1_000, -3, '12'])).toBe(12);
    // A price is no offer: setting it does not turn private shows on, and it is stored.
    expect(await performer.call(getListingProfile, {})).toMatchObject({ private_price: null, spy_price: 12 });
    await performer.call(saveShowSettings, { private: { isEnabled: true } });
    expect(await performer.call(getListingProfile, {})).toMatchObject({ private_price: 45 });
    expect((await performer.call(getShowSettings, {})).private)
      .toMatchObject({ isEnabled: true, pricePerMinuteInToken: 45 });
    await performer.call(updateSettings, { private_cost: 50 });
    expect((await performer.call(getShowSettings, {})).private).toMatchObject({ pricePerMinuteInToken: 50 });
    await performer.call(saveShowSettings, { private: { isEnabled: false } });
    await performer.call(updateSettings, { private_cost: 55 });
    expect((await performer.call(getShowSettings, {})).private)
      .toMatchObject({ isEnabled: false, pricePerMinuteInToken: 55 });
    expect(await settingsOf(performer)).toMatchObject({ private_cost: 55 });
    await performer.call(saveListingProfile, { private_price: 60, spy_price: 20 });
    expect(await settingsOf(performer)).toMatchObject({ private_cost: 60, spy_cost: 20 });
    // An offer that is turned off, on whichever page, retains its price.
    await site.settle();
    await performer.call(saveListingProfile, { private_price: null, spy_price: null });
    await site.settle();
    expect(await settingsOf(performer)).toMatchObject({ private_cost: 60, spy_cost: null });
    await performer.call(saveShowSettings, { private: { isEnabled: true }, spy: { isEnabled: true } });
    expect(await performer.call(getListingProfile, {})).toMatchObject({ private_price: 60, spy_price: 20 });
  });

  it('broadcast_category is solo or group [A-190]', async () => {
    expect(await takes(performer, 'broadcast_category', ['group', 'solo'], ['duo', '', null])).toBe('solo');
  });
});

describe('settings of an account', () => {
  it('dark_mode_enabled is whether dark mode is on [A-191]', async () => {
    expect(await takes(viewer, 'dark_mode_enabled', [false, true], ['YES', 1, null])).toBe(true);
  });

  it('daily_limit is the person’s own budget of a day in tokens, or none [A-192]', async () => {
    const member = await site.viewer({ tokens: 100 });
    expect(await takes(member, 'daily_limit', [30], [0, -1, 10_000_001, 1.5, '30'])).toBe(30);
    expect((await member.call(getLimits, {})).budgets)
      .toMatchObject([{ period: 'day', tokens: 30 }, { period: 'week', tokens: null }, { period: 'month' }]);
    const tip = { username: performer.username, amount: 31 };
    expect((await member.refused(sendTip, tip, { idempotencyKey: uuidV4() })).errorType)
      .toBe('user_daily_limit');
    // A higher limit, or none, waits for a day.
    expect(await saved(member, { daily_limit: null }, 'daily_limit')).toBe(30);
    await site.passes(24 * 3_600_000 + 60_000);
    expect((await settingsOf(member)).daily_limit).toBeNull();
  });

  it('streaming_partners_enabled, swipe_to_browse_enabled and home_layout are read and saved', async () => {
    expect(await takes(viewer, 'streaming_partners_enabled', [true, false], ['YES', null])).toBe(false);
    expect(await takes(viewer, 'swipe_to_browse_enabled', [false, true], ['YES', null])).toBe(true);
    expect(await takes(viewer, 'home_layout', ['section', 'custom', 'classic'], ['grid', null])).toBe(
      'classic',
    );
    for (const layout of ['section', 'custom', 'classic'] as const) {
      await viewer.call(updateSettings, { home_layout: layout });
      expect((await viewer.call(getHome, {})).layout).toBe(layout);
    }
  });

  it('max_linked_accounts is 3, and nobody’s to change [A-202]', async () => {
    expect((await settingsOf(await site.viewer())).max_linked_accounts).toBe(3);
    expect((await postsSettings(viewer, { max_linked_accounts: 9 })).status).toBe(422);
    expect((await settingsOf(viewer)).max_linked_accounts).toBe(3);
  });

  it('twitter has is_enabled, is_valid and username [A-203]', async () => {
    expect(await saved(performer, { twitter: { is_enabled: true, username: '@luna_vale' } }, 'twitter'))
      .toEqual({ is_enabled: true, is_valid: true, username: 'luna_vale' });
    expect((await performer.call(getCurrentUser, {})).socialMedia.twitter).toBe('luna_vale');
    expect(await saved(performer, { twitter: { is_enabled: true, username: '' } }, 'twitter'))
      .toEqual({ is_enabled: true, is_valid: false, username: '' });
    expect(await saved(performer, { twitter: { is_enabled: false, username: 'luna_vale' } }, 'twitter'))
      .toEqual({ is_enabled: false, is_valid: true, username: 'luna_vale' });
    expect((await performer.call(getCurrentUser, {})).socialMedia.twitter).toBeNull();
    for (const username of ['a b', 'x'.repeat(16), 'luna.vale', 'javascript:alert(1)']) {
      expect((await postsSettings(performer, { twitter: { is_enabled: true, username } })).status).toBe(422);
    }
  });

  it('phone is a number with its country’s code, or empty [A-204]', async () => {
    expect(
      await takes(viewer, 'phone', ['+491701234567', '', '+12025550123'], [
        '0170123',
        '+0123456',
        '+49 170 1234567',
        '+1234567890123456',
        'call me',
        null,
      ]),
    ).toBe('+12025550123');
    expect((await settingsOf(performer)).phone).toBe('');
  });

  it('invisible mode is one level, by whichever call it is set', async () => {
    const moderator = await site.viewer({ roles: ['site_mod'] });
    expect(await saved(moderator, { invisible_mode_level: 2 }, 'invisible_mode_level')).toBe(2);
    await moderator.call(setInvisibleMode, { level: 1 });
    expect((await settingsOf(moderator)).invisible_mode_level).toBe(1);
  });
});
