import { secondsUntil } from '#platform/ui/time/countdown.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChatMessageView } from '../../contract.ts';
import { CHAT_HISTORY_LIMIT, SOUNDS } from '../../rules.ts';
import { FONT_WEIGHTS, MESSAGE_BACKGROUNDS, MESSAGE_COLORS } from '../../rules/message-style.ts';
import { worthSaying } from './announcer.tsx';
import { FrameBatch } from './frame-batch.ts';
import { countUnread, holdStill, isAtEnd } from './hold.ts';
import { gridTarget } from './input/emoji-panel.tsx';
import { EMOJI, emojiFor, withEmoji } from './input/emoji.ts';
import { begunAt, callsOn, completed, namesFor, piecesOf } from './input/mentions.ts';
import { badgesOf, topTipperOf } from './list/badges.tsx';
import { withHighlight } from './list/highlight.ts';
import { lineLook, nameLook } from './list/looks.ts';
import { isForeign } from './list/translator.ts';
import { readSettings, USUAL } from './settings/settings.ts';
import { notesOf, tipNotes } from './settings/sounds.ts';

describe('tips have five tiers', () => {
  it('below 15, 100, 500, 1,000 and above', () => {
    const amounts = [1, 14, 15, 99, 100, 499, 500, 999, 1_000, 100_000];
    expect(amounts.map((tokens) => tipNotes(tokens).length)).toEqual([1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
  });

  it('a larger tip never sounds smaller', () => {
    fc.assert(fc.property(fc.integer({ min: 1, max: 9_999 }), fc.nat(9_999), (tokens, more) => {
      expect(tipNotes(tokens + more).length).toBeGreaterThanOrEqual(tipNotes(tokens).length);
    }));
  });
});

it('every value of a style has a look of its own', () => {
  const plain = {
    type: 'message',
    background: null,
    fontStyle: null,
    color: null,
    weight: null,
  } as ChatMessageView;
  const lines: readonly Partial<ChatMessageView>[] = [
    {},
    { fontStyle: 'italic' },
    ...FONT_WEIGHTS.map((weight) => ({ weight })),
    ...MESSAGE_BACKGROUNDS.map((background) => ({ background })),
  ];
  expect(new Set(lines.map((style) => lineLook({ ...plain, ...style }, false))).size).toBe(lines.length);
  const names = [plain, ...MESSAGE_COLORS.map((color) => ({ ...plain, color }))].map(nameLook);
  // A name without a colour is muted.
  expect(new Set(names).size).toBe(MESSAGE_COLORS.length);
  expect(names[0]).toBe(nameLook({ ...plain, color: 'muted' }));
});

describe('a held chat', () => {
  const lines = fc.uniqueArray(fc.integer({ min: 1, max: 500 }), { maxLength: 60 })
    .map((ids) => ids.toSorted((a, b) => a - b).map((id) => ({ id })));
  const held = [{ id: 3 }, { id: 4 }, { id: 6 }];

  it('keeps its lines and appends new ones', () => {
    fc.assert(fc.property(lines, fc.nat(40), fc.nat(300), (all, before, gone) => {
      const shown = all.slice(0, before);
      // The room's history is limited: its oldest lines were dropped, at most all that were shown.
      const live = all.slice(Math.min(gone, before, Math.max(0, all.length - 1)));
      const after = holdStill(shown, live);
      expect(after.slice(0, shown.length)).toEqual(shown);
      expect(after).toEqual(all);
    }));
  });

  it('never exceeds the limit of a room; further lines are counted as unread', () => {
    const many = Array.from({ length: CHAT_HISTORY_LIMIT }, (_, at) => ({ id: at + 1 }));
    const live = Array.from({ length: CHAT_HISTORY_LIMIT }, (_, at) => ({ id: at + 51 }));
    expect(holdStill(many, live)).toEqual(many);
    expect(countUnread(live, CHAT_HISTORY_LIMIT)).toBe(50);
  });

  it('drops removed lines and shows changed ones', () => {
    const named = { id: 4, name: 'mira' };
    expect(holdStill<{ id: number; name?: string }>(held, [{ id: 3 }, named, { id: 7 }]))
      .toEqual([{ id: 3 }, { id: 4, name: 'mira' }, { id: 7 }]);
    expect(holdStill(held, [])).toEqual([]);
  });

  it('is the same list when nothing changed, so that nothing is rendered', () => {
    expect(holdStill(held, held)).toBe(held);
  });

  it('follows again within two lines of its end', () => {
    expect(isAtEnd({ top: 553, height: 400, whole: 1_000 })).toBe(true);
    expect(isAtEnd({ top: 552, height: 400, whole: 1_000 })).toBe(false);
    expect(isAtEnd({ top: 0, height: 400, whole: 300 })).toBe(true);
  });
});

describe('events between two frames are batched', () => {
  /** Animation frames that the test controls. */
  function frames(): { soon: (task: () => void) => () => void; draw: () => void; asked: () => number } {
    const tasks = new Set<() => void>();
    let asked = 0;
    return {
      soon: (task) => {
        asked += 1;
        tasks.add(task);
        return () => void tasks.delete(task);
      },
      draw: () => {
        for (const task of tasks) {
          tasks.delete(task);
          task();
        }
      },
      asked: () => asked,
    };
  }

  it('in order, none twice, none lost', () => {
    fc.assert(fc.property(fc.array(fc.option(fc.integer())), (steps) => {
      const { soon, draw } = frames();
      const taken: number[] = [];
      const batch = new FrameBatch<number>((items) => taken.push(...items), soon);
      for (const step of steps) {
        if (step === null) draw();
        else batch.add(step);
      }
      draw();
      expect(taken).toEqual(steps.filter((step) => step !== null));
    }));
  });

  it('with one requested frame, however many arrive', () => {
    const { soon, draw, asked } = frames();
    const batches: number[] = [];
    const batch = new FrameBatch<number>((items) => batches.push(items.length), soon);
    for (let at = 0; at < 100; at += 1) batch.add(at);
    expect([asked(), batches]).toEqual([1, []]);
    draw();
    expect(batches).toEqual([100]);
  });

  it('limited in a tab without frames, and dropped for a left room', () => {
    const { soon, draw } = frames();
    let taken = 0;
    const batch = new FrameBatch<number>((items) => {
      taken += items.length;
    }, soon);
    for (let at = 0; at < 1_000; at += 1) batch.add(at);
    expect(taken).toBe(800);
    batch.drop();
    draw();
    expect(taken).toBe(800);
  });
});

describe('mentions', () => {
  it('the pieces of a message joined are the message', () => {
    const words = fc.array(
      fc.constantFrom('@mira', '@Mira_9', 'hi', ' ', 'a@b.c', '@', '@x', '🙂', ':', '@@ann'),
    );
    fc.assert(fc.property(words, (parts) => {
      const text = parts.join('');
      expect(piecesOf(text).map((piece) => piece.text).join('')).toBe(text);
    }));
  });

  it('match the whole username only, in any case', () => {
    const calls = (message: string, username: string | null): boolean =>
      callsOn({ message, subject_username: null }, username);
    expect(calls('hello @Mira!', 'mira')).toBe(true);
    expect(calls('@mira_lind hello', 'mira')).toBe(false);
    expect(calls('mail@mira', 'mira')).toBe(false);
    expect(calls('mira', 'mira')).toBe(false);
    expect(calls('@mira', null)).toBe(false);
  });

  it('are replies too, to whom they answer alone', () => {
    const reply = { message: 'me too', subject_username: 'mira' };
    expect(['mira', 'marco', null].map((username) => callsOn(reply, username))).toEqual([true, false, false]);
    expect(callsOn({ ...reply, subject_username: null }, null)).toBe(false);
  });

  it('a word begun at the caret is completed in place', () => {
    const text = 'hi @lu and more';
    const begun = begunAt(text, 6);
    expect(begun).toEqual({ kind: 'name', typed: 'lu', from: 3 });
    if (!begun) throw new Error('nothing begun');
    expect(completed(text, 6, begun, '@luna_vale')).toEqual({ text: 'hi @luna_vale and more', caret: 14 });
    expect(begunAt('a@lu', 4)).toBeNull();
    expect(begunAt('at 10:30', 8)).toBeNull();
    expect(begunAt(':fir', 4)).toEqual({ kind: 'emoji', typed: 'fir', from: 0 });
  });

  it('names are offered once, and not when typed completely', () => {
    expect(namesFor('lu', ['luna', 'mara', 'lu', 'luna', 'luke'])).toEqual(['luna', 'luke']);
  });
});

describe('emoji', () => {
  it('known shortcodes become emoji, others stay', () => {
    expect(withEmoji('so :fire: and :nothing: at 10:30:15')).toBe('so 🔥 and :nothing: at 10:30:15');
    for (const { code, sign } of EMOJI) expect(withEmoji(`:${code}:`)).toBe(sign);
  });

  it('smileys do as separate words', () => {
    expect(withEmoji('fine :) but not:) and (B) <3')).toBe('fine 🙂 but not:) and (B) ❤️');
  });

  it('are found by the start of their code, then by any part of it', () => {
    const found = emojiFor('s').map(({ code }) => code);
    expect(found).toEqual(['sob', 'sun', 'star', 'smile', 'sparkles', 'blush']);
    expect(EMOJI.every(({ code }) => emojiFor(code).some((emoji) => emoji.code === code))).toBe(true);
  });

  it('are focused by arrow keys without leaving the grid', () => {
    const steps = ['ArrowRight', 'ArrowDown', 'ArrowUp', 'ArrowLeft', 'End', 'Home', 'x'] as const;
    expect(steps.map((key) => gridTarget(key, 5, 10, 4))).toEqual([6, 9, 1, 4, 9, 0, null]);
  });
});

describe('settings of a device', () => {
  it('stored values are read, unreadable ones get the default', () => {
    const chosen = {
      ...USUAL,
      size: '18px',
      font: 'wide',
      hasTimes: true,
      isCompact: true,
      isMuted: true,
      volume: 0,
    };
    expect(readSettings(JSON.stringify(chosen))).toEqual(chosen);
    const wrong = '{"size":"99px","font":"comic","volume":"loud","hasTips":1}';
    for (const bad of [null, '', '{', '7', wrong, 'null']) {
      expect(readSettings(bad)).toEqual(USUAL);
    }
  });
});

it('every sound of rooms has notes', () => {
  for (const sound of SOUNDS) expect(notesOf(sound).length).toBeGreaterThan(0);
});

it('alerts are queued in order, up to a limit, and those to all leave room for those to one', () => {
  const came = (at: number) => ({ username: 'luna', display_name: 'Luna', message: `${at}`, to_all: at < 9 });
  const waiting = Array.from({ length: 11 }, (_, at) => came(at)).reduce(withHighlight, []);
  expect(waiting.map(({ message }) => message)).toEqual(['0', '1', '2', '3', '4', '9', '10']);
});

describe('names of speakers', () => {
  const speaker = {
    is_model: false,
    is_moderator: false,
    is_vip: false,
    is_super_vip: false,
    has_tokens: false,
  } as ChatMessageView;

  it('have a badge per role, and of the tiers only the higher', () => {
    const all = { ...speaker, is_model: true, is_moderator: true, is_vip: true, is_super_vip: true };
    expect(badgesOf(all, true)).toEqual(['performer', 'moderator', 'topTipper', 'superVip']);
    expect(badgesOf({ ...speaker, is_vip: true }, false)).toEqual(['vip']);
    expect(badgesOf({ ...speaker, is_vip: true, fanclub_level: 'legend' }, false)).toEqual(['vip', 'legend']);
    expect(badgesOf(speaker, false)).toEqual([]);
  });

  it('nobody is the top tipper without a tip', () => {
    const line = (username: string, recent_tips: number) => ({
      ...speaker,
      type: 'message',
      username,
      recent_tips,
    });
    expect(topTipperOf([line('a', 0), line('b', 0)] as ChatMessageView[])).toBeNull();
    expect(topTipperOf([line('a', 5), line('b', 9), line('c', 9)] as ChatMessageView[])).toBe('b');
  });

  it('reads out mentions of the reader first, and never the reader\'s own messages', () => {
    const line = (username: string, message: string) => ({ ...speaker, type: 'message', username, message });
    const lines = [line('a', '@mira look'), line('b', 'hi'), line('mira', '@mira')] as ChatMessageView[];
    expect(worthSaying(lines, 'mira')?.message).toBe('@mira look');
    expect(worthSaying(lines.slice(1), 'mira')?.message).toBe('hi');
    expect(worthSaying(lines.slice(2), 'mira')).toBeNull();
  });
});

it('offers a translation for messages in another language', () => {
  const written = (user_language: string | null, type = 'message', message = 'hola') =>
    ({ user_language, type, message }) as ChatMessageView;
  expect(isForeign(written('es'), 'en')).toBe(true);
  expect([written('en-GB'), written(null), written('es', 'notice'), written('es', 'tip', '')]
    .map((message) => isForeign(message, 'en'))).toEqual([false, false, false, false]);
});

it('remaining seconds are whole, rounded up and never negative', () => {
  const left = [secondsUntil(10_001, 10_000), secondsUntil(11_000, 10_000), secondsUntil(9, 10)];
  expect(left).toEqual([1, 1, 0]);
});
