import { withoutCardNumbers } from '#platform/text/card-numbers.ts';
import { DAY_MS } from '#platform/time/units.ts';

/** Reports that are counted together with similar ones. */
export const KINDS = ['error', 'toast', 'purchase'] as const;
export type Kind = (typeof KINDS)[number];
/** Sources of lines: notes of a page, and output of its console. */
export const SOURCES = ['log', 'console'] as const;
export type Source = (typeof SOURCES)[number];
export const LEVELS = ['log', 'info', 'warn', 'error', 'debug'] as const;
export type Level = (typeof LEVELS)[number];

/** A longer message contains data by mistake. */
export const MAX_MESSAGE_LENGTH = 2_000;
/**
 * Enough for the ten frames that V8 reports for an error; of the hundreds of a recursion it leaves the first.
 */
export const MAX_STACK_LENGTH = 8_000;
/** The longest URL that all browsers accept. */
export const MAX_LINK_LENGTH = 2_048;
export const MAX_VERSION_LENGTH = 64;
/** An ISO time with its zone. */
export const MAX_TIME_LENGTH = 40;
export const MAX_APPEARANCE_LENGTH = 20;
export const MAX_REASON_LENGTH = 500;
/** Lines in a page's console buffer, and in a batch of it (spec 2 §9). */
export const MAX_LINES = 50;
export const MAX_LINE_LENGTH = 500;
/** How often a page sends its console output (spec 2 §9). */
export const FLUSH_MS = 5_000;
/** How much of a message and of a stack is stored: one line, and the frames that show where. */
export const MAX_STORED_MESSAGE_LENGTH = 500;
export const MAX_STORED_DETAIL_LENGTH = 4_000;

/** A report is deleted this long after the last one like it: enough for one release and the next. */
export const REPORT_DAYS = 30;
/** Lines belong to a person, and support needs them for one question only. */
export const LINE_DAYS = 14;
/** How often old rows are deleted. */
export const SWEEP_MS = DAY_MS;
/**
 * More errors than the pages have. Beyond it the rarest is deleted, so that made-up errors push each other
 * out.
 */
export const MAX_REPORTS = 2_000;
/** Batches of one person, and of all people of an operator: an hour of a busy page, and forty such people. */
export const MAX_BATCHES_PER_PERSON = 500;
export const MAX_BATCHES = 20_000;
/** How many versions and browsers a report lists: the latest ones. */
export const MAX_NAMES = 8;
export const REPORTS_PER_PAGE = 50;
export const BATCHES_PER_PAGE = 20;
/** Support answers within a week; after that it ends, so that nobody is watched for longer by mistake. */
export const REMOTE_LOGGING_MS = 7 * DAY_MS;

/** Crockford's alphabet: no two characters are confused when read out. */
const CODE_LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
export const CODE = /^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/u;
const CODE_BYTES = 5;

