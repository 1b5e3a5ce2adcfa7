import { RESTRICTIONS } from '#product/rooms/rules.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  afterRuling,
  AUTOSILENCE_MINUTES,
  canModerate,
  CHAT_PRESETS,
  covers,
  endOf,
  isUndo,
  KIND_OF,
  MAX_STRIKES,
  mayChangeRules,
  mayModerate,
  mayNameModerators,
  MODERATION_ACTIONS,
  newcomer,
  PRESETS,
  roomRoleOf,
  ruleSpeech,
  SPEECH_PACES,
  speechBlockOf,
  STRIKE_WINDOW_MS,
  tierOf,
  type Mark,
  type Participant,
  type SpeechFacts,
  type SpeechText,
} from './rules.ts';

const PERFORMER = 1;
const NOW = new Date('2026-03-01T12:00:00Z');
const after = (seconds: number, from = NOW): Date => new Date(from.getTime() + seconds * 1000);
const DAY_S = 86_400;

const participant = (
  personId: number | null,
  roles: string[] = [],
  isRoomModerator = false,
): Participant => ({ personId, roles: personId === null ? [] : ['member', ...roles], isRoomModerator });
const performer = participant(PERFORMER, ['performer']);
const admin = participant(2, ['admin']);
const modelAdmin = participant(3, ['model_admin']);
const siteModerator = participant(4, ['site_mod']);
const moderator = participant(5, [], true);
const other = participant(6, [], true);
const viewer = participant(7);
const guest = participant(null);

describe('who may do what to whom', () => {
  it('lets only the performer, model admins, site and room moderators see the panel [B-287, B-305]', () => {
    for (const who of [performer, admin, modelAdmin, siteModerator, moderator]) {
      expect(canModerate(roomRoleOf(who, PERFORMER))).toBe(true);
    }
    for (const who of [viewer, guest, participant(8, ['performer'])]) {
      expect(canModerate(roomRoleOf(who, PERFORMER))).toBe(false);
    }
  });

  it('lets only the performer and admins name moderators', () => {
    for (const who of [performer, admin, modelAdmin]) {
      expect(mayNameModerators(roomRoleOf(who, PERFORMER))).toBe(true);
      expect(mayModerate(who, viewer, 'moderator', PERFORMER)).toBeNull();
    }
    for (const who of [siteModerator, moderator]) {
      expect(mayModerate(who, viewer, 'moderator', PERFORMER)).toBe('moderation_forbidden');
    }
    expect(mayModerate(performer, guest, 'moderator', PERFORMER)).toBe('guest_moderator');
    expect(mayChangeRules(roomRoleOf(moderator, PERFORMER))).toBe(false);
  });

  it('protects the performer, admins, site moderators, fellow moderators and oneself', () => {
    for (const action of MODERATION_ACTIONS.filter((text) => KIND_OF[text] !== 'moderator')) {
      for (const who of [performer, admin, modelAdmin, siteModerator]) {
        expect(mayModerate(moderator, who, action, PERFORMER)).toBe('subject_protected');
        expect(mayModerate(who, who, action, PERFORMER)).toBe('own_moderation');
        expect(mayModerate(who, moderator, action, PERFORMER)).toBeNull();
      }
      expect(mayModerate(moderator, other, action, PERFORMER)).toBe('subject_protected');
      expect(mayModerate(moderator, viewer, action, PERFORMER)).toBeNull();
      expect(mayModerate(moderator, guest, action, PERFORMER)).toBeNull();
      expect(mayModerate(viewer, guest, action, PERFORMER)).toBe('moderation_forbidden');
    }
    expect(mayModerate(moderator, moderator, 'unmoderator', PERFORMER)).toBeNull();
  });

  it('never lets a viewer act, and never lets anybody act on the protected', () => {
    const anyone = fc.record({
      personId: fc.option(fc.integer({ min: 1, max: 4 })),
      isRoomModerator: fc.boolean(),
      roles: fc.subarray(['member', 'performer', 'site_mod', 'model_admin', 'admin', 'super_admin']),
    });
    const actions = fc.constantFrom(...MODERATION_ACTIONS);
    fc.assert(fc.property(anyone, anyone, actions, (actor, met, action) => {
      // The same person must have the same roles.
      const subject = met.personId === actor.personId ? actor : met;
      const refusal = mayModerate(actor, subject, action, PERFORMER);
      const [by, of] = [roomRoleOf(actor, PERFORMER), roomRoleOf(subject, PERFORMER)];
      if (!canModerate(by)) expect(refusal).toBe('moderation_forbidden');
      if (['performer', 'admin', 'site_moderator'].includes(of)) expect(refusal).not.toBeNull();
      if (actor.personId === null) expect(refusal).not.toBeNull();
    }));
  });

  it('maps every action to a restriction, and limits kicks and moderators in time [A-454]', () => {
    expect([...RESTRICTIONS].toSorted()).toEqual(['banned', 'kicked', 'moderator', 'silenced']);
    expect([...new Set(Object.values(KIND_OF))].toSorted()).toEqual([...RESTRICTIONS].toSorted());
    expect(endOf('moderator', null, NOW)).toEqual(after(14 * DAY_S));
    expect(endOf('moderator', null, NOW, 3)).toEqual(after(3 * DAY_S));
    expect(endOf('kick', null, NOW)).toEqual(after(10 * 60));
    expect(endOf('kick', 3, NOW)).toEqual(after(180));
    expect(endOf('ban', null, NOW)).toBeNull();
    expect(endOf('silence', 60, NOW)).toEqual(after(3_600));
    expect(MODERATION_ACTIONS.filter(isUndo)).toEqual(['unban', 'unsilence', 'unmoderator']);
  });
});

