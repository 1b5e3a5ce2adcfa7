import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  appendMessages, CHAT_BURST, CHAT_HISTORY_LIMIT, CHAT_PER_SECOND, cleanText, EMPTY_ROOM, faultOfMessage,
  followBroadcast, hiddenGenders, isRested, MAX_CHAT_MESSAGE_LENGTH, nextPace, normalizeUsername,
  performerOfTopic, placeOf, roomTopic, type BroadcastStanding, type Pace,
} from './rules.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 200 });
const history = fc.uniqueArray(fc.integer({ min: 1, max: 2_000 }), { maxLength: 400 })
  .map((ids) => ids.toSorted((a, b) => a - b).map((id) => ({ id })));

describe('chat history', () => {
  it('never exceeds 200, never repeats, keeps the newest [B-251, B-401]', () => {
    expect(CHAT_HISTORY_LIMIT).toBe(200);
    fc.assert(fc.property(history, history, (before, added) => {
      const after = appendMessages(before.slice(-CHAT_HISTORY_LIMIT), added);
      expect(after.length).toBeLessThanOrEqual(CHAT_HISTORY_LIMIT);
      expect(new Set(after.map(({ id }) => id)).size).toBe(after.length);
      const last = added.filter(({ id }) => !before.some((known) => known.id === id)).at(-1);
      if (last) expect(after.at(-1)).toBe(last);
    }));
  });

  it('does not change when the same messages come again', () => {
    fc.assert(fc.property(history, (messages) => {
      const once = appendMessages([], messages);
      expect(appendMessages(once, once)).toEqual(once);
    }));
  });
});

describe('text', () => {
  it('is one line without control or direction characters, whatever came', () => {
    fc.assert(fc.property(anyText, (text) => {
      const cleaned = cleanText(text);
      expect(cleaned).not.toMatch(/[\p{Cc}\p{Cs}\u200E\u200F\u2028-\u202E\u2066-\u2069]/u);
      expect(cleaned).not.toMatch(/^\s|\s$|\s\s/u);
      expect(cleanText(cleaned)).toBe(cleaned);
    }), { numRuns: 1_000 });
  });

  it.each([
    ['family emoji stay whole', '👨‍👩‍👧', '👨‍👩‍👧'],
    ['Persian keeps its non-joiner', 'می‌خواهم', 'می‌خواهم'],
    ['accents are composed', 'e\u0301', 'é'],
    ['towers of accents are cut', `a${'\u0300'.repeat(50)}`, 'à\u0300\u0300\u0300\u0300'],
    ['an override is taken out', 'abc\u202Edcb', 'abcdcb'],
    ['lines become one', 'a\n\n b\u2028c', 'a b c'],
  ])('%s', (_what, text, cleaned) => {
    expect(cleanText(text)).toBe(cleaned);
  });

  it('is refused when empty, too long or an unknown command', () => {
    expect(faultOfMessage('')).toBe('empty');
    expect(faultOfMessage('😀'.repeat(MAX_CHAT_MESSAGE_LENGTH))).toBeNull();
    expect(faultOfMessage('😀'.repeat(MAX_CHAT_MESSAGE_LENGTH + 1))).toBe('too_long');
    expect(faultOfMessage('/tip_split 50')).toBe('unknown_command');
    expect(faultOfMessage('1/2')).toBeNull();
  });
});

describe('pace', () => {
  it('allows a burst and then the rate, over any span', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 5_000 }), { minLength: 1, maxLength: 100 });
    fc.assert(fc.property(gaps, (waits) => {
      let pace: Pace | undefined;
      let nowMs = 0;
      let allowed = 0;
      for (const wait of waits) {
        nowMs += wait;
        const next = nextPace(pace, nowMs);
        pace = next.pace;
        if (next.allowed) allowed += 1;
      }
      expect(allowed).toBeLessThanOrEqual(CHAT_BURST + (nowMs / 1000) * CHAT_PER_SECOND);
      if (pace && isRested(pace, nowMs)) expect(allowed).toBe(0);
    }));
  });

  it('is not fooled by a clock that goes back', () => {
    const { pace } = nextPace({ left: 0, atMs: 10_000 }, 0);
    expect(nextPace(pace, 0).allowed).toBe(false);
  });
});

describe('the course of a room', () => {
  const standing = fc.constantFrom<BroadcastStanding>(
    { state: 'offline', stream: null }, { state: 'ready', stream: null }, { state: 'online', stream: 'a' },
    { state: 'online', stream: 'b' }, { state: 'reconnecting', stream: 'a' },
  );

  it('depends on the last standing only, and knows when nothing changed', () => {
    fc.assert(fc.property(fc.array(standing), standing, (earlier, last) => {
      const before = earlier.reduce(followBroadcast, EMPTY_ROOM);
      const after = followBroadcast(before, last);
      expect(after).toEqual(followBroadcast(EMPTY_ROOM, last));
      expect(followBroadcast(after, last)).toBe(after);
    }));
  });

  it('is offline while nothing can be seen', () => {
    const online = { status: 'online', stream: 'a' } as const;
    expect(followBroadcast(online, { state: 'ready', stream: null })).toEqual(EMPTY_ROOM);
    expect(followBroadcast(EMPTY_ROOM, { state: 'reconnecting', stream: 'a' }).status).toBe('reconnecting');
  });
});

describe('who one is in a room', () => {
  it('makes the owner the streamer, and nobody else [B-300]', () => {
    const anybody = fc.option(fc.integer({ min: 1, max: 5 }));
    const roles = fc.subarray(['guest', 'member', 'performer', 'site_mod', 'admin']);
    fc.assert(fc.property(anybody, roles, fc.integer({ min: 1, max: 5 }), (personId, held, ownerId) => {
      const place = placeOf({ personId, roles: held }, ownerId);
      expect(place.isStreamer).toBe(personId === ownerId);
      if (personId !== null) return;
      expect(place).toEqual({ isStreamer: false, isModerator: false, seesUsers: false });
    }));
  });
});

describe('names', () => {
  it('lower-cases and trims usernames [B-288]', () => {
    expect(normalizeUsername('  VelVet ')).toBe('velvet');
  });

  it('finds the performer of a topic, and of nothing else', () => {
    fc.assert(fc.property(fc.integer({ min: 1 }), (id) => {
      expect(performerOfTopic(roomTopic(id))).toBe(id);
    }));
    for (const topic of [null, '', 'room:', 'room:x', 'room:1x', 'lobby:1']) {
      expect(() => performerOfTopic(topic)).toThrow('no room');
    }
  });

  it('reads the list of hidden genders', () => {
    expect(hiddenGenders(' m, t,,')).toEqual(new Set(['m', 't']));
    expect(hiddenGenders(undefined).size).toBe(0);
  });
});
