/** Names that pose as the staff of a site: nobody else is called what reads like them. */

import { withoutAddresses } from '../../../../platform/text/shown/addresses.ts';
import { cleanText } from '../../../../platform/text/clean-text.ts';

/** Words that only staff may be called, in the six languages. */
const STAFF_WORDS: ReadonlySet<string> = new Set([
  'admin', 'administrator', 'administrateur', 'administrador', 'amministratore', 'beheerder', 'helpdesk',
  'kundendienst', 'moderator', 'moderateur', 'moderador', 'moderatore', 'operator', 'soporte', 'staff',
  'support', 'supporto', 'sysadmin', 'system', 'webmaster',
]);
/** Letters of other scripts that are read as Latin ones (UTS #39, the usual ones). */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  а: 'a', в: 'b', е: 'e', к: 'k', м: 'm', н: 'h', о: 'o', р: 'p',
  с: 'c', т: 't', у: 'y', х: 'x', і: 'i', ј: 'j', ѕ: 's', ԁ: 'd',
  α: 'a', β: 'b', ε: 'e', ι: 'i', κ: 'k', ν: 'v', ο: 'o', ρ: 'p',
  τ: 't', υ: 'u', χ: 'x', ı: 'i', ł: 'l', ø: 'o',
};
const DIGITS: Readonly<Record<string, string>> = {
  0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't', $: 's', '@': 'a', '!': 'i',
};
/** A shorter name of a site is a word that many have in theirs. */
const MIN_SITE_NAME = 4;
/** Letters that stand alone spell a word. */
const SPELLED = /^(?:\p{L}[^\p{L}]+){3,}\p{L}[^\p{L}]*$/u;

/** What a name is read as: lower case, without marks, look-alikes as the letters they look like. */
const lettersOf = (name: string): string =>
  [...name.normalize('NFKD').toLowerCase().replaceAll(/\p{M}/gu, '')]
    .map((letter) => LOOK_ALIKES[letter] ?? DIGITS[letter] ?? letter).join('');

/**
 * Whether a name poses as staff: one of its words is theirs, it spells one, or it has the site's own name.
 * @param siteName as shown
 */
export function posesAsStaff(name: string, siteName: string): boolean {
  const read = lettersOf(name);
  const joined = read.replaceAll(/[^\p{L}]/gu, '');
  const site = lettersOf(siteName).replaceAll(/[^\p{L}]/gu, '');
  if (site.length >= MIN_SITE_NAME && joined.includes(site)) return true;
  const isSpelled = SPELLED.test(read) && [...STAFF_WORDS].some((word) => joined.includes(word));
  if (isSpelled || STAFF_WORDS.has(joined)) return true;
  // Capitals begin a word too, and digits may stand behind one.
  const words = [...read.split(/[^\p{L}]+/u), ...wordsByCase(name)];
  return words.some((word) => STAFF_WORDS.has(word));
}

const wordsByCase = (name: string): string[] =>
  name.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replaceAll(/\d+/gu, ' ').split(/[^\p{L}]+/u).map(lettersOf);

/**
 * A name that somebody wants to be shown by, cleaned; null where it shows nothing, is an address, or poses as
 * staff. @param siteName as shown; null for staff themselves, who may be called so
 */
export function displayNameOf(typed: string, siteName: string | null): string | null {
  const name = cleanText(typed);
  if (name === '' || withoutAddresses(name) !== name) return null;
  return siteName !== null && posesAsStaff(name, siteName) ? null : name;
}