describe('what a ban covers', () => {
  const account = (ageDays: number) => ({ createdAt: after(-ageDays * DAY_S) });
  const by = (...marks: Mark[]) => new Set(marks);

  it('covers guests with any mark, and nobody without one', () => {
    for (const mark of ['session', 'device', 'network'] as const) {
      expect(covers(by(mark), null, NOW, NOW)).toBe(true);
    }
    expect(covers(by(), null, NOW, NOW)).toBe(false);
    expect(covers(by(), account(0), NOW, NOW)).toBe(false);
  });

  it('covers new accounts of the network, but no established one by the network alone', () => {
    expect(covers(by('network'), account(1), NOW, NOW)).toBe(true);
    expect(covers(by('network'), account(8), NOW, NOW)).toBe(false);
    fc.assert(
      fc.property(
        fc.integer({ min: 8, max: 5_000 }),
        fc.integer({ min: 0, max: 400 }),
        (age, ago) => !covers(by('network'), account(age), after(-ago * DAY_S), NOW),
      ),
    );
  });

  it('covers accounts made on the same device to evade it, however late they come', () => {
    const banned = after(-90 * DAY_S);
    expect(covers(by('device'), account(89), banned, NOW)).toBe(true);
    expect(covers(by('device'), account(60), banned, NOW)).toBe(true);
    expect(covers(by('device'), account(121), banned, NOW)).toBe(false);
    expect(covers(by('session'), account(1_000), banned, NOW)).toBe(true);
  });
});

const facts = (changes: Partial<SpeechFacts> = {}): SpeechFacts => ({
  now: NOW,
  tier: 'member',
  rules: PRESETS.open,
  state: newcomer(NOW),
  silence: null,
  means: { hasTipped: false, recentTips: 0, tokens: 0 },
  ...changes,
});
const plain: SpeechText = {
  hasBlockedWord: false,
  hasLink: false,
  isShort: false,
  ownRepeats: 0,
  crowdRepeats: 0,
  held: 0,
};

