/** Characters of a memo in one line: comments are shorter, and anything longer is for the explorer. */
const MAX_DETAIL_LENGTH = 500;
/** Fields that staff wrote for themselves. */
const STAFF_ONLY: ReadonlySet<string> = new Set(['reason']);

type Memo = Readonly<Record<string, unknown>>;

/** What people see of the memo of their operations: everything but the reasons of staff. */
export const ownMemo = (memo: Memo): Record<string, unknown> =>
  Object.fromEntries(Object.entries(memo).filter(([name]) => !STAFF_ONLY.has(name)));

const plain = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value) ?? '');

/** Fields that readers look for first. */
const FIRST = ['to', 'title', 'comment'];
/** Fields that other columns contain already, or that only programs need. */
const SAID: ReadonlySet<string> = new Set(['from', 'tokens', 'type', 'source', 'part_of', 'earned_in']);

/** A memo in one line of text, for a table: `to: luna, comment: hi`. Empty values are left out. */
export function memoText(memo: Memo): string {
  const shown = Object.entries(ownMemo(memo))
    .filter(([name, value]) => !SAID.has(name) && value !== null && value !== undefined && value !== '');
  const place = (name: string): number => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  const parts = shown
    .sort(([a], [b]) => place(a) - place(b) || (a < b ? -1 : 1))
    .map(([name, value]) => `${name}: ${plain(value)}`);
  return [...parts.join(', ')].slice(0, MAX_DETAIL_LENGTH).join('');
}
