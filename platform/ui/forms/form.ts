import type { ClientCall, InputOf, OutputOf } from '#platform/contract/call.ts';
import type { CallOptions, Problem } from '#platform/contract/client.ts';
import type { IssueLanguage } from '#platform/text/issues.ts';
import { useCallback, useEffect, useRef, useState, type FormEvent, type RefObject } from 'react';
import { useForm as useHookForm, type FieldErrors } from 'react-hook-form';
import { problemOf, useCache, useCall, type Applied } from '../calls/calls.ts';
import { useTranslation } from '../text/use-translation.ts';
import {
  markupErrors,
  NO_FIELD,
  placed,
  refusalErrors,
  shapeErrors,
  shapeOf,
  type FormErrors,
  type LoadShape,
} from './check.ts';

/** The props that a field of `controls/fields.tsx` takes from its form. */
export interface FormField {
  readonly name: string;
  readonly error: string | undefined;
  readonly onChange: (change: Happened) => void;
  readonly onBlur: (blur: Happened) => void;
}

/** The part of an event that a field needs. */
interface Happened {
  readonly target: EventTarget | null;
  readonly type: string;
}

export interface Form {
  /** For the `<form>`. */
  readonly props: {
    readonly ref: RefObject<HTMLFormElement | null>;
    readonly noValidate: true;
    readonly onSubmit: (submit: FormEvent<HTMLFormElement>) => void;
    readonly onFocus: () => void;
  };
  /** For a field: its name, its error and its listeners. */
  readonly field: (name: string) => FormField;
  /** The current content of the fields. */
  readonly fields: () => FormData;
  readonly busy: boolean;
  /** A problem that belongs to no field. */
  readonly problem: Pick<Problem, 'message' | 'reference' | 'errorType'> | null;
}

interface FieldsSettings<Typed> {
  /** Whether a submit may go on to the checks; a guest, for example, logs in first. */
  readonly mayStart?: () => boolean;
  /** Makes the input from the form's fields. */
  readonly read: (fields: FormData) => Typed;
  /** Checks beyond the constraints of the markup; their texts take precedence. */
  readonly check?: (typed: Typed, fields: FormData) => FormErrors;
  /** Checks the input against the contract. */
  readonly checkShape?: (typed: Typed) => Promise<FormErrors>;
  /** Fetches what `checkShape` needs, as soon as somebody enters the form. */
  readonly prepare?: () => void;
  /** Sends the input; a returned problem is shown in the form. */
  readonly onSubmit: (typed: Typed) => Promise<Problem | null> | Promise<void> | void;
  /** Field of a refusal, by its code; other refusals are shown above the button. */
  readonly fieldOf?: Readonly<Record<string, string>>;
  /** The form's own error texts by field, where the typed text differs from the input that is sent. */
  readonly words?: FormErrors;
}

/**
 * A form that makes no call of its own, such as a search. The browser owns the fields: text that is typed
 * before hydration, filled in by a password manager, or refused stays in them, and is read on submit.
 */
export function useFields<Typed>(settings: FieldsSettings<Typed>): Form {
  const { t, i18n } = useTranslation('ui');
  const ref = useRef<HTMLFormElement>(null);
  const typed = useRef<Typed | null>(null);
  const isSending = useRef(false);
  const [rest, setRest] = useState<Form['problem']>(null);
  const focusWrong = useFocusWrong(ref);
  const fields = useCallback(() => new FormData(ref.current ?? undefined), []);
  const { formState, register, handleSubmit, setError, reset } = useHookForm({
    shouldFocusError: false,
    resolver: async () => {
      if (!ref.current) return { values: {}, errors: {} };
      typed.current = settings.read(fields());
      const language = { locale: i18n.language, text: t };
      return { values: {}, errors: await errorsIn(ref.current, settings, typed.current, language) };
    },
  });
  const { errors: wrong, isSubmitting } = formState;
  const errorOf = (name: string): string | undefined => {
    const message = wrong[name]?.message;
    return typeof message === 'string' ? message : undefined;
  };

  /** Resolves with whether the submit succeeded. */
  const send = async (): Promise<boolean> => {
    const problem = typed.current === null ? null : await settings.onSubmit(typed.current);
    if (!problem || !ref.current) return !problem;
    const { errors, rest: other } = refusalErrors(problem, settings.fieldOf);
    const { [NO_FIELD]: message, ...ofFields } = placed(errors, ref.current);
    setRest(message === undefined ? other : { ...problem, message });
    for (const [name, text] of Object.entries(ofFields)) setError(name, { type: 'refused', message: text });
    focusWrong();
    return false;
  };
  const onSubmit = async (submit: FormEvent<HTMLFormElement>): Promise<void> => {
    submit.preventDefault();
    if (isSending.current || settings.mayStart?.() === false) return;
    isSending.current = true;
    setRest(null);
    let isDone = false;
    try {
      await handleSubmit(async () => {
        isDone = await send();
      }, focusWrong)(submit);
    } finally {
      isSending.current = false;
      // The next change begins a new entry, which is checked on submit.
      if (isDone) reset(undefined, { keepValues: true });
    }
  };
  const general = errorOf(NO_FIELD);
  return {
    props: {
      ref,
      noValidate: true,
      onSubmit: (submit) => void onSubmit(submit),
      onFocus: () => settings.prepare?.(),
    },
    field: (name) => {
      // The library gets no control: it would write to one that is mounted again.
      const { onChange, onBlur } = register(name);
      return {
        name,
        error: errorOf(name),
        onChange: (change) => void onChange(change),
        onBlur: (blur) => void onBlur(blur),
      };
    },
    fields,
    busy: isSubmitting,
    problem: rest ?? (general === undefined ? null : { message: general, errorType: 'wrong' }),
  };
}

