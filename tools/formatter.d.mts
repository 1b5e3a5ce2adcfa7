/** The text of a TypeScript or JavaScript file as it should stand. Throws when the text does not parse. */
export function formattedText(filePath: string, fileText: string): string;
