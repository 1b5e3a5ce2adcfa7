import { linesIn } from '#platform/text/lines.ts';
import { textOf } from '#platform/ui/forms/form.ts';

/** Lines of a text area, without empty ones. */
export const linesTyped = (fields: FormData, name: string): string[] => linesIn(textOf(fields, name));