/** The code of a digest: forty bits of it, in two groups of four characters. */
export function codeOf(digest: Uint8Array): string {
  let value = 0n;
  for (const byte of digest.slice(0, CODE_BYTES)) value = value * 256n + BigInt(byte);
  let letters = '';
  for (let at = 0; at < 8; at += 1) {
    letters = CODE_LETTERS.charAt(Number(value % 32n)) + letters;
    value /= 32n;
  }
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

/** A code as typed or read out; null for an impossible one. */
export function codeFrom(typed: string): string | null {
  const letters = typed.toUpperCase().replaceAll(/[\s-]/gu, '').replaceAll('O', '0')
    .replaceAll(/[IL]/gu, '1');
  const code = `${letters.slice(0, 4)}-${letters.slice(4)}`;
  return CODE.test(code) ? code : null;
}

const EMAIL = /[\p{L}\p{N}._%+-]+(?:@|%40)[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu;
/** An address with its scheme. QUERY, below, matches queries without one. */
const ADDRESS = /\b(?:https?|wss?|blob|file):\/?\/?[^\s"'`<>()]+/giu;
const QUERY = /[?#][^\s"'`<>():]*=[^\s"'`<>()]*/gu;
const NAMED_SECRET = new RegExp(
  String.raw`\b(authorization|cookie|csrf|password|passwd|pwd|secret|session`
    + String.raw`|token|key|code)["']?\s*[:=]\s*["']?[^\s"',;&}]{4,}`,
  'giu',
);
const BEARER = /\b(bearer|basic)\s+[^\s"',;&}]{4,}/giu;
/**
 * A word of this length with letters and digits is a token or a digest; names in code have few or no digits.
 */
const LONG_WORD = /[\w+/=-]{24,}/gu;
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/giu;
const MACHINE = /\b(?:\d{1,3}\.){3}\d{1,3}\b|\b(?:[0-9a-f]{1,4}:){4,7}[0-9a-f]{1,4}\b/giu;
/** Telephone numbers, and other numbers with as many digits. */
const LONG_NUMBER = /\+?\d(?:[\s().-]?\d){8,}/gu;
const GUEST_NAME = /\bguest_\w+/giu;
const HANDLE = /(^|[\s(["'])@[\w-]{3,25}/gu;
/** A quoted text with a space is a person's words; names of fields and functions have no space. */
const QUOTED = /"[^"\n]*\s[^"\n]*"|`[^`\n]*\s[^`\n]*`|“[^”\n]*”|«[^»\n]*»|„[^“\n]*“/gu;

const isToken = (word: string): boolean =>
  /\d/u.test(word) && /[a-z]/iu.test(word)
  && (word.match(/\d/gu)?.length ?? 0) >= 3 && !/\.(?:js|tsx?|css)/u.test(word);

const CODE_FILE = /\/((?:assets|product|platform|node_modules|@\w+)\/[\w./@-]+(?::\d+)*)/u;

/**
 * A text as it may be stored, without queries, email addresses, tokens, digests, long numbers (such as card
 * numbers), IP addresses, usernames and quoted sentences.
 * @param pageIn replaces a URL that is no code file; pages themselves leave nothing of it
 */
export function redacted(
  text: string,
  maxLength: number,
  pageIn: (address: string) => string = () => '[page]',
): string {
  const shown = withoutCardNumbers(text.slice(0, 4 * maxLength))
    .replaceAll(ADDRESS, (address) => CODE_FILE.exec(address)?.[1] ?? pageIn(address))
    .replaceAll(QUERY, '')
    .replaceAll(EMAIL, '[email]')
    .replaceAll(BEARER, '$1 [secret]')
    .replaceAll(NAMED_SECRET, '$1 [secret]')
    .replaceAll(ID, '[id]')
    .replaceAll(LONG_WORD, (word) => (isToken(word) ? '[token]' : word))
    .replaceAll(MACHINE, '[address]')
    .replaceAll(LONG_NUMBER, '[number]')
    .replaceAll(GUEST_NAME, '[guest]')
    .replaceAll(HANDLE, '$1@[name]')
    .replaceAll(QUOTED, '"[text]"');
  return [...shown].slice(0, maxLength).join('');
}

/** Names of built files contain a digest, and lines move with every build: neither identifies an error. */
const BUILT = /-[\w-]{8}(?=\.(?:js|css))/gu;
const POSITION = /(?::\d+){1,2}\b/gu;
const FRAMES = 3;

/**
 * Equal for similar reports: kind, message without its numbers, and the first frames without builds and
 * lines, so that the same error in two versions counts as one.
 */
export function signatureOf(kind: Kind, message: string, stack: string): string {
  const frames = stack.split('\n').map((line) => line.trim())
    .filter((line) => /^at |@/u.test(line)).slice(0, FRAMES)
    .map((line) => line.replaceAll(BUILT, '').replaceAll(POSITION, ''));
  return [kind, message.replaceAll(BUILT, '').replaceAll(/\d+/gu, '#'), ...frames].join('\n');
}

const SAFE_VERSION = /^[\w.+-]{1,64}$/u;
/** The version of a page; any other text is not stored. */
export const versionOf = (given: string): string => (SAFE_VERSION.test(given) ? given : 'unknown');

/** Years that a browser's clock may show; any other time is wrong. */
const CLOCK_YEARS = [2000, 2100] as const;
/** A time as a browser sends it; null for an unreadable one. */
export function timeOf(given: string): Date | null {
  const at = new Date(given);
  const [least, most] = CLOCK_YEARS;
  return at.getUTCFullYear() >= least && at.getUTCFullYear() <= most ? at : null;
}

/** Where the next page of reports starts: when the last report was last seen, in ms, and its id. */
export const CURSOR = /^(\d{1,15})-(\d{1,15})$/u;
export interface ReportCursor {
  readonly at: Date;
  readonly id: number;
}
export const cursorText = ({ at, id }: ReportCursor): string => `${at.getTime()}-${id}`;
/** Null for a text that is no cursor. */
export function cursorOf(text: string): ReportCursor | null {
  const [, at, id] = CURSOR.exec(text) ?? [];
  return at === undefined ? null : { at: new Date(Number(at)), id: Number(id) };
}
