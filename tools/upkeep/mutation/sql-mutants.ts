/** Mutants of one text: where it changes and into what. */
export interface Change {
  readonly operator: string;
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

interface Token {
  readonly kind: 'word' | 'number' | 'sign' | 'other';
  readonly text: string;
  readonly at: number;
}

const TOKENS =
  /--[^\n]*|'(?:[^']|'')*'|[a-z_][a-z0-9_.]*|\d+|<=|>=|<>|:=|->>|->|\|\||::|\?[|&]|[-<>=+*/?]|[(),;[\]]/giu;

function tokensOf(text: string): Token[] {
  return [...text.matchAll(TOKENS)].flatMap((match): Token[] => {
    const [found] = match;
    if (found.startsWith('--')) return [];
    const kind = /^[a-z_]/iu.test(found) ? 'word' : /^\d/u.test(found)
      ? 'number'
      : found.startsWith('\'')
      ? 'other'
      : 'sign';
    return [{ kind, text: kind === 'word' ? found.toLowerCase() : found, at: match.index }];
  });
}

/** What a token becomes, by operator. */
const SWAPS: Readonly<Record<string, readonly (readonly [operator: string, text: string])[]>> = {
  '<': [['boundary', '<='], ['comparison', '>']],
  '<=': [['boundary', '<'], ['comparison', '>']],
  '>': [['boundary', '>='], ['comparison', '<']],
  '>=': [['boundary', '>'], ['comparison', '<']],
  '<>': [['comparison', '=']],
  '=': [['comparison', '<>']],
  '+': [['arithmetic', '-']],
  '-': [['arithmetic', '+']],
  '*': [['arithmetic', '+']],
  greatest: [['extreme', 'least']],
  least: [['extreme', 'greatest']],
  and: [['connective', 'or']],
  or: [['connective', 'and']],
  true: [['constant', 'false']],
  false: [['constant', 'true']],
  desc: [['order', '']],
  sum: [['aggregate', 'max']],
  bool_and: [['aggregate', 'bool_or']],
  bool_or: [['aggregate', 'bool_and']],
};
/** Words that end a condition after an `and`. */
const ENDS = new Set([
  'and',
  'or',
  'then',
  'order',
  'group',
  'loop',
  'returning',
  'union',
  'limit',
  'for',
  'end',
  'on',
  'left',
  'join',
  'where',
  'having',
  'cross',
  'when',
  'else',
]);

/** Every mutant of a function's body that one operator makes at one place. */
export function sqlMutants(body: string): Change[] {
  const tokens = tokensOf(body);
  return tokens.flatMap((token, nth) => [
    ...swapsOf(token, tokens[nth - 1]),
    ...phrasesOf(tokens, nth),
    ...droppedCondition(body, tokens, nth),
    ...droppedStatement(tokens, nth),
  ]);
}

function swapsOf({ kind, text, at }: Token, before: Token | undefined): Change[] {
  const change = (operator: string, into: string): Change => ({
    operator,
    from: at,
    to: at + text.length,
    text: into,
  });
  if (kind === 'number' && before?.kind !== 'other') {
    return [change('constant', String(Number(text) + 1)), ...(text === '0' ? [] : [change('constant', '0')])];
  }
  return (SWAPS[text] ?? []).map(([operator, into]) => change(operator, into));
}

/** Changes of several words: locks, conflicts, negations. */
function phrasesOf(tokens: readonly Token[], nth: number): Change[] {
  const at = (offset: number): Token | undefined => tokens[nth + offset];
  const words = (count: number): string => tokens.slice(nth, nth + count).map(({ text }) => text).join(' ');
  const span = (operator: string, last: Token | undefined, text: string): Change[] => (last === undefined
    ? []
    : [{ operator, from: tokens[nth]?.at ?? 0, to: last.at + last.text.length, text }]);
  if (words(2) === 'for update') {
    const of = at(2)?.text === 'of' ? at(3) : at(1);
    return span('lock', of, '');
  }
  if (words(2) === 'on conflict') {
    const end = tokens.findIndex((token, index) => index > nth && token.text === 'nothing');
    const closes = tokens.findIndex((token, index) => index > nth && token.text === ';');
    return end > 0 && (closes < 0 || end < closes) ? span('conflict', tokens[end], '') : [];
  }
  if (words(2) === 'not exists') return span('negation', at(1), 'exists');
  if (words(1) === 'exists' && at(-1)?.text !== 'not') return span('negation', at(0), 'not exists');
  if (words(3) === 'is not null') return span('negation', at(2), 'is null');
  if (words(2) === 'is null') return span('negation', at(1), 'is not null');
  return [];
}

/** Leaves out `and` with what stands behind it. */
function droppedCondition(body: string, tokens: readonly Token[], nth: number): Change[] {
  const start = tokens[nth];
  if (start?.text !== 'and' || tokens[nth - 2]?.text === 'between') return [];
  let depth = 0;
  for (let index = nth + 1; index < tokens.length; index += 1) {
    const { text: word, at } = tokens[index] as Token;
    if (word === '(' || word === '[' || word === 'case') depth += 1;
    const closes = word === ')' || word === ']' || (word === 'end' && depth > 0);
    if ((depth === 0 && (ENDS.has(word) || word === ';' || word === ',')) || (closes && depth === 0)) {
      const text = /\s/u.test(body[at - 1] ?? '') ? ' ' : '';
      return [{ operator: 'condition', from: start.at, to: at, text }];
    }
    if (closes) depth -= 1;
  }
  return [];
}

const STATEMENTS = new Set(['perform', 'update', 'insert', 'delete', 'raise', 'return']);
/** What stands before a statement of its own, and not before a part of one. */
const BEFORE = new Set([';', 'begin', 'then', 'else', 'loop']);

/** A statement that does nothing any more. */
function droppedStatement(tokens: readonly Token[], nth: number): Change[] {
  const start = tokens[nth];
  const before = tokens[nth - 1];
  if (!start || !STATEMENTS.has(start.text) || !before || !BEFORE.has(before.text)) return [];
  // Without a last `return` a function would not be one.
  if (start.text === 'return' && !['then', 'else'].includes(before.text)) return [];
  const end = tokens.slice(nth).find(({ text }) => text === ';');
  return end ? [{ operator: 'statement', from: start.at, to: end.at, text: 'null' }] : [];
}
