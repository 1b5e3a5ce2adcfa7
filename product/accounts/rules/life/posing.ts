/** Names that pose as the site's staff: nobody but staff may have a name that reads like them. */

import { cleanText } from '#platform/text/clean-text.ts';
import { withoutAddresses } from '#platform/text/shown/addresses.ts';
import { latinOf, withoutEmblems } from '#platform/text/shown/look-alikes.ts';
import { foldedOf } from './usernames.ts';

/** Words that only staff may have in a name, in the six languages. */
const STAFF_WORDS: ReadonlySet<string> = new Set([
  'admin',
  'administrator',
  'administrateur',
  'administrador',
  'amministratore',
  'asistencia',
  'assistance',
  'assistenza',
  'atencionalcliente',
  'beheerder',
  'customercare',
  'customerservice',
  'helpdesk',
  'klantenservice',
  'kundendienst',
  'kundenservice',
  'moderator',
  'moderateur',
  'moderador',
  'moderatore',
  'ondersteuning',
  'operator',
  'operateur',
  'operador',
  'operatore',
  'serviceclient',
  'servicioalcliente',
  'servizioclienti',
  'soporte',
  'staff',
  'support',
  'supporto',
  'sysadmin',
  'system',
  'webmaster',
  'administracion',
  'administratie',
  'administration',
  'amministrazione',
  'klantendienst',
  'kundenbetreuung',
  'moderationsteam',
  'serviceclientele',
  'verwaltung',
  // Feminine forms.
  'administradora',
  'administratorin',
  'administratrice',
  'amministratrice',
  'beheerster',
  'moderadora',
  'moderatorin',
  'moderatrice',
  'operadora',
  'operatorin',
  'operatrice',
  // Teams, and what room moderators call themselves; none of their words is the staff's alone.
  'accountteam',
  'billingteam',
  'chatmod',
  'helpteam',
  'moderationteam',
  'modteam',
  'paymentteam',
  'paymentsteam',
  'roommod',
  'safetyteam',
  'securityteam',
  'serviceteam',
  'sitemod',
  'trustandsafety',
  'trustsafety',
  // Places and services of theirs; alone, few of these words are the staff's either.
  'accountservice',
  'betaaldienst',
  'betaalservice',
  'betalingsservice',
  'billingcenter',
  'billingcentre',
  'billingservice',
  'centredaide',
  'centroaiuto',
  'centrodeayuda',
  'helpcenter',
  'helpcentre',
  'helpcentrum',
  'hilfecenter',
  'hilfeteam',
  'hilfezentrum',
  'hulpcentrum',
  'hulpteam',
  'paymentcenter',
  'paymentcentre',
  'paymentservice',
  'paymentsservice',
  'safetycenter',
  'safetycentre',
  'securityservice',
  'servicecenter',
  'servicecentre',
  'servicedepaiement',
  'servicedesk',
  'serviciodepago',
  'serviziodipagamento',
  'serviziopagamenti',
  'zahlungsdienst',
  'zahlungsservice',
  'zahlungsteam',
]);
/**
 * Words that read as the staff's at the beginning of a name: their badge, which stands before a name, in the
 * six languages (`staff` is refused anywhere), and what moderators are called.
 */
const LEADING_WORDS: ReadonlySet<string> = new Set([
  'equipe',
  'equipo',
  'mod',
  'moderation',
  'mods',
  'team',
]);
/**
 * Words that may stand beside a staff word without changing how it reads: `siteadmin` reads as an admin's
 * name, `madmint` and `supporterfan` do not.
 */
