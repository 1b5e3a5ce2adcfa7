import { useEffect, useRef, type FormEvent, type RefObject } from 'react';
import type { ClientCall, InputOf, OutputOf } from '../../contract/call.ts';
import type { Problem } from '../../contract/client/client.ts';
import { useAction } from './calls.ts';

export interface FormSettings<C extends ClientCall> {
  /** Makes the input from the form's fields. */
  readonly read: (fields: FormData) => InputOf<C>;
  /** Which field a refusal belongs to, by its code; the rest shows above the button. */
  readonly fieldOf?: Readonly<Record<string, string>>;
  readonly onDone: (output: OutputOf<C>) => void | Promise<void>;
}

export interface CallForm {
  readonly ref: RefObject<HTMLFormElement | null>;
  readonly onSubmit: (submit: FormEvent<HTMLFormElement>) => void;
  readonly busy: boolean;
  /** Texts by field name. */
  readonly errors: Readonly<Record<string, string>>;
  /** The refusal that belongs to no field. */
  readonly problem: Problem | null;
}

/** Sorts a refusal's text to the fields it belongs to. */
export function errorsOf(
  problem: Problem | null, fieldOf: Readonly<Record<string, string>> = {},
): { readonly errors: Readonly<Record<string, string>>; readonly rest: Problem | null } {
  if (!problem) return { errors: {}, rest: null };
  if (problem.issues?.length) {
    const issues = problem.issues.map((issue) =>
      [issue.path.split(/[./]/).find(Boolean) ?? '', issue.message]);
    return { errors: Object.fromEntries(issues.reverse()) as Record<string, string>, rest: null };
  }
  const field = fieldOf[problem.errorType];
  return field ? { errors: { [field]: problem.message }, rest: null } : { errors: {}, rest: problem };
}

/** A form over one call. Fields are the browser's own, so a refusal keeps everything that was typed. */
export function useForm<C extends ClientCall>(constant: C, settings: FormSettings<C>): CallForm {
  const action = useAction(constant);
  const ref = useRef<HTMLFormElement>(null);
  const { errors, rest } = errorsOf(action.problem, settings.fieldOf);
  const firstWrong = Object.keys(errors)[0];
  useEffect(() => {
    if (firstWrong === undefined) return;
    const field = ref.current?.elements.namedItem(firstWrong);
    if (field instanceof HTMLElement) field.focus();
  }, [firstWrong, action.problem]);
  const onSubmit = (submit: FormEvent<HTMLFormElement>) => {
    submit.preventDefault();
    if (action.busy) return;
    void action.run(settings.read(new FormData(submit.currentTarget))).then(async (output) => {
      if (output !== null) await settings.onDone(output);
    });
  };
  return { ref, onSubmit, busy: action.busy, errors, problem: rest };
}

/** A field of a form as text. */
export const textOf = (fields: FormData, name: string): string => {
  const value = fields.get(name);
  return typeof value === 'string' ? value : '';
};
