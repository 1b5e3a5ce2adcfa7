import { useCallback, useEffect, useRef, useState, type FormEvent, type RefObject } from 'react';
import { useForm as useHookForm, type FieldErrors } from 'react-hook-form';
import type { ClientCall, InputOf, OutputOf } from '#platform/contract/call.ts';
import type { CallOptions, Problem } from '#platform/contract/client.ts';
import type { IssueLanguage } from '#platform/text/issues.ts';
import { problemOf, useCache, useCall, type Applied } from '../calls/calls.ts';
import { useTranslation } from '../text/use-translation.ts';
import {
  markupErrors, NO_FIELD, placed, refusalErrors, shapeErrors, shapeOf, type FormErrors, type LoadShape,
} from './check.ts';

/** What a field of `controls/fields.tsx` takes from its form. */
export interface FormField {
  readonly name: string;
  readonly error: string | undefined;
  readonly onChange: (change: Happened) => void;
  readonly onBlur: (blur: Happened) => void;
}

/** What a field takes of an event. */
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
  /** For a field: its name, its error, and what watches it. */
  readonly field: (name: string) => FormField;
  /** What the fields hold now. */
  readonly fields: () => FormData;
  readonly busy: boolean;
  /** What is wrong and belongs to no field. */
  readonly problem: Pick<Problem, 'message' | 'reference' | 'errorType'> | null;
}

interface FieldsSettings<Typed> {
  /** Whether a submit goes on to the checks; a guest, for one, logs in first. */
  readonly mayStart?: () => boolean;
  /** Makes what is sent from the form's fields. */
  readonly read: (fields: FormData) => Typed;
  /** What is wrong beyond the constraints of the markup; its texts come first. */
  readonly check?: (typed: Typed, fields: FormData) => FormErrors;
  /** What the contract says of it. */
  readonly checkShape?: (typed: Typed) => Promise<FormErrors>;
  /** Fetches what `checkShape` needs, as soon as somebody enters the form. */
  readonly prepare?: () => void;
  /** Does it; a problem it answers is shown in the form. */
  readonly onSubmit: (typed: Typed) => Promise<Problem | null> | Promise<void> | void;
  /** Which field a refusal belongs to, by its code; the rest shows above the button. */
  readonly fieldOf?: Readonly<Record<string, string>>;
  /** The form's own words for a field, where what is typed differs from what is sent. */
  readonly words?: FormErrors;
}

/**
 * A form that makes no call of its own, such as a search. Fields are the browser's: what is typed before
 * React takes over, filled in by a password manager, or refused stays in them, and is read when it is sent.
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

  /** Answers whether it went through. */
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
      // The next change is the first of another entry, which is checked when it is sent.
      if (isDone) reset(undefined, { keepValues: true });
    }
  };
  const general = errorOf(NO_FIELD);
  return {
    props: {
      ref, noValidate: true, onSubmit: (submit) => void onSubmit(submit),
      onFocus: () => settings.prepare?.(),
    },
    field: (name) => {
      // The library gets no control: it would write to one that is mounted again.
      const { onChange, onBlur } = register(name);
      return {
        name, error: errorOf(name), onChange: (change) => void onChange(change),
        onBlur: (blur) => void onBlur(blur),
      };
    },
    fields,
    busy: isSubmitting,
    problem: rest ?? (general === undefined ? null : { message: general, errorType: 'wrong' }),
  };
}

/** What is wrong in a form, as the library has it. */
async function errorsIn<Typed>(
  form: HTMLFormElement, { check, checkShape, words }: FieldsSettings<Typed>, typed: Typed,
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

/** Once asked, moves the focus to the first wrong control as soon as one is marked. */
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
  extends Pick<FieldsSettings<InputOf<C>>, 'mayStart' | 'read' | 'check' | 'fieldOf' | 'words'> {
  /** Fetches the call of the contract, which has the shape of its input. */
  readonly shape: LoadShape<InputOf<C>>;
  /** Options of the call, such as its idempotency key. */
  readonly options?: () => CallOptions;
  /** Handles a refusal; what it returns shows in the form. Without it every refusal shows. */
  readonly onRefused?: (problem: Problem) => Problem | null;
  /** Shows the answer in what is cached, before `onDone`. */
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

/** A failed call among its answers. */
class Failure {
  readonly problem: Problem;
  constructor(problem: Problem) {
    this.problem = problem;
  }
}
const problemIn = (error: unknown): Failure => new Failure(problemOf(error));

/** A field of a form as text. */
export const textOf = (fields: FormData, name: string): string => {
  const value = fields.get(name);
  return typeof value === 'string' ? value : '';
};
