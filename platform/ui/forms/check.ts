import type { Problem } from '#platform/contract/client.ts';
import { issueText, WITH_INPUT, type IssueLanguage, type ShapeIssue } from '#platform/text/issues.ts';
import type { z } from 'zod';

/** Error texts by field name. */
export type FormErrors = Readonly<Record<string, string>>;

/** Fetches a call with its shapes; a page starts without any. */
export type LoadShape<Input> = () => Promise<{ readonly input: z.ZodType<Input> }>;

/** Errors of an input by the contract. Without the shape, as when offline, only the server checks. */
export async function shapeErrors<Input>(
  load: LoadShape<Input>,
  input: Input,
  language: IssueLanguage,
): Promise<FormErrors> {
  const call = await shapeOf(load).catch(() => null);
  const parsed = call?.input.safeParse(input, WITH_INPUT);
  return parsed?.error ? errorsOf(parsed.error.issues, language) : {};
}

/** Fetches a shape; zod is set up before any is made. */
export async function shapeOf<Input>(load: LoadShape<Input>): ReturnType<LoadShape<Input>> {
  await import('./no-eval.ts');
  return load();
}

/** The text of the first issue of each field. */
function errorsOf(issues: readonly ShapeIssue[], language: IssueLanguage): FormErrors {
  const texts = issues.map((issue) => [String(issue.path?.[0] ?? ''), issueText(issue, language)]);
  return Object.fromEntries(texts.reverse()) as FormErrors;
}

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** The part of a control that its constraints are read from. */
export type Constrained =
  & Pick<Control, 'validity' | 'type' | 'value'>
  & Partial<Record<'min' | 'max', string> & Record<'minLength' | 'maxLength', number>>;

/** The constraint of the markup (`required`, `min`, `pattern`) that a control violates; null for none. */
export function markupIssue(
  { validity, type, value, min, max, minLength, maxLength }: Constrained,
): ShapeIssue | null {
  if (validity.valid) return null;
  if (validity.valueMissing) {
    return type === 'checkbox'
      ? { code: 'invalid_value', values: [true] }
      : { code: 'invalid_type', input: '' };
  }
  if (validity.badInput) return { code: 'invalid_type', expected: 'number', input: 'x' };
  if (validity.typeMismatch || validity.patternMismatch) {
    return { code: 'invalid_format', format: type === 'email' ? 'email' : 'regex', input: value };
  }
  if (validity.tooShort) return { code: 'too_small', origin: 'string', minimum: minLength ?? 0 };
  if (validity.tooLong) return { code: 'too_big', origin: 'string', maximum: maxLength ?? 0 };
  if (validity.rangeUnderflow) return { code: 'too_small', origin: 'number', minimum: Number(min) };
  if (validity.rangeOverflow) return { code: 'too_big', origin: 'number', maximum: Number(max) };
  return validity.stepMismatch ? { code: 'invalid_type', expected: 'int', input: value } : { code: 'custom' };
}

/** Controls of a form by field name; a control without a name is a part of the `fieldset` around it. */
function controlsOf(form: HTMLFormElement): (readonly [string, Control])[] {
  return [...form.elements].flatMap((element) => {
    if (
      !(element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement
        || element instanceof HTMLSelectElement)
    ) return [];
    const name = element.name || element.closest<HTMLFieldSetElement>('fieldset[name]')?.name;
    return name ? [[name, element] as const] : [];
  });
}

/** Errors of a form by the constraints of its markup. */
export function markupErrors(form: HTMLFormElement, language: IssueLanguage): FormErrors {
  return errorsOf(
    controlsOf(form).flatMap(([name, control]) => {
      const issue = control.willValidate ? markupIssue(control) : null;
      return issue ? [{ ...issue, path: [name] }] : [];
    }),
    language,
  );
}

/** The key of errors that belong to no field of a form; they show above its button. */
export const NO_FIELD = '$form';

/** Moves errors without a field in the form to {@link NO_FIELD}. */
export function placed(errors: FormErrors, form: HTMLFormElement): FormErrors {
  const names = new Set(controlsOf(form).map(([name]) => name));
  return Object.fromEntries(
    Object.entries(errors)
      .map(([name, text]) => [names.has(name) ? name : NO_FIELD, text]),
  );
}

/** Assigns a refusal's text to the field it belongs to. */
export function refusalErrors(
  problem: Problem,
  fieldOf: Readonly<Record<string, string>> = {},
): { readonly errors: FormErrors; readonly rest: Problem | null } {
  if (problem.issues?.length) {
    const texts = problem.issues.map((
      { path, message },
    ) => [path.split(/[./]/u).find(Boolean) ?? '', message]);
    return { errors: Object.fromEntries(texts.reverse()) as FormErrors, rest: null };
  }
  const field = fieldOf[problem.errorType];
  return field ? { errors: { [field]: problem.message }, rest: null } : { errors: {}, rest: problem };
}