const BESIDE: ReadonlySet<string> = new Set([
  'account',
  'accounts',
  'app',
  'billing',
  'bot',
  'cam',
  'cams',
  'center',
  'chat',
  'chief',
  'client',
  'crew',
  'customer',
  'desk',
  'forum',
  'global',
  'group',
  'head',
  'help',
  'i',
  'am',
  'im',
  'klanten',
  'kunden',
  'lead',
  'live',
  'main',
  'master',
  'member',
  'mod',
  'mods',
  'model',
  'models',
  'my',
  'net',
  'of',
  'office',
  'official',
  'online',
  'our',
  'page',
  'payment',
  'payments',
  'real',
  'room',
  'rooms',
  'safety',
  'security',
  'senior',
  'service',
  'services',
  'site',
  'super',
  'team',
  'tech',
  'the',
  'true',
  'trust',
  'user',
  'users',
  'web',
  'website',
  'your',
]);
/** Digits and signs read as letters. */
const DIGITS: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'i',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  8: 'b',
  9: 'g',
  $: 's',
  '@': 'a',
  '!': 'i',
  '|': 'i',
};
/** More parts than any run-together name of these words has. */
const MAX_PARTS = 6;
/** A shorter site name is a word that many have in their names. */
const MIN_SITE_NAME = 4;
/** Characters that show nothing, or a gap, within a name: joiners, fillers, the blank of Braille. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\u2800]+/gu;
/** Those of them that are drawn as a gap. */
const GAPS = /[\u115F\u1160\u2800\u3164\uFFA0]+/gu;
/** A word spelled with its letters apart. */
const SPELLED = /^(?:\p{L}[^\p{L}]+){3,}\p{L}[^\p{L}]*$/u;

/** Letters as they are read: lower case, without marks, look-alikes as the letters they look like. */
const lettersOf = (name: string): string =>
  [...name.normalize('NFKD').replaceAll(/\p{M}/gu, '')]
    .map((letter) => latinOf(letter) ?? DIGITS[letter] ?? letter.toLowerCase()).join('');

/** A word and its plurals: moderators, moderadores, Moderatoren, Moderatorinnen, moderatori. */
const pluralsOf = (word: string): readonly string[] => [
  word,
  `${word}s`,
  ...(word.endsWith('r') ? [`${word}es`, `${word}en`] : []),
  ...(word.endsWith('in') ? [`${word}nen`] : []),
  word.replace(/e$/u, 'i'),
];

/**
 * Readings to compare with folded words. The first leaves `rn` alone, because two run-together words may meet
 * between r and n, and then it looks like no m.
 */
const readingsOf = (letters: string): readonly string[] => [letters.replaceAll('l', 'i'), foldedOf(letters)];

const FOLDED_STAFF: ReadonlySet<string> = new Set([...STAFF_WORDS].flatMap(pluralsOf).map(foldedOf));
const FOLDED_LEADING: ReadonlySet<string> = new Set([...LEADING_WORDS].map(foldedOf));
const FOLDED_BESIDE: ReadonlySet<string> = new Set([...BESIDE].map(foldedOf));

/**
 * Folded words that read as the staff's, with the names of their sites, and words that may stand beside them.
 */
interface Theirs {
  readonly words: ReadonlySet<string>;
  readonly beside: ReadonlySet<string>;
}

/** A short site name reads as the staff's only beside another of their words. */
function wordsOf(siteNames: readonly string[]): Theirs {
  const sites = siteNames.map(runOf);
  const own = sites.filter((site) => site.length >= MIN_SITE_NAME);
  return {
    words: new Set([...FOLDED_STAFF, ...own.map(foldedOf)]),
    beside: new Set([...FOLDED_BESIDE, ...sites.map(foldedOf)]),
  };
}

/** Whether a run-together name consists only of staff words or a site's name, and of words beside them. */
function isRunTogether(letters: string, theirs: Theirs): boolean {
  const isMade = (rest: string, poses: boolean, parts: number): boolean => {
    if (rest === '') return poses;
    if (parts === MAX_PARTS) return false;
    for (let end = 1; end <= rest.length; end += 1) {
      const word = rest.slice(0, end);
      const isTheirs = theirs.words.has(word);
      if (!isTheirs && !theirs.beside.has(word)) continue;
      if (isMade(rest.slice(end), poses || isTheirs, parts + 1)) return true;
    }
    return false;
  };
  return readingsOf(letters).some((reading) => isMade(reading, false, 0));
}

/** A name's letters, run together. */
const runOf = (name: string): string => lettersOf(name).replaceAll(/[^\p{L}]/gu, '');

/** A name with digits as letters, without the digits at the ends of its words, and without any. */
const byDigits = (name: string): readonly string[] => [
  name,
  name.replaceAll(/(?<![\p{L}\d])\d+|\d+(?![\p{L}\d])/gu, ''),
  name.replaceAll(/\d/gu, ''),
];

