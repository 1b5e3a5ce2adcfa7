import { implement } from '#platform/contract/extension-point.ts';
import { getCurrentUser, updateProfile } from '#product/accounts/contract.ts';
import { settingsChanged, updateSettings } from '#product/accounts/contract/settings.ts';
import { settingsPart, type SettingsPart } from '#product/accounts/extension-points.ts';
import { getBlockedRegions } from '#product/compliance/contract.ts';
import { setLimits } from '#product/ledger/contract/limits.ts';
import { postsSettings, settingsOf } from '#product/testkit/people/settings.ts';
import { createSite, Member, type TestSite } from '#product/testkit/site.ts';
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

describe('settings', () => {
  it(
    'have every field of the specification, with its default; guests have the same [A-177, A-340]',
    async () => {
      const usual = {
        chat_allowed: 'all',
        chat_user_sort: 'tokens',
        font_family: 'sans',
        text_color: '#333333',
        font_size: '11px',
        chat_notice: 'all',
        chat_emoticons: 'YES',
        show_home: 'YES',
        cam2cam: false,
        mod_expire: 14,
        volume_tip: 70,
        private_cost: 30,
        spy_cost: null,
        broadcast_category: 'solo',
        dark_mode_enabled: true,
        daily_limit: null,
        postpay: false,
        auto_re_ups: { enabled: false, disabled_by_user: false, threshold: null, internal_id: null },
        sell_snapchat: 'NO',
        sell_snapchat_duration: '1M',
        sell_snapchat_price: 250,
        speeddate: false,
        versus: false,
        invisible_mode_level: 0,
        featured_show_notification: 'email',
        streaming_partners_enabled: false,
        swipe_to_browse_enabled: true,
        home_layout: 'classic',
        max_linked_accounts: 3,
        twitter: { is_enabled: false, is_valid: false, username: '' },
        phone: '',
      };
      const visitors = [await site.visitor({ ofAge: true }), await site.viewer(), await site.performer()];
      for (const visitor of visitors) {
        const answer = await visitor.request({ method: 'GET', url: '/api/v1/user/current' });
        expect(answer.statusCode).toBe(200);
        const { user, settings } = answer.json<{ user: object; settings: object }>();
        expect(user).toMatchObject(
          visitor instanceof Member
            ? { id: visitor.id, username: visitor.username, type: visitor.person.type }
            : { id: null, username: expect.stringMatching(/^guest_[a-z0-9]{8}$/u) as string, type: 'user' },
        );
        expect(settings).toMatchObject(usual);
        if (!(visitor instanceof Member)) continue;
        await postsSettings(visitor, { volume_tip: 15 });
        const { settings: changed } = (await visitor.request({ url: '/api/v1/user/current' }))
          .json<{ settings: object }>();
        expect(changed).toMatchObject({ ...usual, volume_tip: 15 });
      }
    },
  );

  it('are answered with blocked countries and states; what is left out stays as it is [A-345]', async () => {
    const { status, body } = await postsSettings(performer, {
      volume_tip: 20,
      blocked_countries: ['DE', 'FR'],
      blocked_states: ['US-FL', 'CA-QC'],
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      settings: { volume_tip: 20, font_size: '11px' },
      blocked_countries: ['DE', 'FR'],
      blocked_states: ['US-FL', 'CA-QC'],
    });
    expect((await performer.call(getBlockedRegions, {})).regions).toEqual(['DE', 'FR', 'US-FL', 'CA-QC']);
    expect((await postsSettings(performer, { blocked_countries: [] })).body)
      .toMatchObject({
        settings: { volume_tip: 20 },
        blocked_countries: [],
        blocked_states: ['US-FL', 'CA-QC'],
      });
    const { blocked_countries: countries, blocked_states: states } = await performer.call(getCurrentUser, {});
    expect([countries, states]).toEqual([[], ['US-FL', 'CA-QC']]);
    for (const places of [{ blocked_countries: ['XX'] }, { blocked_states: ['US-ZZ'] }]) {
      expect((await performer.refused(updateSettings, { ...places, volume_tip: 1 })).errorType)
        .toBe('place_unknown');
    }
    expect((await postsSettings(performer, { blocked_countries: ['Germany'] })).status).toBe(422);
    expect(await settingsOf(performer)).toMatchObject({ volume_tip: 20 });
    await performer.call(updateSettings, { blocked_states: [] });
  });

  it(
    'are of their person alone: guests have none to change, and nobody changes those of others',
    async () => {
      const guest = await site.visitor({ ofAge: true });
      const payload = { volume_tip: 1 };
      const url = '/api/v1/user/settings';
      expect((await guest.request({ method: 'POST', url, payload })).statusCode).toBe(401);
      for (const id of [{ id: viewer.id }, { username: viewer.username }, { personId: viewer.id }]) {
        expect((await postsSettings(performer, { ...id, volume_tip: 1 })).status).toBe(422);
      }
      expect((await settingsOf(viewer)).volume_tip).toBe(70);
    },
  );

  it('of performers are refused to viewers, with all that came along', async () => {
    for (const change of [
      { chat_allowed: 'tokens' },
      { mod_expire: 3 },
      { private_cost: 9 },
      { spy_cost: 9 },
      { cam2cam: true },
      { blocked_countries: ['DE'] },
      { blocked_states: ['US-FL'] },
      { invisible_mode_level: 1 },
      { auto_re_ups: { disabled_by_user: true } },
    ] as const) {
      const refused = await viewer.refused(updateSettings, { ...change, volume_tip: 1, daily_limit: 5 });
      expect([refused.errorType, refused['setting']]).toEqual(['setting_refused', Object.keys(change)[0]]);
    }
    expect(await settingsOf(viewer)).toMatchObject({ volume_tip: 70, daily_limit: null, mod_expire: 14 });
  });
});

