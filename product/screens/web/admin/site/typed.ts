import { textOf } from '#platform/ui/forms/form.ts';

/** Lines of a text area, without empty ones. */
export const linesTyped = (fields: FormData, name: string): string[] =>
  textOf(fields, name).split(/\r?\n/u).map((line) => line.trim()).filter((line) => line !== '');