/** A name unchanged, and with spaces where a capital may begin a word. */
const byCase = (name: string): readonly string[] => [name, name.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')];

/** The same, and with spaces where a sign or a digit may begin a word. */
const bySpaces = (name: string): readonly string[] =>
  byCase(name).flatMap((text) => {
    const bySign = text.replaceAll(/[$@!|]/gu, ' ');
    return [text, bySign, bySign.replaceAll(/\d+/gu, ' ')];
  });

/**
 * Whether a name visibly contains a site's name. Anywhere in it, a capital I, 1 or | stands for l, and rn for
 * m. A small i stands for l only in a whole word: Candeias does not contain Candela.
 */
function hasSiteName(name: string, siteName: string): boolean {
  const drawn = (text: string): readonly string[] => [text, text.replaceAll(/[1I|!]/gu, 'l')];
  const closed = (text: string): string => text.replaceAll('rn', 'm').replaceAll('vv', 'w');
  const runs = byDigits(name).flatMap(drawn).map(runOf);
  return drawn(siteName).map(runOf).some((site) =>
    site.length >= MIN_SITE_NAME
    && runs.some((run) => run.includes(site) || closed(run).includes(closed(site)))
  );
}

/** Whether one of the words, or two or three neighbours together, reads as the staff's. */
function hasWordOf(words: readonly string[], theirs: Theirs): boolean {
  const isTheirs = (letters: string): boolean =>
    readingsOf(letters).some((reading) => theirs.words.has(reading));
  return words.some((word, at) =>
    isRunTogether(word, theirs)
    || [2, 3].some((count) => isTheirs(words.slice(at, at + count).join('')))
  );
}

/**
 * Whether a name poses as staff: one of its words or some neighbours are staff words, it spells one, it
 * consists of such words run together, it begins as their badge reads, or it contains the name of one of the
 * sites.
 * @param siteNames the shown names of all sites of the operator: its staff are the same on each
 */
export function posesAsStaff(name: string, siteNames: readonly string[]): boolean {
  const theirs = wordsOf(siteNames);
  const seen = [
    name,
    name.replaceAll(UNSEEN, ''),
    name.replaceAll(UNSEEN, ' '),
    name.replaceAll(GAPS, ' ').replaceAll(UNSEEN, ''),
  ];
  // Most names read the same each time.
  return [...new Set(seen.flatMap((reading) => [reading, withoutEmblems(reading)]))].some((text) =>
    siteNames.some((siteName) => hasSiteName(text, siteName)) || isReadAsStaff(text, theirs)
  );
}

/** The words of a name, in letters as they are read. */
const wordsIn = (name: string): readonly string[] =>
  lettersOf(name).split(/[^\p{L}]+/u).filter((word) => word !== '');

/** Whether a name begins with a word that reads as the staff's there, or spells one. */
function isLedByStaff(name: string, runs: readonly string[]): boolean {
  const leads = (letters: string): boolean =>
    readingsOf(letters).some((reading) => FOLDED_LEADING.has(reading));
  return (SPELLED.test(lettersOf(name)) && runs.some(leads))
    || byCase(name).flatMap(byDigits).some((text) => leads(wordsIn(text)[0] ?? ''));
}

function isReadAsStaff(name: string, theirs: Theirs): boolean {
  const runs = byDigits(name).map(runOf);
  if (runs.some((run) => isRunTogether(run, theirs))) return true;
  const isSpelled = SPELLED.test(lettersOf(name))
    && [...FOLDED_STAFF].some((word) => runs.some((run) => foldedOf(run).includes(word)));
  return isSpelled || isLedByStaff(name, runs)
    || bySpaces(name).flatMap(byDigits).some((text) => hasWordOf(wordsIn(text), theirs));
}

/**
 * A display name, cleaned; null where nothing of it is left, it contains an address, or it poses as staff.
 * @param siteNames of all sites of the operator; null for staff, who may use these words
 */
export function displayNameOf(typed: string, siteNames: readonly string[] | null): string | null {
  const name = cleanText(typed);
  if (name === '' || withoutAddresses(name) !== name) return null;
  return siteNames !== null && posesAsStaff(name, siteNames) ? null : name;
}
