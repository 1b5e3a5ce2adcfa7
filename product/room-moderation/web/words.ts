/** Words as they are typed into a field, one a line: trimmed, each once, in their order. */
export const wordsOf = (text: string): string[] =>
  [...new Set(text.split('\n').map((line) => line.trim()).filter((word) => word !== ''))];
