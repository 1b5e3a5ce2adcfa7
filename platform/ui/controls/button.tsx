import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import { Link, type LinkProps } from 'react-router';
import { useLate } from './early-press.ts';

export type ButtonTone = 'primary' | 'secondary' | 'quiet' | 'danger';

const TONES: Readonly<Record<ButtonTone, string>> = {
  primary: 'bg-primary text-on-primary hover:bg-primary-hover [&_.token]:text-current',
  secondary: 'bg-raised text-text border border-line hover:border-field',
  quiet: 'text-text hover:bg-raised',
  danger: 'border border-danger text-danger-text hover:bg-danger hover:text-ink',
};

const SHAPE = 'inline-flex items-center justify-center gap-2 rounded-control px-4 min-h-11 text-sm font-bold '
  + 'transition-colors disabled:opacity-50 disabled:cursor-not-allowed aria-busy:cursor-progress '
  + 'text-center';

/** The look of a button. */
export const buttonClass = (tone: ButtonTone = 'secondary', wide = false): string =>
  `${SHAPE} ${TONES[tone]}${wide ? ' w-full' : ''}`;

export interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className'> {
  readonly tone?: ButtonTone;
  /** Fills its row. */
  readonly wide?: boolean;
  /** Whether work is under way: the button says so to assistive technology and ignores further clicks. */
  readonly busy?: boolean;
  readonly icon?: ReactNode;
}

/** A button, 44 px high. One `primary` per view. */
export function Button({ tone, wide, busy, icon, children, type, onClick, ...rest }: ButtonProps) {
  const { late, ref } = useLate();
  return (
    <button
      ref={ref}
      data-late={late ? '' : undefined}
      type={type ?? 'button'}
      className={buttonClass(tone, wide)}
      aria-busy={busy || undefined}
      aria-disabled={busy || undefined}
      onClick={(press) => {
        if (busy) press.preventDefault();
        else onClick?.(press);
      }}
      {...rest}
    >
      {icon}
      {children}
    </button>
  );
}

/** A link that looks like a button: for going somewhere, never for doing something. */
export function ButtonLink(
  { tone, wide, icon, children, ...rest }:
    & Omit<LinkProps, 'className'>
    & Pick<ButtonProps, 'tone' | 'wide' | 'icon'>,
) {
  return (
    <Link className={buttonClass(tone, wide)} {...rest}>
      {icon}
      {children}
    </Link>
  );
}

/** A link that looks like a button, to a file that the server answers as an attachment. */
export function FileLink(
  { tone, wide, icon, children, href }:
    & Pick<ButtonProps, 'tone' | 'wide' | 'icon' | 'children'>
    & { readonly href: string },
) {
  return (
    <a className={buttonClass(tone, wide)} href={href}>
      {icon}
      {children}
    </a>
  );
}

type BareButton = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className' | 'aria-label'>;

export interface IconButtonProps extends BareButton {
  /** The action in words, for screen readers and the hover title. */
  readonly label: string;
  readonly pressed?: boolean;
  readonly ref?: Ref<HTMLButtonElement>;
  readonly children: ReactNode;
}

/** A 44 px square with one icon. */
export function IconButton({ label, pressed, children, type, ...rest }: IconButtonProps) {
  return (
    <button
      type={type ?? 'button'}
      aria-label={label}
      title={label}
      aria-pressed={pressed}
      className={'inline-flex size-11 shrink-0 items-center justify-center rounded-control text-muted '
        + 'transition-colors hover:bg-raised hover:text-text aria-pressed:text-accent disabled:opacity-50 '
        + 'disabled:cursor-not-allowed'}
      {...rest}
    >
      {children}
    </button>
  );
}
