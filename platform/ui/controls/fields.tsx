import { Eye, EyeOff } from 'lucide-react';
import {
  useId,
  useState,
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
} from 'react';
import { useTranslation } from '../text/use-translation.ts';
import { IconButton } from './button.tsx';

const CONTROL = 'w-full min-h-11 rounded-control border border-field bg-surface px-3 text-base text-text '
  + 'placeholder:text-muted aria-invalid:border-danger disabled:opacity-60 transition-colors '
  + 'hover:border-muted';

/** The parts that every field has beside its control. */
export interface FieldText {
  readonly label: string;
  readonly hint?: string | undefined;
  /** The error text; read out with the field. */
  readonly error?: string | undefined;
}

interface FieldFrame extends FieldText {
  readonly id: string;
  readonly children: ReactNode;
}

function Frame({ id, label, hint, error, children }: FieldFrame) {
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-sm font-medium">{label}</label>
      {children}
      <FieldNotes id={id} hint={hint} error={error} />
    </div>
  );
}

/** Hint and error of the control `id`, which refers to them by {@link describedBy}. */
export function FieldNotes({ id, hint, error }: { id: string } & Omit<FieldText, 'label'>) {
  return (
    <>
      {error ? <p id={`${id}-error`} role="alert" className="text-sm text-danger-text">{error}</p> : null}
      {hint && !error ? <p id={`${id}-hint`} className="text-sm text-muted">{hint}</p> : null}
    </>
  );
}

/** Attributes that connect a control with its hint and error. */
export const describedBy = (id: string, { hint, error }: Omit<FieldText, 'label'>) => ({
  'aria-invalid': error ? (true as const) : undefined,
  'aria-describedby': error ? `${id}-error` : hint ? `${id}-hint` : undefined,
});

type Bare<Attributes> = Omit<Attributes, 'id' | 'className' | 'aria-invalid' | 'aria-describedby'>;

export type TextFieldProps = FieldText & Bare<InputHTMLAttributes<HTMLInputElement>>;

export function TextField({ label, hint, error, ...rest }: TextFieldProps) {
  const id = useId();
  return (
    <Frame id={id} label={label} hint={hint} error={error}>
      <input id={id} className={CONTROL} {...describedBy(id, { hint, error })} {...rest} />
    </Frame>
  );
}

export function TextArea(
  { label, hint, error, ...rest }: FieldText & Bare<TextareaHTMLAttributes<HTMLTextAreaElement>>,
) {
  const id = useId();
  return (
    <Frame id={id} label={label} hint={hint} error={error}>
      <textarea
        id={id}
        rows={4}
        className={`${CONTROL} py-2`}
        {...describedBy(id, { hint, error })}
        {...rest}
      />
    </Frame>
  );
}

/** A password field with a button that shows the password while it is switched on. */
export function PasswordField({ label, hint, error, ...rest }: TextFieldProps) {
  const id = useId();
  const [shown, setShown] = useState(false);
  const { t } = useTranslation('ui');
  return (
    <Frame id={id} label={label} hint={hint} error={error}>
      <div className="relative">
        <input
          id={id}
          className={`${CONTROL} pr-12`}
          autoCapitalize="none"
          spellCheck={false}
          {...describedBy(id, { hint, error })}
          {...rest}
          type={shown ? 'text' : 'password'}
        />
        <div className="absolute inset-y-0 right-0 flex items-center">
          <IconButton label={t('showPassword')} pressed={shown} onClick={() => setShown(!shown)}>
            {shown ? <EyeOff size={20} aria-hidden /> : <Eye size={20} aria-hidden />}
          </IconButton>
        </div>
      </div>
    </Frame>
  );
}

/** For `onInput` of a field for whole numbers: removes everything but digits. */
export const keepDigits = ({ currentTarget: field }: { readonly currentTarget: HTMLInputElement }): void => {
  const digits = field.value.replaceAll(/[^\d]/gu, '');
  if (digits !== field.value) field.value = digits;
};

export interface Option {
  readonly value: string;
  readonly text: string;
}

export type SelectProps = FieldText & Bare<SelectHTMLAttributes<HTMLSelectElement>> & {
  readonly options: readonly Option[];
  /** Shown while nothing is chosen. */
  readonly placeholder?: string;
  /** Hides the label from all but screen readers, where the row already says the same. */
  readonly labelHidden?: boolean;
};

/** The system's own list: best on phones, and fully usable by keyboard. */
export function Select({ label, hint, error, options, placeholder, labelHidden, ...rest }: SelectProps) {
  const id = useId();
  const control = (
    <select
      id={id}
      className={CONTROL}
      {...describedBy(id, { hint, error })}
      {...rest}
      aria-label={labelHidden ? label : undefined}
    >
      {placeholder === undefined ? null : <option value="">{placeholder}</option>}
      {/* The names of some countries and languages differ between server and browser. */}
      {options.map(({ value, text }) => (
        <option key={value} value={value} suppressHydrationWarning>{text}</option>
      ))}
    </select>
  );
  return labelHidden ? control : <Frame id={id} label={label} hint={hint} error={error}>{control}</Frame>;
}

/** A tick box whose whole line can be clicked. */
export function Checkbox(
  { label, error, ...rest }:
    & Omit<FieldText, 'label' | 'hint'>
    & { readonly label: ReactNode }
    & Bare<InputHTMLAttributes<HTMLInputElement>>,
) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="flex min-h-11 items-center gap-3 text-sm">
        <input
          id={id}
          type="checkbox"
          className="checkbox size-5 shrink-0 rounded-control border border-field bg-surface
            checked:border-primary checked:bg-primary aria-invalid:border-danger"
          {...describedBy(id, { error })}
          {...rest}
        />
        <span>{label}</span>
      </label>
      <FieldNotes id={id} error={error} />
    </div>
  );
}