describe('the spam ladder', () => {
  it('shows an ordinary message, in every preset, of somebody who has tipped and waited', () => {
    for (const preset of CHAT_PRESETS) {
      const means = { hasTipped: true, recentTips: 5, tokens: 5 };
      const state = newcomer(after(-3_600));
      const given = facts({ rules: PRESETS[preset], tier: 'fan', means, state });
      expect(ruleSpeech(given, plain)).toEqual({ kind: 'show' });
    }
  });

  it('applies `chat_allowed`', () => {
    const asks = (chat_allowed: 'tip_anytime' | 'tip_recent' | 'tokens', means: SpeechFacts['means']) =>
      speechBlockOf(facts({ rules: { ...PRESETS.open, chat_allowed }, means }))?.refusal ?? null;
    const none = { hasTipped: false, recentTips: 0, tokens: 0 };
    expect(asks('tip_anytime', none)).toBe('tip_anytime');
    expect(asks('tip_anytime', { ...none, hasTipped: true })).toBeNull();
    expect(asks('tip_recent', { ...none, hasTipped: true })).toBe('tip_recent');
    expect(asks('tip_recent', { ...none, recentTips: 1 })).toBeNull();
    expect(asks('tokens', { ...none, hasTipped: true })).toBe('tokens');
    expect(asks('tokens', { ...none, tokens: 1 })).toBeNull();
  });

  it('makes newcomers wait, and spaces messages in slow mode', () => {
    const rules = { ...PRESETS.open, join_cool_down_seconds: 15, slow_mode_seconds: 30 };
    expect(speechBlockOf(facts({ rules }))).toEqual({ refusal: 'join_cool_down', until: after(15) });
    expect(speechBlockOf(facts({ rules, now: after(15) }))).toBeNull();
    const state = { ...newcomer(NOW), lastSaidAt: after(20) };
    expect(speechBlockOf(facts({ rules, now: after(49), state })))
      .toEqual({ refusal: 'slow_mode', until: after(50) });
    expect(speechBlockOf(facts({ rules, now: after(50), state }))).toBeNull();
    expect(speechBlockOf(facts({ rules, now: after(1), state, tier: 'moderator' }))).toBeNull();
  });

  it('applies a silence to moderators too', () => {
    const silence = { until: after(60), reason: null };
    expect(speechBlockOf(facts({ silence, tier: 'moderator' })))
      .toEqual({ refusal: 'silenced', until: after(60) });
    expect(speechBlockOf(facts({ silence: { until: null, reason: null } })))
      .toEqual({ refusal: 'silenced', until: null });
  });

  it('holds links and first messages; refuses words, repeats and too many held messages', () => {
    const given = facts();
    expect(ruleSpeech(given, { ...plain, hasLink: true })).toEqual({ kind: 'hold', why: 'link' });
    expect(ruleSpeech(given, { ...plain, hasLink: true, held: 3 })).toMatchObject({ refusal: 'waiting' });
    expect(ruleSpeech(given, { ...plain, hasBlockedWord: true })).toMatchObject({ refusal: 'word' });
    expect(ruleSpeech(given, { ...plain, ownRepeats: 1 })).toMatchObject({ refusal: 'repeated' });
    expect(ruleSpeech(given, { ...plain, ownRepeats: 2, isShort: true })).toEqual({ kind: 'show' });
    expect(ruleSpeech(given, { ...plain, ownRepeats: 3, isShort: true }))
      .toMatchObject({ refusal: 'repeated' });
    expect(ruleSpeech(given, { ...plain, crowdRepeats: 2 })).toEqual({ kind: 'shadow' });
    const settled = newcomer(after(-60));
    const careful = facts({ rules: PRESETS.careful, tier: 'fresh', state: settled });
    expect(ruleSpeech(careful, plain)).toEqual({ kind: 'hold', why: 'first_message' });
    expect(ruleSpeech(careful, { ...plain, hasLink: true })).toMatchObject({ refusal: 'link' });
    const admitted = facts({ rules: PRESETS.careful, tier: 'fresh', state: { ...settled, admittedAt: NOW } });
    expect(ruleSpeech(admitted, plain)).toEqual({ kind: 'show' });
    const known = facts({ rules: PRESETS.careful, tier: 'member', state: settled });
    expect(ruleSpeech(known, plain)).toEqual({ kind: 'show' });
  });

  it('never lets anybody exceed their pace, whenever they try', () => {
    const tries = fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 80 });
    const tiers = fc.constantFrom('fresh' as const, 'member' as const, 'fan' as const);
    fc.assert(fc.property(tries, tiers, (gaps, tier) => {
      const { burst, perMinute } = SPEECH_PACES[tier];
      let [state, said, at] = [newcomer(NOW), 0, 0];
      for (const gap of gaps) {
        at += gap;
        const given = facts({ state, tier, now: new Date(NOW.getTime() + at) });
        const ruling = ruleSpeech(given, plain);
        state = afterRuling(given, ruling).state;
        if (ruling.kind === 'show') said += 1;
      }
      expect(said).toBeLessThanOrEqual(burst + (at / 60_000) * perMinute + 1e-6);
    }));
  });

  it('silences after one strike too many, longer each time, and forgets old strikes', () => {
    const strike = (state: SpeechFacts['state'], now: Date) => {
      const given = facts({ state, now });
      return afterRuling(given, ruleSpeech(given, { ...plain, hasBlockedWord: true }));
    };
    let state = newcomer(NOW);
    const lengths: (number | null)[] = [];
    for (let count = 0; count < MAX_STRIKES * 4; count += 1) {
      const next = strike(state, after(count));
      ({ state } = next);
      lengths.push(next.silenceMinutes);
    }
    const [first, second, third] = AUTOSILENCE_MINUTES;
    expect(lengths.filter((length) => length !== null)).toEqual([first, second, third, third]);
    expect(lengths.slice(0, MAX_STRIKES - 1)).toEqual([null, null, null, null]);
    const rested = strike(state, after(2 * DAY_S));
    expect(rested.silenceMinutes).toBeNull();
    let slow = newcomer(NOW);
    for (let count = 0; count < 30; count += 1) {
      const next = strike(slow, after((count * STRIKE_WINDOW_MS) / 1000 / 3));
      slow = next.state;
      expect(next.silenceMinutes).toBeNull();
    }
  });

  it('counts no strike for slow mode', () => {
    const rules = { ...PRESETS.open, slow_mode_seconds: 60 };
    let state = { ...newcomer(NOW), lastSaidAt: NOW };
    for (let count = 0; count < 3 * MAX_STRIKES; count += 1) {
      const given = facts({ rules, state, now: after(1) });
      const next = afterRuling(given, ruleSpeech(given, plain));
      expect(next.silenceMinutes).toBeNull();
      state = { ...next.state, lastSaidAt: NOW };
    }
  });

  it('derives the tier from role, tips and age of the account', () => {
    const of = (role: Parameters<typeof tierOf>[0]['role'], hasTipped: boolean, ageDays: number) =>
      tierOf({ role, hasTipped, createdAt: after(-ageDays * DAY_S) }, NOW);
    expect(of('room_moderator', false, 0)).toBe('moderator');
    expect(of('none', true, 0)).toBe('fan');
    expect(of('none', false, 0.5)).toBe('fresh');
    expect(of('none', false, 1)).toBe('member');
  });
});
