import { Language } from '#platform/ui/text/language.ts';
import { describe, expect, it } from 'vitest';
import { allTexts } from './document/texts.server.ts';

const VALUES = {
  amount: '1',
  tokens: '1',
  left: '1',
  share: '1',
  first: '2',
  most: '1',
  used: '0',
  spent: '0',
  budget: '1',
  progress: '0',
  target: '1',
  lot: 1,
  name: 'Luna',
  title: 'Song',
  time: '1:00',
};
const COUNTED = [
  ['billing', 'web.admin.events'],
  ['billing', 'web.admin.callbacks'],
  ['billing', 'web.tokens'],
  ['billing', 'web.promo.redeemed'],
  ['ledger', 'web.admin.draw'],
  ['ledger', 'web.admin.hold'],
  ['ledger', 'web.limits.spentOf'],
  ['ledger', 'web.limits.higherFrom'],
  ['tips', 'sent'],
  ['tips', 'notice.order'],
  ['tips', 'goal.progress'],
  ['tips', 'menu.text'],
  ['tips', 'split.each'],
  ['tips', 'split.uneven'],
  ['tips', 'split.joined'],
  ['tips', 'limit.lead'],
  ['tips', 'limit.used'],
  ['screens', 'live.viewers'],
] as const;
/** Plural nouns of things that are counted here. */
const MANY = new RegExp(
  [
    'events',
    'callbacks',
    'tokens',
    'viewers',
    'Ereignisse',
    'Callbacks',
    'Tokens',
    'Zuschauern',
    'eventos',
    'avisos',
    'espectadores',
    'événements',
    'notifications',
    'jetons',
    'spectateurs',
    'eventi',
    'notifiche',
    'spettatori',
    'gebeurtenissen',
    'meldingen',
    'kijkers',
  ].map((noun) => `\\b${noun}\\b`).join('|'),
  'u',
);

/** Texts about minutes, and about tokens, of which there may be many. */
const OF_MINUTES = [['shows', 'ticket.terms.full'], ['shows', 'ticket.terms.join']] as const;
const MINUTES = /\b(?:minutes|Minuten|minutos|minuti|minuten)\b/u;

/** Every key of a namespace, in full. */
const keysOf = (texts: object, before = ''): string[] =>
  Object.entries(texts).flatMap((
    [key, text],
  ) => (typeof text === 'object' ? keysOf(text as object, `${before}${key}.`) : [`${before}${key}`]));

describe('texts that count', () => {
  it.each(Object.keys(allTexts))('say one as one, in %s', (locale) => {
    const language = new Language(locale, allTexts[locale] ?? {});
    for (const [namespace, key] of COUNTED) {
      const one = language.translator(namespace)(key, { ...VALUES, count: 1 });
      expect(one).not.toMatch(/\{\{|_one|^[\w.]+$/u);
      expect(one).not.toMatch(MANY);
      expect(language.translator(namespace)(key, { ...VALUES, count: 2 })).not.toMatch(/\{\{/u);
    }
  });

  it.each(Object.keys(allTexts))('say one minute as one, in %s', (locale) => {
    const language = new Language(locale, allTexts[locale] ?? {});
    for (const [namespace, key] of OF_MINUTES) {
      expect(language.translator(namespace)(key, { count: 1 })).not.toMatch(MINUTES);
      expect(language.translator(namespace)(key, { count: 12 })).toMatch(/\b12\b/u);
    }
  });

  it('have a form for one wherever they have one for others, and the other way round', () => {
    for (const [locale, slices] of Object.entries(allTexts)) {
      for (const [slice, texts] of Object.entries(slices)) {
        const keys = new Set(keysOf(texts));
        const lonely = [...keys].filter((key) =>
          (key.endsWith('_one') && !keys.has(key.replace(/_one$/u, '_other')))
          || (key.endsWith('_other') && !keys.has(key.replace(/_other$/u, '_one')))
        );
        expect([locale, slice, lonely]).toEqual([locale, slice, []]);
      }
    }
  });
});
