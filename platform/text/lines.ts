/** The lines of a typed text: trimmed, without empty ones. */
export const linesIn = (text: string): string[] =>
  text.split(/\r\n?|\n/u).map((line) => line.trim()).filter((line) => line !== '');