it('a limit of a day is ten million tokens at most, by whichever call it is set', async () => {
  const member = await site.viewer();
  await member.call(updateSettings, { daily_limit: 10_000_000 });
  await member.call(setLimits, { day: 10_000_000 });
  expect((await member.refused(updateSettings, { daily_limit: 10_000_001 })).errorType).toBe('invalid_input');
  expect((await member.refused(setLimits, { day: 10_000_001 })).errorType).toBe('invalid_input');
  expect((await settingsOf(member)).daily_limit).toBe(10_000_000);
});

describe('every tab of a person', () => {
  it('receives v3.user.settings with the settings on its account socket; others do not [A-384]', async () => {
    const [member, stranger] = [await site.viewer(), await site.viewer()];
    const tabs = [await site.socketOf(member), await site.socketOf(await site.anotherTabOf(member))];
    const apart = await site.socketOf(stranger);
    const { settings } = await member.call(updateSettings, { text_color: '#aa00FF', chat_emoticons: false });
    await site.settle();
    for (const tab of tabs) {
      const got = await tab.waitFor(settingsChanged);
      expect(got).toEqual({ settings });
      expect(got.settings).toMatchObject({ text_color: '#aa00FF', chat_emoticons: 'NO' });
    }
    // A value changed by another call is the same setting.
    await member.call(setLimits, { day: 40 });
    await site.settle();
    for (const tab of tabs) await tab.waitFor(settingsChanged, (got) => got.settings.daily_limit === 40);
    await stranger.call(updateSettings, { volume_tip: 5 });
    await site.settle();
    await apart.waitFor(settingsChanged);
    expect(apart.received(settingsChanged)).toHaveLength(1);
    expect(tabs.map((tab) => tab.received(settingsChanged).length)).toEqual([2, 2]);
  });
});

describe('the owners of settings', () => {
  it('are one for each: a site with two does not start', async () => {
    const part: SettingsPart = {
      keys: ['volume_tip', 'daily_limit'],
      read: async () => ({}),
      check: async () => null,
      write: async () => undefined,
    };
    await expect(createSite({ implementations: [implement(settingsPart, part)] }))
      .rejects.toThrow('daily_limit has two owners, ledger and beside the slices');
  });
});

describe('POST /user/profile', () => {
  it('changes each field of the profile, and answers the user [A-344]', async () => {
    const payload = {
      display_name: 'Luna Vale',
      gender: 't',
      about: 'I paint.\nAt night.',
      languages: ['en', 'de'],
      social_media: {
        amazon: 'https://www.amazon.de/wl/1',
        bluesky: '@luna.bsky.social',
        instagram: 'luna.v',
      },
    };
    const answer = await performer.request({ method: 'POST', url: '/api/v1/user/profile', payload });
    const { user } = answer.json<{ user: Record<string, unknown> }>();
    expect([answer.statusCode, user]).toEqual([
      200,
      expect.objectContaining({
        id: performer.id,
        display_name: 'Luna Vale',
        gender: 't',
        about: 'I paint.\nAt night.',
        languages: ['en', 'de'],
      }),
    ]);
    const { user: again, socialMedia } = await performer.call(getCurrentUser, {});
    expect(again).toMatchObject(user);
    expect(socialMedia).toMatchObject({
      amazon: 'https://www.amazon.de/wl/1',
      bluesky: 'luna.bsky.social',
      instagram: 'luna.v',
    });
    // Omitted settings stay unchanged.
    const { user: renamed } = await performer.call(updateProfile, { display_name: 'Luna' });
    expect(renamed).toMatchObject({ ...user, display_name: 'Luna' });
    const guest = await site.visitor({ ofAge: true });
    const url = '/api/v1/user/profile';
    expect((await guest.request({ method: 'POST', url, payload })).statusCode).toBe(401);
    for (const wrong of [
      { amazon: 'https://evil.example/' },
      { amazon: 'javascript:alert(1)' },
      { bluesky: 'luna' },
      { instagram: 'a b' },
      { facebook: 'luna' },
    ]) {
      expect((await performer.refused(updateProfile, { social_media: wrong as object })).errorType)
        .toBe('invalid_input');
    }
    expect((await viewer.call(getCurrentUser, {})).user.display_name).not.toBe('Luna Vale');
  });
});