/** The errors of a form, in the library's format. */
async function errorsIn<Typed>(
  form: HTMLFormElement,
  { check, checkShape, words }: FieldsSettings<Typed>,
  typed: Typed,
  language: IssueLanguage,
): Promise<FieldErrors> {
  const own = check?.(typed, new FormData(form));
  const found = { ...await checkShape?.(typed), ...markupErrors(form, language), ...own };
  const errors: FieldErrors = {};
  for (const [name, text] of Object.entries(placed(found, form))) {
    errors[name] = { type: 'wrong', message: words?.[name] ?? text };
  }
  return errors;
}

/** Moves the focus to the first wrong control as soon as one is marked, once this is requested. */
function useFocusWrong(form: RefObject<HTMLFormElement | null>): () => void {
  const isAsked = useRef(false);
  useEffect(() => {
    const wrong = isAsked.current ? form.current?.querySelector<HTMLElement>('[aria-invalid=true]') : null;
    if (!wrong) return;
    isAsked.current = false;
    const control = wrong.matches('fieldset') ? wrong.querySelector<HTMLElement>('select, input') : wrong;
    control?.focus();
  });
  return () => {
    isAsked.current = true;
  };
}

export interface CallFormSettings<C extends ClientCall>
  extends Pick<FieldsSettings<InputOf<C>>, 'mayStart' | 'read' | 'check' | 'fieldOf' | 'words'>
{
  /** Fetches the call of the contract, which has the shape of its input. */
  readonly shape: LoadShape<InputOf<C>>;
  /** Options of the call, such as its idempotency key. */
  readonly options?: () => CallOptions;
  /** Handles a refusal; a problem it returns is shown in the form. By default every refusal is shown. */
  readonly onRefused?: (problem: Problem) => Problem | null;
  /** Updates the cache with the answer, before `onDone`. */
  readonly applied?: Applied<C>;
  readonly onDone: (output: OutputOf<C>) => void | Promise<void>;
}

/**
 * A form over one call. The markup's constraints and the shape of the call are checked before it is sent,
 * and again whenever a wrong field changes; a refusal shows at its field.
 */
export function useForm<C extends ClientCall>(constant: C, settings: CallFormSettings<C>): Form {
  const { t, i18n } = useTranslation('ui');
  const call = useCall();
  const cache = useCache();
  const { shape, applied, onDone, onRefused, options, ...rest } = settings;
  return useFields<InputOf<C>>({
    ...rest,
    checkShape: (input) => shapeErrors(shape, input, { locale: i18n.language, text: t }),
    prepare: () => void shapeOf(shape).catch(() => null),
    onSubmit: async (input) => {
      const output = await call(constant, input, options?.()).catch(problemIn);
      if (output instanceof Failure) return onRefused ? onRefused(output.problem) : output.problem;
      applied?.(cache, output);
      await onDone(output);
      return null;
    },
  });
}

/** The failure of a call among its results. */
class Failure {
  readonly problem: Problem;
  constructor(problem: Problem) {
    this.problem = problem;
  }
}
const problemIn = (error: unknown): Failure => new Failure(problemOf(error));

/** The text of a form field. */
export const textOf = (fields: FormData, name: string): string => {
  const value = fields.get(name);
  return typeof value === 'string' ? value : '';
};
