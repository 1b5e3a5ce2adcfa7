/** Names that pose as the staff of a site: nobody else is called what reads like them. */

import { withoutAddresses } from '#platform/text/shown/addresses.ts';
import { cleanText } from '#platform/text/clean-text.ts';
import { latinOf, withoutEmblems } from '#platform/text/shown/look-alikes.ts';

/** Words that only staff may be called, in the six languages. */
const STAFF_WORDS: ReadonlySet<string> = new Set([
  'admin', 'administrator', 'administrateur', 'administrador', 'amministratore', 'atencionalcliente',
  'beheerder', 'customercare', 'customerservice', 'helpdesk', 'klantenservice', 'kundendienst', 'moderator',
  'moderateur', 'moderador', 'moderatore', 'operator', 'serviceclient', 'servizioclienti', 'soporte', 'staff',
  'support', 'supporto', 'sysadmin', 'system', 'webmaster',
]);
/**
 * Words that stand beside those without making another word or name of them: `siteadmin` is read as an
 * admin's, `madmint` and `supporterfan` are not.
 */
const BESIDE: ReadonlySet<string> = new Set([
  'account', 'accounts', 'app', 'billing', 'bot', 'cam', 'cams', 'center', 'chat', 'chief', 'client',
  'crew', 'customer', 'desk', 'forum', 'global', 'group', 'head', 'help', 'i', 'am', 'im', 'lead', 'live',
  'main', 'master', 'member', 'mod', 'mods', 'model', 'models', 'my', 'net', 'of', 'office', 'official',
  'online', 'our', 'page', 'payment', 'payments', 'real', 'room', 'rooms', 'safety', 'security', 'senior',
  'service', 'services', 'site', 'super', 'team', 'tech', 'the', 'true', 'trust', 'user', 'users', 'web',
  'website', 'your',
]);
/** Digits and signs that are read as letters. */
const DIGITS: Readonly<Record<string, string>> = {
  0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't', 8: 'b', 9: 'g', $: 's', '@': 'a', '!': 'i', '|': 'i',
};
/** More parts than a run-together name of these words has. */
const MAX_PARTS = 6;
/** A shorter name of a site is a word that many have in theirs. */
const MIN_SITE_NAME = 4;
/** Letters that stand alone spell a word. */
const SPELLED = /^(?:\p{L}[^\p{L}]+){3,}\p{L}[^\p{L}]*$/u;

/** What a name is read as: lower case, without marks, look-alikes as the letters they look like. */
const lettersOf = (name: string): string =>
  [...name.normalize('NFKD').replaceAll(/\p{M}/gu, '')]
    .map((letter) => latinOf(letter) ?? DIGITS[letter] ?? letter.toLowerCase()).join('');

/** The same for letters that look alike to whoever reads fast: l and i, rn and m, vv and w. */
const folded = (letters: string): string =>
  letters.replaceAll('l', 'i').replaceAll('rn', 'm').replaceAll('vv', 'w');

const FOLDED_STAFF: ReadonlySet<string> =
  new Set([...STAFF_WORDS].flatMap((word) => [folded(word), `${folded(word)}s`]));
const FOLDED_BESIDE: ReadonlySet<string> = new Set([...BESIDE].map(folded));

/** Whether a run-together name is made of words of staff and of those beside them, and of nothing else. */
function isRunTogether(letters: string, site: string): boolean {
  const ownName = folded(site);
  const isMade = (rest: string, hasStaff: boolean, parts: number): boolean => {
    if (rest === '') return hasStaff;
    if (parts === MAX_PARTS) return false;
    for (let end = 1; end <= rest.length; end += 1) {
      const word = rest.slice(0, end);
      const isStaff = FOLDED_STAFF.has(word);
      if (!isStaff && !FOLDED_BESIDE.has(word) && word !== ownName) continue;
      if (isMade(rest.slice(end), hasStaff || isStaff, parts + 1)) return true;
    }
    return false;
  };
  return isMade(folded(letters), false, 0);
}

/** What a name is read as, run together. */
const runOf = (name: string): string => lettersOf(name).replaceAll(/[^\p{L}]/gu, '');

/** The same with digits as letters, without those at its ends, and without any. */
const runsOf = (name: string): readonly string[] =>
  [name, name.replaceAll(/^\d+|\d+$/gu, ''), name.replaceAll(/\d/gu, '')].map(runOf);

/**
 * Whether a name poses as staff: one of its words is theirs, it spells one, it is made of such words run
 * together, or it has the site's own name.
 * @param siteName as shown
 */
export const posesAsStaff = (name: string, siteName: string): boolean =>
  [name, withoutEmblems(name)].some((one) => isReadAsStaff(one, siteName));

function isReadAsStaff(name: string, siteName: string): boolean {
  const read = lettersOf(name);
  const [joined, site] = [runOf(name), runOf(siteName)];
  if (site.length >= MIN_SITE_NAME && joined.includes(site)) return true;
  if (runsOf(name).some((run) => isRunTogether(run, site))) return true;
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
