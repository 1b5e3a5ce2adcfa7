import { linesIn } from '#platform/text/lines.ts';

/** Words of a text field, one per line: trimmed, without empty lines and duplicates, in order. */
export const wordsOf = (text: string): string[] => [...new Set(linesIn(text))];
